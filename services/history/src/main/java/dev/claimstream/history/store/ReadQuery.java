package dev.claimstream.history.store;

import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.duckdb.DuckDBConnection;

/** One query in a read-only transaction, with a limit of time and rows. */
final class ReadQuery {
    private static final long CANCEL_AGAIN_MS = 200;

    /** Limit of the texts of an answer, which are in the heap. */
    private static final long CHARACTERS_MAX = 32L << 20;

    private final StoreDatabase database;
    private final Duration timeMax;
    private final int rowsMax;

    ReadQuery(StoreDatabase database, Duration timeMax, int rowsMax) {
        this.database = database;
        this.timeMax = timeMax;
        this.rowsMax = rowsMax;
    }

    /** Runs a query with positional parameters: {@code Long}, {@code Double} or {@code String}. */
    ResultTable run(String sql, List<Object> parameters) {
        return inTransaction(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.size(); i++) {
                    statement.setObject(i + 1, parameters.get(i));
                }
                return timed(statement, () -> table(statement.executeQuery()));
            }
        });
    }

    /** Runs the text of a user. It is one SELECT statement; the caller checks that. */
    ResultTable runText(String sql) {
        return inTransaction(connection -> {
            try (Statement statement = connection.createStatement()) {
                return timed(statement, () -> table(statement.executeQuery(sql)));
            }
        });
    }

    private interface QueryWork<T> {
        T run(DuckDBConnection connection) throws SQLException;
    }

    private interface TimedWork<T> {
        T run() throws SQLException;
    }

    private <T> T inTransaction(QueryWork<T> work) {
        try (DuckDBConnection connection = database.duplicate();
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN TRANSACTION READ ONLY");
            return work.run(connection);
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    private <T> T timed(Statement statement, TimedWork<T> work) throws SQLException {
        var done = new CountDownLatch(1);
        Thread watchdog = Thread.ofPlatform()
                .daemon()
                .name("history-query-timeout")
                .start(() -> {
                    try {
                        long wait = timeMax.toMillis();
                        while (!done.await(wait, TimeUnit.MILLISECONDS)) {
                            statement.cancel(); // an interrupt before the execution begins has no effect
                            wait = CANCEL_AGAIN_MS;
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } catch (SQLException e) {
                        // the statement has ended by itself
                    }
                });
        try {
            return work.run();
        } finally {
            done.countDown();
            join(watchdog);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private HistoryException failed(SQLException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("INTERRUPT") || message.contains("Interrupted")) {
            return new HistoryException(
                    HistoryProblem.QUERY_TIMEOUT,
                    "the query was ended after %d s: narrow it with --since, a condition or a limit"
                            .formatted(timeMax.toSeconds()),
                    e);
        }
        if (message.contains("database has been invalidated") || HistoryStore.isDiskFull(message)) {
            return new HistoryException(
                    HistoryStore.isDiskFull(message) ? HistoryProblem.DISK_FULL : HistoryProblem.STORE_FAILED,
                    "the history could not be written and is opened again: retry in a few seconds; its health has the cause",
                    e);
        }
        if (message.contains("Out of Memory") || message.contains("max_temp_directory_size")) {
            return new HistoryException(
                    HistoryProblem.QUERY_TOO_LARGE,
                    "the query needs more memory than it may have: narrow it with a condition, or raise claimstream.history.memory",
                    e);
        }
        return new HistoryException(
                HistoryProblem.INVALID_QUESTION, "the query failed: %s".formatted(message.strip()), e);
    }

    private ResultTable table(ResultSet rows) throws SQLException {
        ResultSetMetaData meta = rows.getMetaData();
        List<String> columns = new ArrayList<>();
        for (int i = 1; i <= meta.getColumnCount(); i++) {
            columns.add(meta.getColumnLabel(i));
        }
        List<List<Optional<Object>>> all = new ArrayList<>();
        long characters = 0;
        while (rows.next()) {
            if (all.size() == rowsMax) {
                throw new HistoryException(
                        HistoryProblem.QUERY_TOO_LARGE,
                        "the answer has more than %d rows: narrow it with --since, a condition or a limit, or use claimstream audit export"
                                .formatted(rowsMax));
            }
            List<Optional<Object>> row = new ArrayList<>();
            for (int i = 1; i <= columns.size(); i++) {
                Optional<Object> cell = cell(rows, i, meta.getColumnType(i));
                characters += cell.map(value -> value instanceof String text ? text.length() : 0)
                        .orElse(0);
                row.add(cell);
            }
            if (characters > CHARACTERS_MAX) {
                throw new HistoryException(
                        HistoryProblem.QUERY_TOO_LARGE,
                        "the answer has more than %d million characters: narrow it with a condition or a limit"
                                .formatted(CHARACTERS_MAX / 1_000_000));
            }
            all.add(row);
        }
        return new ResultTable(columns, all, List.of());
    }

    private static Optional<Object> cell(ResultSet rows, int column, int type) throws SQLException {
        Object value = rows.getObject(column);
        if (value == null) {
            return Optional.empty();
        }
        return Optional.of(
                switch (type) {
                    case Types.TIMESTAMP -> instant(rows.getObject(column, LocalDateTime.class));
                    case Types.BOOLEAN -> rows.getBoolean(column);
                    case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> rows.getLong(column);
                    case Types.FLOAT, Types.REAL, Types.DOUBLE, Types.DECIMAL, Types.NUMERIC -> rows.getDouble(column);
                    default -> value.toString();
                });
    }

    private static Instant instant(LocalDateTime time) {
        return time.toInstant(ZoneOffset.UTC);
    }
}
