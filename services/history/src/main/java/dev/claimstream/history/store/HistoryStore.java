package dev.claimstream.history.store;

import dev.claimstream.history.DeviceOverlap;
import dev.claimstream.history.DevicePeriod;
import dev.claimstream.history.FoldChanges;
import dev.claimstream.history.FoldChanges.ChangedRow;
import dev.claimstream.history.FoldChanges.RowKind;
import dev.claimstream.history.HistoryFold;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.Interval;
import dev.claimstream.history.PendingPeriod;
import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.duckdb.DuckDBConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The intervals in DuckDB, with the state of the fold and the positions in the log.
 *
 * <p>Rows, state and positions are written in one transaction, so a killed process neither loses nor doubles an interval. A failed
 * flush leaves the store unusable: open it again, and it continues where the last successful flush ended. One thread applies; each
 * {@link #reader} is for one other thread.
 */
public final class HistoryStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryStore.class);
    private static final String FIRST = "first";
    private static final String LAST = "last";

    private final StoreDatabase database;
    private final HistoryFold fold;
    private final Map<String, Long> positions = new TreeMap<>();
    private final List<UtilizationHour> telemetry = new ArrayList<>();
    private long firstMicros;
    private long lastMicros;
    private long unflushed;
    private volatile StoreFigures figures = StoreFigures.NONE;
    private final ExecutorService writing = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("history-writer").factory());
    private CompletableFuture<Void> flushing = CompletableFuture.completedFuture(null);

    private HistoryStore(StoreDatabase database, int cells) {
        this.database = database;
        fold = new HistoryFold(cells);
    }

    /**
     * Opens a store, and creates it if it does not exist.
     *
     * @param cells number of cells of the log
     * @throws HistoryException if the file cannot be opened, or is of a newer release
     */
    public static HistoryStore open(StoreSettings settings, int cells) {
        var store = new HistoryStore(StoreDatabase.open(settings), cells);
        try {
            store.database.run("the history cannot be read", store::load);
            return store;
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private void load(DuckDBConnection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SELECT kind, key, value FROM fold_state")) {
                while (rows.next()) {
                    fold.restore(rows.getString(2), RowCodec.row(rows.getString(1), rows.getString(3)));
                }
            }
            try (ResultSet rows = statement.executeQuery("SELECT topic, partition_number, next FROM positions")) {
                while (rows.next()) {
                    positions.put(key(rows.getString(1), rows.getInt(2)), rows.getLong(3));
                }
            }
            try (ResultSet rows = statement.executeQuery("SELECT name, value FROM store_facts")) {
                while (rows.next()) {
                    switch (rows.getString(1)) {
                        case FIRST -> firstMicros = Long.parseLong(rows.getString(2));
                        case LAST -> lastMicros = Long.parseLong(rows.getString(2));
                        default -> {} // checked when it was opened
                    }
                }
            }
            figures = new StoreFigures(
                    0,
                    fold.openIntervals(),
                    count(statement, StoreSchema.ENDED + StoreSchema.INTERVALS),
                    count(statement, "device_overlaps"),
                    0);
        }
    }

    private static long count(Statement statement, String table) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + table)) {
            return rows.next() ? rows.getLong(1) : 0;
        }
    }

    private static String key(String topic, int partition) {
        return topic + " " + partition;
    }

    /** The offset from which a partition is read; empty if nothing of it was stored. */
    public OptionalLong position(String topic, int partition) {
        Long position = positions.get(key(topic, partition));
        return position == null ? OptionalLong.empty() : OptionalLong.of(position);
    }

    /** Sets the offset from which a partition is read after the next flush. */
    public void position(String topic, int partition, long next) {
        positions.put(key(topic, partition), next);
    }

    /** Applies an input. It is stored by the next flush. */
    public void apply(HistoryInput input) {
        firstMicros = firstMicros == 0 ? input.atMicros() : Math.min(firstMicros, input.atMicros());
        lastMicros = Math.max(lastMicros, input.atMicros());
        fold.apply(input);
        unflushed += 1L + input.facts().size();
    }

    /** Adds a utilization. It is stored by the next flush. */
    public void add(UtilizationHour hour) {
        telemetry.add(hour);
    }

    /** Figures of the last flush. Safe for other threads. */
    public StoreFigures figures() {
        return figures;
    }

    /** A reader for one other thread, which sees what is flushed. */
    public HistoryReader reader() {
        return new HistoryReader(database);
    }

    /**
     * Stores everything since the last flush.
     *
     * @throws HistoryException if the disk is full or the file cannot be written; open the store again
     */
    public void flush() {
        flushBehind();
        awaitFlush();
    }

    /**
     * Stores everything since the last flush in a thread of its own, while the caller applies further inputs. It first waits for the
     * flush before.
     *
     * @throws HistoryException if the flush before has failed; open the store again
     */
    public void flushBehind() {
        awaitFlush();
        var batch = new FlushBatch(
                fold.drain(),
                List.copyOf(telemetry),
                Map.copyOf(positions),
                new InputTimes(firstMicros, lastMicros),
                unflushed,
                fold.openIntervals());
        telemetry.clear();
        unflushed = 0;
        flushing = CompletableFuture.runAsync(() -> write(batch), writing);
    }

    /**
     * Erases the names of pods, claims and namespaces, labels and messages in everything that ended before a time. Devices, nodes,
     * classes, UIDs and times stay.
     *
     * @param before in microseconds since 1970
     * @throws HistoryException if the file cannot be written; open the store again
     */
    public void eraseNames(long before) {
        awaitFlush();
        flushing = CompletableFuture.runAsync(
                () -> database.run("names cannot be erased in the history", connection -> {
                    try (Statement statement = connection.createStatement()) {
                        for (String each : StoreSchema.erasures(before)) {
                            statement.execute(each);
                        }
                        checkpoint(statement);
                    }
                }),
                writing);
        awaitFlush();
    }

    /** Removes former rows from the file. DuckDB does it later by itself if a question is answered at this time. */
    private static void checkpoint(Statement statement) {
        try {
            statement.execute("CHECKPOINT");
        } catch (SQLException e) {
            LOG.atDebug().setCause(e).log("no checkpoint now");
        }
    }

    private void awaitFlush() {
        try {
            flushing.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** Times of the first and the last input, in microseconds since 1970. */
    private record InputTimes(long first, long last) {}

    /** What one transaction stores. */
    private record FlushBatch(
            FoldChanges changes,
            List<UtilizationHour> telemetry,
            Map<String, Long> positions,
            InputTimes bounds,
            long events,
            int openIntervals) {}

    private void write(FlushBatch batch) {
        database.run("the history cannot be written", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("BEGIN TRANSACTION");
                try {
                    write(connection, statement, batch);
                    statement.execute("COMMIT");
                } catch (SQLException | RuntimeException e) {
                    rollBack(connection);
                    throw e;
                }
            }
        });
        figures = figures.after(
                batch.events(),
                batch.openIntervals(),
                batch.changes().intervals().size(),
                batch.changes().overlaps().size());
    }

    private static void rollBack(DuckDBConnection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            // the failure that led here is reported; without a transaction there is nothing to roll back
        }
    }

    private static void write(DuckDBConnection connection, Statement statement, FlushBatch batch) throws SQLException {
        FoldChanges changes = batch.changes();
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
            for (UtilizationHour each : batch.telemetry()) {
                rows.add(each);
            }
        }
        writeState(connection, statement, changes.rows());
        writePositions(connection, statement, batch);
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

    private static void writePositions(DuckDBConnection connection, Statement statement, FlushBatch batch)
            throws SQLException {
        statement.execute("DELETE FROM positions");
        try (var rows = new TableAppender(connection, "positions")) {
            for (var each : batch.positions().entrySet()) {
                int space = each.getKey().lastIndexOf(' ');
                rows.addPosition(
                        each.getKey().substring(0, space),
                        Integer.parseInt(each.getKey().substring(space + 1)),
                        each.getValue());
            }
        }
        statement.execute("DELETE FROM store_facts WHERE name IN ('%s', '%s')".formatted(FIRST, LAST));
        try (var rows = new TableAppender(connection, "store_facts")) {
            rows.texts(FIRST, Long.toString(batch.bounds().first()));
            rows.texts(LAST, Long.toString(batch.bounds().last()));
        }
    }

    /** Closes the database, with what was flushed. */
    @Override
    public void close() {
        writing.close();
        database.close();
    }

    static boolean isDiskFull(String message) {
        return message.contains("No space left") || message.contains("Disk quota") || message.contains("disk is full");
    }

    static HistoryException failed(String what, SQLException e) {
        String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        if (isDiskFull(why)) {
            return new HistoryException(
                    HistoryProblem.DISK_FULL,
                    "%s: the disk is full. Free space; the history continues where it stopped.".formatted(what),
                    e);
        }
        return new HistoryException(
                HistoryProblem.STORE_FAILED,
                "%s: %s. Check the folder and its permissions; if the file is damaged, delete it, and it is built again from the log."
                        .formatted(what, why),
                e);
    }
}
