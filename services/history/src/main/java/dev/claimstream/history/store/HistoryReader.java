package dev.claimstream.history.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;

/**
 * Answers questions about the past. Each question sees what the last flush has stored.
 *
 * <p>A time T stands for the last input at or before it. All methods throw a {@link HistoryException} with a remedy. Not safe for
 * several threads.
 */
public final class HistoryReader {
    /** Limit of the rows of an answer. */
    public static final int ROWS_MAX = 100_000;

    /** Limit of the time of a question. */
    public static final Duration TIME_MAX = Duration.ofSeconds(20);

    private static final int STEPS_MAX = 500;
    private static final Instant TIME_LAST = Instant.parse("9999-12-31T23:59:59Z");
    private static final String DEVICE = "driver || '/' || pool || '/' || device";
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The columns about a claim, for callers that see its namespace. */
    private static final Set<String> HIDDEN = Set.of("CLAIM", "PODS", "CLASS", "SHARE", "END");

    private final StoreDatabase database;
    private final Duration timeMax;
    private final int rowsMax;

    HistoryReader(StoreDatabase database) {
        this(database, TIME_MAX, ROWS_MAX);
    }

    private HistoryReader(StoreDatabase database, Duration timeMax, int rowsMax) {
        this.database = database;
        this.timeMax = timeMax;
        this.rowsMax = rowsMax;
    }

    /** A reader with other limits. */
    public HistoryReader withLimits(Duration time, int rows) {
        return new HistoryReader(database, time, rows);
    }

    private ResultTable query(String sql, Object... parameters) {
        return new ReadQuery(database, timeMax, rowsMax).run(sql, List.of(parameters));
    }

    /** The namespaces that an answer may contain. */
    public Set<String> namespaces() {
        return query("SELECT namespace FROM intervals UNION SELECT namespace FROM pending EXCEPT SELECT '%s'"
                        .formatted(StoreSchema.ERASED))
                .rows()
                .stream()
                .flatMap(row -> row.getFirst().stream())
                .map(Object::toString)
                .collect(Collectors.toSet());
    }

    /** The times of the first and the last input, in microseconds since 1970. */
    private record LogBounds(long first, long last) {}

    private LogBounds bounds() {
        ResultTable facts =
                query("SELECT name, CAST(value AS BIGINT) FROM store_facts WHERE name IN ('first', 'last')");
        Map<Object, Object> byName = facts.rows().stream()
                .filter(row -> row.get(1).isPresent())
                .collect(Collectors.toMap(
                        row -> row.get(0).orElseThrow(), row -> row.get(1).orElseThrow()));
        if (!(byName.get("first") instanceof Long first) || !(byName.get("last") instanceof Long last) || first == 0) {
            throw new HistoryException(
                    HistoryProblem.BEFORE_LOG,
                    "the history is empty: no input has been read. Check that the allocator runs, and the health of the history service.");
        }
        return new LogBounds(first, last);
    }

