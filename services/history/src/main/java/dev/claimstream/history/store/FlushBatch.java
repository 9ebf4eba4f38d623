package dev.claimstream.history.store;

import dev.claimstream.history.DeviceOverlap;
import dev.claimstream.history.DevicePeriod;
import dev.claimstream.history.FoldChanges;
import dev.claimstream.history.FoldChanges.ChangedRow;
import dev.claimstream.history.FoldChanges.RowKind;
import dev.claimstream.history.Interval;
import dev.claimstream.history.PendingPeriod;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.duckdb.DuckDBConnection;

/**
 * What one transaction stores.
 *
 * @param positions offset from which a partition is read next, by topic, space and partition
 * @param events number of inputs and events that it contains
 */
record FlushBatch(
        FoldChanges changes,
        List<UtilizationHour> telemetry,
        List<LogGap> gaps,
        Map<String, Long> positions,
        InputTimes times,
        long events,
        int openIntervals) {
    /** Names of the facts that are the times of the first and the last input. */
    static final String FIRST = "first";

    static final String LAST = "last";

    /** Times of the first and the last input, in microseconds since 1970. */
    record InputTimes(long first, long last) {}

    /** Writes the rows in the transaction of a statement. */
    void write(DuckDBConnection connection, Statement statement) throws SQLException {
        try (var rows = new TableAppender(connection, StoreSchema.ENDED + StoreSchema.INTERVALS)) {
            for (Interval each : changes.intervals()) {
                rows.add(each, Optional.empty());
            }
        }
        try (var rows = new TableAppender(connection, StoreSchema.ENDED + StoreSchema.PENDING)) {
            for (PendingPeriod each : changes.pending()) {
                rows.add(each, Optional.empty());
            }
        }
        try (var rows = new TableAppender(connection, StoreSchema.ENDED + StoreSchema.DEVICES)) {
            for (DevicePeriod each : changes.devices()) {
                rows.add(each, Optional.empty());
            }
        }
        try (var rows = new TableAppender(connection, "device_overlaps")) {
            for (DeviceOverlap each : changes.overlaps()) {
                rows.add(each);
            }
        }
        try (var rows = new TableAppender(connection, "telemetry")) {
            for (UtilizationHour each : telemetry) {
                rows.add(each);
            }
        }
        writeGaps(connection, statement, gaps);
        writeState(connection, statement, changes.rows());
        writePositions(connection, statement);
    }

    /** A gap that was found before it was passed is found again, perhaps longer. */
    private static void writeGaps(DuckDBConnection connection, Statement statement, List<LogGap> gaps)
            throws SQLException {
        for (LogGap each : gaps) {
            statement.execute("DELETE FROM %s WHERE topic = %s AND partition_number = %d AND first_offset = %d"
                    .formatted(StoreSchema.GAPS, StoreDatabase.quoted(each.topic()), each.partition(), each.first()));
            try (var rows = new TableAppender(connection, StoreSchema.GAPS)) {
                rows.add(each, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
            }
        }
    }

    /** Replaces the changed rows of the state, and the open periods among them. */
    private static void writeState(DuckDBConnection connection, Statement statement, List<ChangedRow> changed)
            throws SQLException {
        try (var keys = new TableAppender(connection, "changed_state")) {
            for (ChangedRow each : changed) {
                if (each.isStored()) {
                    keys.texts(each.kind().name(), each.key());
                }
            }
        }
        statement.execute(
                "DELETE FROM fold_state USING changed_state c WHERE fold_state.kind = c.kind AND fold_state.key = c.key");
        for (var table : Map.of(
                        StoreSchema.INTERVALS, RowKind.INTERVAL,
                        StoreSchema.PENDING, RowKind.PENDING,
                        StoreSchema.DEVICES, RowKind.DEVICE)
                .entrySet()) {
            statement.execute(
                    "DELETE FROM open_%1$s USING changed_state c WHERE c.kind = '%2$s' AND open_%1$s.id = c.key"
                            .formatted(table.getKey(), table.getValue()));
        }
        statement.execute("DELETE FROM changed_state");
        try (var rows = new TableAppender(connection, "fold_state");
                var intervals = new TableAppender(connection, StoreSchema.OPEN + StoreSchema.INTERVALS);
                var pending = new TableAppender(connection, StoreSchema.OPEN + StoreSchema.PENDING);
                var devices = new TableAppender(connection, StoreSchema.OPEN + StoreSchema.DEVICES)) {
            for (ChangedRow each : changed) {
                if (each.value().isEmpty()) {
                    continue;
                }
                Object value = each.value().get();
                rows.texts(each.kind().name(), each.key(), RowCodec.text(value));
                switch (value) {
                    case Interval interval -> intervals.add(interval, Optional.of(each.key()));
                    case PendingPeriod period -> pending.add(period, Optional.of(each.key()));
                    case DevicePeriod device -> devices.add(device, Optional.of(each.key()));
                    default -> {} // no period
                }
            }
        }
    }

    private void writePositions(DuckDBConnection connection, Statement statement) throws SQLException {
        statement.execute("DELETE FROM positions");
        try (var rows = new TableAppender(connection, "positions")) {
            for (var each : positions.entrySet()) {
                int space = each.getKey().lastIndexOf(' ');
                rows.addPosition(
                        each.getKey().substring(0, space),
                        Integer.parseInt(each.getKey().substring(space + 1)),
                        each.getValue());
            }
        }
        statement.execute("DELETE FROM store_facts WHERE name IN ('%s', '%s')".formatted(FIRST, LAST));
        try (var rows = new TableAppender(connection, "store_facts")) {
            rows.texts(FIRST, Long.toString(times.first()));
            rows.texts(LAST, Long.toString(times.last()));
        }
    }
}
