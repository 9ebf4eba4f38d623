package dev.claimstream.history.store;

import dev.claimstream.history.HistoryFold;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
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

    private final StoreDatabase database;
    private final HistoryFold fold;
    private final Map<String, Long> positions = new TreeMap<>();
    private final List<UtilizationHour> telemetry = new ArrayList<>();
    private final List<LogGap> gaps = new ArrayList<>();
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
                        case FlushBatch.FIRST -> firstMicros = Long.parseLong(rows.getString(2));
                        case FlushBatch.LAST -> lastMicros = Long.parseLong(rows.getString(2));
                        default -> {} // checked when it was opened
                    }
                }
            }
            figures = new StoreFigures(
                    0,
                    fold.openIntervals(),
                    count(statement, StoreSchema.ENDED + StoreSchema.INTERVALS),
                    count(statement, "device_overlaps"),
                    0,
                    count(statement, StoreSchema.GAPS));
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

    /** Adds a gap of the log. It is stored by the next flush. */
    public void add(LogGap gap) {
        gaps.add(gap);
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
                List.copyOf(gaps),
                Map.copyOf(positions),
                new FlushBatch.InputTimes(firstMicros, lastMicros),
                unflushed,
                fold.openIntervals());
        telemetry.clear();
        gaps.clear();
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

    private void write(FlushBatch batch) {
        var allGaps = new AtomicLong(figures.gaps());
        database.run("the history cannot be written", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("BEGIN TRANSACTION");
                try {
                    batch.write(connection, statement);
                    allGaps.setPlain(count(statement, StoreSchema.GAPS));
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
                batch.changes().overlaps().size(),
                allGaps.getPlain());
    }

    private static void rollBack(DuckDBConnection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("ROLLBACK");
        } catch (SQLException e) {
            // the failure that led here is reported; without a transaction there is nothing to roll back
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
        String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        if (isDiskFull(reason)) {
            return new HistoryException(
                    HistoryProblem.DISK_FULL,
                    "%s: the disk is full. Free space; the history continues where it stopped.".formatted(what),
                    e);
        }
        return new HistoryException(
                HistoryProblem.STORE_FAILED,
                "%s: %s. Check the folder and its permissions; if the file is damaged, delete it, and it is built again from the log."
                        .formatted(what, reason),
                e);
    }
}