    private static long micros(Instant time) {
        if (time.isAfter(TIME_LAST)) {
            throw new HistoryException(
                    HistoryProblem.INVALID_QUESTION, "%s is too late: use a time up to %s".formatted(time, TIME_LAST));
        }
        return ChronoUnit.MICROS.between(Instant.EPOCH, time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time);
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /** Checks that a time is not before the log; returns it in microseconds. */
    private static long checked(LogBounds bounds, String option, Instant time) {
        if (micros(time) < bounds.first()) {
            throw new HistoryException(
                    HistoryProblem.BEFORE_LOG,
                    "%s %s is before the log, which begins at %s: name a later time, or an archive that begins earlier"
                            .formatted(option, time, instant(bounds.first())));
        }
        return micros(time);
    }

    private long begin(LogBounds bounds, TimeWindow window) {
        return window.since().map(time -> checked(bounds, "--since", time)).orElse(bounds.first());
    }

    private long end(LogBounds bounds, TimeWindow window) {
        long end = window.until().map(time -> checked(bounds, "--until", time)).orElse(bounds.last());
        if (window.since().filter(since -> micros(since) > end).isPresent()) {
            throw new HistoryException(
                    HistoryProblem.INVALID_QUESTION,
                    "--since %s is after %s: name an earlier time"
                            .formatted(
                                    window.since().orElseThrow(),
                                    window.until()
                                            .map(time -> "--until " + time)
                                            .orElse("the last input at " + instant(end))));
        }
        return end;
    }

    // ---- who
    // -------------------------------------------------------------------------------------------------------------------

    /** The claims that hold a device at a time; by default at the last input. */
    public ResultTable who(String device, Optional<Instant> at, AccessScope scope) {
        LogBounds bounds = bounds();
        long time = at.map(each -> checked(bounds, "--at", each)).orElse(bounds.last());
        requireDevice("device", device, scope);
        ResultTable found =
                query("""
                SELECT namespace, %s AS "DEVICE", namespace || '/' || claim AS "CLAIM", pods AS "PODS", node AS "NODE",
                class AS "CLASS", share AS "SHARE", allocated AS "ALLOCATED", committed AS "COMMITTED", released AS "RELEASED"
                FROM intervals WHERE %s AND %s AND allocated <= make_timestamp($2)
                AND (released IS NULL OR released > make_timestamp($2)) ORDER BY 2, allocated, claim""".formatted(DEVICE, HistoryKind.DEVICE.condition(), scope.deviceCondition()), device, time);
        ResultTable table = masked(found, scope);
        String when = at.isPresent() ? at.get().toString() : "the last input, " + instant(time);
        return table.withNote(
                table.rows().isEmpty()
                        ? "%s was not allocated at %s".formatted(device, when)
                        : "at %s".formatted(when));
    }

    private void requireDevice(String requested, String device, AccessScope scope) {
        if (!isKnown(HistoryKind.DEVICE, device, scope)) {
            ResultTable examples = query("SELECT DISTINCT %s FROM devices WHERE %s ORDER BY 1 LIMIT 3"
                    .formatted(DEVICE, scope.hasDevices()));
            throw new HistoryException(
                    HistoryProblem.INVALID_QUESTION,
                    "no %s %s is in the history: use driver/pool/device, pool/device or device%s"
                            .formatted(
                                    requested,
                                    device,
                                    examples.rows().isEmpty()
                                            ? ""
                                            : ", for example "
                                                    + examples.rows()
                                                            .getFirst()
                                                            .getFirst()
                                                            .orElse("")));
        }
    }

    /** Whether devices or intervals have a name. Intervals are many: they are read only if no published device has it. */
    private boolean isKnown(HistoryKind kind, String name, AccessScope scope) {
        return (scope.hasDevices() ? Stream.of("devices", "intervals") : Stream.of("intervals"))
                .anyMatch(table -> !query(
                                "SELECT 1 FROM %s WHERE %s AND %s LIMIT 1"
                                        .formatted(table, kind.condition(), scope.deviceCondition()),
                                name)
                        .rows()
                        .isEmpty());
    }

    /** Removes the first column, the namespace, and hides cells of rows that the caller may not see. */
    private static ResultTable masked(ResultTable table, AccessScope scope) {
        List<String> columns = table.columns().subList(1, table.columns().size());
        List<List<Optional<Object>>> rows = new ArrayList<>();
        for (List<Optional<Object>> row : table.rows()) {
            boolean isSeen = scope.sees(row.getFirst().map(Object::toString).orElse(""));
            rows.add(IntStream.range(0, columns.size())
                    .mapToObj(i -> isSeen || !HIDDEN.contains(columns.get(i))
                            ? row.get(i + 1)
                            : Optional.<Object>of(AccessScope.ELSEWHERE))
                    .toList());
        }
        return new ResultTable(columns, rows, table.notes());
    }

    // ---- history
    // ---------------------------------------------------------------------------------------------------------------

    /** The allocations and pending periods of an object, in the order of their begin. */
    public ResultTable history(HistoryKind kind, String name, TimeWindow window, AccessScope scope) {
        LogBounds bounds = bounds();
        long begin = begin(bounds, window);
        long end = end(bounds, window);
        if (kind == HistoryKind.DEVICE) {
            requireDevice("device", name, scope);
        }
        if (kind == HistoryKind.NAMESPACE && !scope.sees(name)) {
            throw new HistoryException(
                    HistoryProblem.FORBIDDEN, "you may not see this namespace: name one whose claims you may list");
        }
        String visible = kind.isOfClaim() || kind == HistoryKind.CLASS ? scope.condition() : scope.deviceCondition();
        String pending = kind.isOfPending() ? """
                 UNION ALL SELECT namespace, began, ended, 'pending', namespace || '/' || claim, pods, '', '', class,
                reason || CASE WHEN cause = '' THEN '' ELSE ', then ' || cause END
                FROM (SELECT *, pod AS pods FROM pending) WHERE %s AND began <= make_timestamp($3)
                AND (ended IS NULL OR ended >= make_timestamp($2)) AND %s""".formatted(kind.condition(), scope.condition()) : "";
        ResultTable found = query("""
                SELECT namespace, allocated AS "FROM", released AS "TO", 'allocated' AS "STATE", namespace || '/' || claim AS "CLAIM",
                pods AS "PODS", %s AS "DEVICE", node AS "NODE", class AS "CLASS", cause AS "END"
                FROM intervals WHERE %s AND allocated <= make_timestamp($3) AND (released IS NULL OR released >= make_timestamp($2))
                AND %s%s
                ORDER BY 2, 5, 7""".formatted(DEVICE, kind.condition(), visible, pending), name, begin, end);
        ResultTable table = masked(found, scope);
        return table.rows().isEmpty()
                ? table.withNote(
                        "nothing about %s %s from %s to %s".formatted(kind.text(), name, instant(begin), instant(end)))
                : table;
    }

    // ---- usage
    // -----------------------------------------------------------------------------------------------------------------

    /** Device hours by group, and those of devices that no claim had. Costs are weights per class; 1 for the others. */
    public ResultTable usage(UsageGroup group, TimeWindow window, Map<String, Double> costs, AccessScope scope) {
        LogBounds bounds = bounds();
        return query(UsageSql.text(group, costs, scope), begin(bounds, window), end(bounds, window))
                .withNote("from %s to %s; an hour of a share counts by its part in WEIGHTED HOURS"
                        .formatted(instant(begin(bounds, window)), instant(end(bounds, window))));
    }

    /**
     * Device hours by group in equal steps of a window, and those of devices that no claim had. {@code MEASURED HOURS} are the part with
     * telemetry. A begin before the log stands for the begin of the log.
     *
     * @param steps 1 to 500
     */
    public ResultTable usageSeries(
            UsageGroup group, TimeWindow window, int steps, Map<String, Double> costs, AccessScope scope) {
        if (steps < 1 || steps > STEPS_MAX) {
            throw new HistoryException(
                    HistoryProblem.INVALID_QUESTION, "steps=%d: use 1 to %d".formatted(steps, STEPS_MAX));
        }
        LogBounds bounds = bounds();
        long begin = window.since()
                .map(time -> Math.max(micros(time), bounds.first()))
                .orElse(bounds.first());
        long end = Math.max(begin, window.until().map(HistoryReader::micros).orElse(bounds.last()));
        return query(UsageSeriesSql.text(group, costs, scope), begin, end, (long) steps)
                .withNote("from %s to %s".formatted(instant(begin), instant(end)));
    }

    // ---- blast radius
    // ----------------------------------------------------------------------------------------------------------

    /** The claims and pods that hold devices of a device or node; with a time, all that have held one since. */
    public ResultTable blastRadius(String target, Optional<Instant> since, AccessScope scope) {
        LogBounds bounds = bounds();
        long begin = since.map(time -> checked(bounds, "--since", time)).orElse(bounds.last());
        boolean isNode = isKnown(HistoryKind.NODE, target, scope);
        if (!isNode) {
            requireDevice("device or node", target, scope);
        }
        ResultTable found = query(
                """
                SELECT namespace, namespace || '/' || claim AS "CLAIM", any_value(pods) AS "PODS",
                string_agg(DISTINCT %s, ',' ORDER BY %s) AS "DEVICES", min(allocated) AS "FROM",
                CASE WHEN bool_or(released IS NULL) THEN NULL ELSE max(released) END AS "TO"
                FROM intervals WHERE %s AND %s AND (released IS NULL OR %s)
                GROUP BY namespace, claim, claim_uid ORDER BY namespace, claim, 5""".formatted(
                                DEVICE,
                                DEVICE,
                                (isNode ? HistoryKind.NODE : HistoryKind.DEVICE).condition(),
                                scope.deviceCondition(),
                                since.isPresent() ? "released > make_timestamp($2)" : "$2 < 0"),
                target,
                begin);
        ResultTable table = masked(found, scope);
        if (!scope.isAdministrator()) {
            return table.withNote("claims of other namespaces have no name");
        }
        long namespaces = found.rows().stream().map(List::getFirst).distinct().count();
        String what = (isNode ? "devices of node " : "device ") + target;
        return table.withNote("%d claims in %d namespaces %s"
                .formatted(
                        table.rows().size(),
                        namespaces,
                        since.map(time -> "have had %s since %s".formatted(what, time))
                                .orElse("have " + what)));
    }

    // ---- SQL and exports
    // -------------------------------------------------------------------------------------------------------

    /** The result of one SELECT statement. Other statements, and files and settings of the server, are rejected. */
    public ResultTable sql(String text, AccessScope scope) {
        requireAdministrator(scope);
        requireSelect(text);
        return new ReadQuery(database, timeMax, rowsMax).runText(text);
    }

    private static void requireAdministrator(AccessScope scope) {
        if (!scope.isAdministrator()) {
            throw new HistoryException(
                    HistoryProblem.FORBIDDEN,
                    "SQL and exports show every namespace and are for administrators only: ask one, or use who, history and usage");
        }
    }

    private void requireSelect(String text) {
        ResultTable parsed = query("SELECT json_serialize_sql(%s)".formatted(StoreDatabase.quoted(text)));
        JsonNode statement =
                json(parsed.rows().getFirst().getFirst().map(Object::toString).orElse("{}"));
        if (statement.path("error").asBoolean(true)) {
            throw new HistoryException(
                    HistoryProblem.INVALID_QUESTION,
                    "the query is not a SELECT statement: %s. Tables: intervals, pending, devices, device_overlaps, log_gaps, telemetry."
                            .formatted(statement.path("error_message").asText("it cannot be parsed")));
        }
        if (statement.path("statements").size() != 1) {
            throw new HistoryException(
                    HistoryProblem.INVALID_QUESTION, "one SELECT statement is permitted: leave out the others");
        }
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new HistoryException(HistoryProblem.INVALID_QUESTION, "the query cannot be parsed", e);
        }
    }

    /** The formats of an export. */
    public static final List<String> FORMATS = List.of("parquet", "csv", "json");

    /** Writes all intervals to a new file in the folder of exports; the caller deletes it. */
    public Path export(String format, AccessScope scope) {
        requireAdministrator(scope);
        if (!FORMATS.contains(format)) {
            throw new HistoryException(
                    HistoryProblem.INVALID_QUESTION,
                    "--format %s: use one of %s".formatted(format, String.join(", ", FORMATS)));
        }
        Path file = database.exports().resolve("export-%s.%s".formatted(UUID.randomUUID(), format));
        try (DuckDBConnection connection = database.duplicate();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "COPY (SELECT * FROM intervals ORDER BY allocated, claim_uid, driver, pool, device) TO %s (FORMAT %s)"
                            .formatted(StoreDatabase.quoted(file.toString()), format));
            return file;
        } catch (SQLException e) {
            delete(file, e);
            throw HistoryStore.failed("the export cannot be written", e);
        }
    }

    /** Deletes the part of an export that was written before a failure: it would keep a full disk full. */
    private static void delete(Path file, SQLException failure) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }
}
