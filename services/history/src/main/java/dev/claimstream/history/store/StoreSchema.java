package dev.claimstream.history.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The tables of the store.
 *
 * <p>Of each kind of period there is a table of those that have ended, a table of the others, and a view of both. Times are UTC.
 */
final class StoreSchema {
    /** Number of the format. A file with a higher number is of a newer release. */
    static final int FORMAT = 4;

    /** What stands for an erased name. No namespace can have this name. */
    static final String ERASED = "(erased)";

    /** What stood for an erased name up to format 2. It is a valid name of a namespace. */
    private static final String ERASED_BEFORE = "erased";

    static final String GAPS = "log_gaps";
    static final String INTERVALS = "intervals";
    static final String PENDING = "pending";
    static final String DEVICES = "devices";
    static final String ENDED = "ended_";
    static final String OPEN = "open_";

    private static final String INTERVAL_COLUMNS = """
            (driver VARCHAR, pool VARCHAR, device VARCHAR, share VARCHAR, admin_access BOOLEAN, consumed VARCHAR, weight DOUBLE,
            claim_uid VARCHAR, namespace VARCHAR, claim VARCHAR, request VARCHAR, class VARCHAR, node VARCHAR, pods VARCHAR,
            labels VARCHAR, allocator VARCHAR, cell INTEGER, decision BIGINT,
            allocated TIMESTAMP, committed TIMESTAMP, released TIMESTAMP, cause VARCHAR)""";
    private static final String PENDING_COLUMNS = """
            (claim_uid VARCHAR, namespace VARCHAR, claim VARCHAR, pod VARCHAR, class VARCHAR, reason VARCHAR, message VARCHAR,
            began TIMESTAMP, ended TIMESTAMP, cause VARCHAR)""";
    private static final String DEVICE_COLUMNS = """
            (driver VARCHAR, pool VARCHAR, device VARCHAR, node VARCHAR, shareable BOOLEAN, capacity VARCHAR,
            published TIMESTAMP, withdrawn TIMESTAMP)""";

    private static final String DEVICE_VIEW =
            "CREATE OR REPLACE VIEW devices AS SELECT * FROM ended_devices UNION ALL SELECT * EXCLUDE (id) FROM open_devices";

    private static final String LOG_GAPS = "CREATE TABLE " + GAPS
            + " (topic VARCHAR, partition_number INTEGER, first_offset BIGINT, last_offset BIGINT, found TIMESTAMP)";

    private static final List<String> TO_SECOND = List.of(
            "ALTER TABLE ended_devices ADD COLUMN product VARCHAR DEFAULT ''",
            "ALTER TABLE open_devices ADD COLUMN product VARCHAR DEFAULT ''",
            DEVICE_VIEW,
            "UPDATE fold_state SET value = json_merge_patch(value, '{\"product\":\"\"}') WHERE kind = 'DEVICE'",
            "UPDATE fold_state SET value = json_merge_patch(value, '{\"source\":\"\",\"epoch\":-1}') WHERE kind = 'POD'");

    private StoreSchema() {}

    /** Statements that erase names in what ended before a time, in microseconds since 1970. */
    static List<String> erasures(long before) {
        return List.of(
                erasure(
                        "ended_intervals",
                        "namespace = '%1$s', claim = '%1$s', pods = '', labels = '{}'",
                        "released",
                        before),
                erasure("ended_pending", "namespace = '%1$s', claim = '%1$s', pod = '', message = ''", "ended", before),
                "UPDATE device_overlaps SET claim = '%1$s', other = '%1$s' WHERE began < make_timestamp(%2$d) AND claim <> '%1$s'"
                        .formatted(ERASED, before));
    }

    private static String erasure(String table, String changes, String end, long before) {
        return "UPDATE %s SET %s WHERE %s < make_timestamp(%d) AND namespace <> '%s'"
                .formatted(table, changes.formatted(ERASED), end, before, ERASED);
    }

    /** The statements that bring a file of an earlier format to the present one. */
    static List<String> upgrade(int format) {
        if (format >= FORMAT) {
            return List.of();
        }
        List<String> statements = new ArrayList<>(format >= 2 ? List.of() : TO_SECOND);
        if (format < 3) {
            statements.addAll(toThird());
        }
        // format 4 has rows of another kind in fold_state: they come with the next list of the slices
        statements.add("UPDATE store_facts SET value = '%d' WHERE name = 'format'".formatted(FORMAT));
        return statements;
    }

    /**
     * Gaps of the log have a table, and erased names another mark. An erased interval has neither pods nor labels. So an interval of a
     * claim erased/erased that has neither is taken for an erased one.
     */
    private static List<String> toThird() {
        return List.of(
                LOG_GAPS,
                "UPDATE ended_intervals SET namespace = '%1$s', claim = '%1$s' WHERE namespace = '%2$s' AND claim = '%2$s' AND pods = '' AND labels = '{}'"
                        .formatted(ERASED, ERASED_BEFORE),
                "UPDATE ended_pending SET namespace = '%1$s', claim = '%1$s' WHERE namespace = '%2$s' AND claim = '%2$s' AND pod = '' AND message = ''"
                        .formatted(ERASED, ERASED_BEFORE),
                "UPDATE device_overlaps SET claim = '%1$s', other = '%1$s' WHERE claim = '%2$s' AND other = '%2$s'"
                        .formatted(ERASED, ERASED_BEFORE));
    }

    static List<String> statements() {
        return List.of(
                "CREATE TABLE store_facts (name VARCHAR, value VARCHAR)",
                "CREATE TABLE positions (topic VARCHAR, partition_number INTEGER, next BIGINT)",
                "CREATE TABLE fold_state (kind VARCHAR, key VARCHAR, value VARCHAR)",
                "CREATE TABLE changed_state (kind VARCHAR, key VARCHAR)",
                "CREATE TABLE ended_intervals " + INTERVAL_COLUMNS,
                "CREATE TABLE open_intervals " + INTERVAL_COLUMNS,
                "ALTER TABLE open_intervals ADD COLUMN id VARCHAR",
                "CREATE VIEW intervals AS SELECT * FROM ended_intervals UNION ALL SELECT * EXCLUDE (id) FROM open_intervals",
                "CREATE TABLE ended_pending " + PENDING_COLUMNS,
                "CREATE TABLE open_pending " + PENDING_COLUMNS,
                "ALTER TABLE open_pending ADD COLUMN id VARCHAR",
                "CREATE VIEW pending AS SELECT * FROM ended_pending UNION ALL SELECT * EXCLUDE (id) FROM open_pending",
                "CREATE TABLE ended_devices " + DEVICE_COLUMNS,
                "CREATE TABLE open_devices " + DEVICE_COLUMNS,
                "ALTER TABLE open_devices ADD COLUMN id VARCHAR",
                "ALTER TABLE ended_devices ADD COLUMN product VARCHAR",
                "ALTER TABLE open_devices ADD COLUMN product VARCHAR",
                DEVICE_VIEW,
                LOG_GAPS,
                """
                CREATE TABLE device_overlaps
                (driver VARCHAR, pool VARCHAR, device VARCHAR, claim VARCHAR, other VARCHAR, began TIMESTAMP, why VARCHAR)""",
                """
                CREATE TABLE telemetry
                (driver VARCHAR, pool VARCHAR, device VARCHAR, hour TIMESTAMP, samples BIGINT, utilization_sum DOUBLE)""",
                "INSERT INTO store_facts VALUES ('format', '%d')".formatted(FORMAT));
    }
}
