package dev.claimstream.history.store;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The query of usage. Its parameters are begin and end, in microseconds since 1970. */
final class UsageSql {
    private UsageSql() {}

    static String text(UsageGroup group, Map<String, Double> costs, AccessScope scope) {
        return """
                WITH bounds AS (SELECT make_timestamp($1) AS b, make_timestamp($2) AS e),
                held AS (SELECT i.*, %s AS grp, greatest(allocated, b) AS f, least(coalesce(released, e), e) AS t
                  FROM intervals i, bounds WHERE NOT admin_access AND allocated < e AND (released IS NULL OR released > b) AND %s),
                hours AS (SELECT *, date_diff('microsecond', f, t) / 3.6e9 AS h FROM held),
                measured AS (SELECT driver, pool, device, hour, sum(utilization_sum) / sum(samples) / 100 AS used
                  FROM telemetry GROUP BY ALL),
                used AS (SELECT grp, sum(weight * used * greatest(0,
                    date_diff('microsecond', greatest(f, hour), least(t, hour + INTERVAL 1 HOUR)) / 3.6e9)) AS used
                  FROM hours JOIN measured USING (driver, pool, device) WHERE hour < t AND hour + INTERVAL 1 HOUR > f GROUP BY grp),
                grouped AS (SELECT grp, count(DISTINCT claim_uid) AS claims, sum(h) AS h, sum(h * weight) AS w,
                    sum(h * weight * %s) AS cost FROM hours GROUP BY grp),
                %s
                SELECT * FROM (SELECT grp AS "%s", claims AS "CLAIMS", round(h, 3) AS "DEVICE HOURS", round(w, 3) AS "WEIGHTED HOURS",
                  round(used.used, 3) AS "USED HOURS", round(cost, 3) AS "COST", CAST(NULL AS DOUBLE) AS "IDLE DEVICE HOURS"
                  FROM grouped LEFT JOIN used USING (grp)
                UNION ALL BY NAME SELECT place AS "%s", CAST(NULL AS BIGINT) AS "CLAIMS", NULL AS "DEVICE HOURS",
                  NULL AS "WEIGHTED HOURS", NULL AS "USED HOURS", NULL AS "COST", round(idle, 3) AS "IDLE DEVICE HOURS" FROM idle)
                ORDER BY "IDLE DEVICE HOURS" IS NOT NULL, 1""".formatted(
                        group.expression(),
                        scope.condition(),
                        cost(costs),
                        idle(group, scope),
                        group.text().toUpperCase(Locale.ROOT),
                        group.text().toUpperCase(Locale.ROOT));
    }

    static String cost(Map<String, Double> costs) {
        return costs.isEmpty()
                ? "1"
                : new TreeMap<>(costs)
                        .entrySet().stream()
                                .map(each -> "WHEN class = %s THEN %s"
                                        .formatted(StoreDatabase.quoted(each.getKey()), each.getValue()))
                                .collect(Collectors.joining(" ", "CASE ", " ELSE 1 END"));
    }

    /** Published time without the time in which at least one claim has the device. Only administrators see other namespaces. */
    private static String idle(UsageGroup group, AccessScope scope) {
        if (!scope.isAdministrator()) {
            return "idle AS (SELECT '' AS place, 0.0 AS idle WHERE false)";
        }
        return """
                published AS (SELECT driver, pool, device, any_value(node) AS node,
                    coalesce(nullif(arg_max(product, published), ''), any_value(driver)) AS product,
                    sum(date_diff('microsecond', greatest(published, b), least(coalesce(withdrawn, e), e))) / 3.6e9 AS h
                  FROM devices, bounds WHERE published < e AND coalesce(withdrawn, e) > b GROUP BY ALL),
                starts AS (SELECT *, max(t) OVER (PARTITION BY driver, pool, device ORDER BY f, t
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM held),
                busy AS (SELECT driver, pool, device,
                    sum(greatest(0, date_diff('microsecond', greatest(f, coalesce(before, f)), t))) / 3.6e9 AS h
                  FROM starts GROUP BY ALL),
                idle AS (SELECT %s AS place, sum(greatest(0, p.h - coalesce(busy.h, 0))) AS idle
                  FROM published p LEFT JOIN busy USING (driver, pool, device) GROUP BY place HAVING sum(greatest(0, p.h - coalesce(busy.h, 0))) > 0)""".formatted(group.idle());
    }
}
