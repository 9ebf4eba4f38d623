package dev.claimstream.history.store;

import java.util.Locale;
import java.util.Map;

/** The query of usage over time. Its parameters are begin and end, in microseconds since 1970, and the number of steps. */
final class UsageSeriesSql {
    private UsageSeriesSql() {}

    static String text(UsageGroup group, Map<String, Double> costs, AccessScope scope) {
        return """
                WITH steps AS (SELECT make_timestamp($1 + CAST(n * (($2 - $1) / $3) AS BIGINT)) AS b,
                    make_timestamp($1 + CAST((n + 1) * (($2 - $1) / $3) AS BIGINT)) AS e FROM range($3) s(n)),
                held AS (SELECT i.*, b, e, %1$s AS grp, greatest(allocated, b) AS f, least(coalesce(released, e), e) AS t
                  FROM intervals i, steps WHERE NOT admin_access AND allocated < e AND coalesce(released, e) > b AND %2$s),
                hours AS (SELECT *, date_diff('microsecond', f, t) / 3.6e9 AS h FROM held),
                measured AS (SELECT driver, pool, device, hour, sum(utilization_sum) / sum(samples) / 100 AS used
                  FROM telemetry GROUP BY ALL),
                used AS (SELECT b, grp, sum(weight * part) AS measured, sum(weight * part * used) AS used
                  FROM (SELECT *, greatest(0, date_diff('microsecond', greatest(f, hour), least(t, hour + INTERVAL 1 HOUR)) / 3.6e9)
                    AS part FROM hours JOIN measured USING (driver, pool, device) WHERE hour < t AND hour + INTERVAL 1 HOUR > f)
                  GROUP BY ALL),
                grouped AS (SELECT b, e, grp, count(DISTINCT claim_uid) AS claims, sum(h * weight) AS w, sum(h * weight * %3$s) AS cost
                  FROM hours GROUP BY ALL),
                %4$s
                SELECT * FROM (SELECT b AS "FROM", e AS "TO", grp AS "%5$s", claims AS "CLAIMS", round(w, 6) AS "WEIGHTED HOURS",
                  round(used.measured, 6) AS "MEASURED HOURS", round(used.used, 6) AS "USED HOURS", round(cost, 6) AS "COST",
                  CAST(NULL AS DOUBLE) AS "IDLE DEVICE HOURS" FROM grouped LEFT JOIN used USING (b, grp)
                UNION ALL BY NAME SELECT b AS "FROM", e AS "TO", place AS "%5$s", CAST(NULL AS BIGINT) AS "CLAIMS",
                  NULL AS "WEIGHTED HOURS", NULL AS "MEASURED HOURS", NULL AS "USED HOURS", NULL AS "COST",
                  round(idle, 6) AS "IDLE DEVICE HOURS" FROM idle)
                ORDER BY 1, "IDLE DEVICE HOURS" IS NOT NULL, 3""".formatted(
                        group.expression(),
                        scope.condition(),
                        UsageSql.cost(costs),
                        idle(group, scope),
                        group.text().toUpperCase(Locale.ROOT));
    }

    /** Published time without the time in which at least one claim has the device. Only administrators see other namespaces. */
    private static String idle(UsageGroup group, AccessScope scope) {
        if (!scope.isAdministrator()) {
            return "idle AS (SELECT b, e, '' AS place, 0.0 AS idle FROM steps WHERE false)";
        }
        return """
                published AS (SELECT b, e, driver, pool, device, any_value(node) AS node,
                    coalesce(nullif(arg_max(product, published), ''), any_value(driver)) AS product,
                    sum(date_diff('microsecond', greatest(published, b), least(coalesce(withdrawn, e), e))) / 3.6e9 AS h
                  FROM devices, steps WHERE published < e AND coalesce(withdrawn, e) > b GROUP BY ALL),
                starts AS (SELECT *, max(t) OVER (PARTITION BY b, driver, pool, device ORDER BY f, t
                    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM held),
                busy AS (SELECT b, driver, pool, device,
                    sum(greatest(0, date_diff('microsecond', greatest(f, coalesce(before, f)), t))) / 3.6e9 AS h
                  FROM starts GROUP BY ALL),
                idle AS (SELECT p.b AS b, p.e AS e, %s AS place, sum(greatest(0, p.h - coalesce(busy.h, 0))) AS idle
                  FROM published p LEFT JOIN busy USING (b, driver, pool, device) GROUP BY ALL
                  HAVING sum(greatest(0, p.h - coalesce(busy.h, 0))) > 0)""".formatted(group.idle());
    }
}
