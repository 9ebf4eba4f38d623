package dev.claimstream.history.store;

import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.duckdb.DuckDBConnection;

/**
 * A DuckDB database that reads and writes nothing else than its file and its folder of exports. Its configuration is locked, so that no
 * query changes it.
 */
final class StoreDatabase implements AutoCloseable {
    /** Size of the write-ahead log at which it is moved to the file. Each move writes the tables of what is open again. */
    private static final String CHECKPOINT_AT = "64MB";

    private final DuckDBConnection connection;
    private final Path exports;

    private StoreDatabase(DuckDBConnection connection, Path exports) {
        this.connection = connection;
        this.exports = exports;
    }

    /** Work on the database. */
    interface StoreAction {
        void run(DuckDBConnection connection) throws SQLException;
    }

    static StoreDatabase open(StoreSettings settings) {
        String location = settings.file().map(Path::toString).orElse(":memory:");
        String what = "the history in %s cannot be opened".formatted(location);
        var properties = new Properties();
        properties.setProperty("memory_limit", settings.memory());
        properties.setProperty("threads", Integer.toString(settings.threads()));
        properties.setProperty("autoinstall_known_extensions", "false");
        properties.setProperty("autoload_known_extensions", "false");
        properties.setProperty("preserve_insertion_order", "false");
        try {
            Optional<Path> folder = settings.file()
                    .flatMap(file -> Optional.ofNullable(file.toAbsolutePath().getParent()));
            if (folder.isPresent()) {
                Files.createDirectories(folder.get());
            }
            Path exports = settings.exports().toAbsolutePath().normalize();
            Files.createDirectories(exports);
            var connection = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + location, properties);
            var database = new StoreDatabase(connection, exports);
            try {
                database.prepare(location);
                return database;
            } catch (SQLException | RuntimeException e) {
                database.close();
                throw e;
            }
        } catch (IOException e) {
            throw new HistoryException(
                    HistoryProblem.STORE_FAILED, "%s: %s. Check the folder and its permissions.".formatted(what, e), e);
        } catch (SQLException e) {
            throw HistoryStore.failed(what, e);
        }
    }

    private void prepare(String location) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET temp_directory = %s"
                    .formatted(quoted(exports.resolve("spill").toString())));
            statement.execute("SET max_temp_directory_size = '1GB'");
            statement.execute("SET allowed_directories = [%s]".formatted(quoted(exports.toString())));
            statement.execute("SET checkpoint_threshold = '%s'".formatted(CHECKPOINT_AT));
            statement.execute("SET enable_external_access = false");
            statement.execute("SET lock_configuration = true");
            Optional<Integer> format = format(statement);
            if (format.filter(each -> each > StoreSchema.FORMAT).isPresent()) {
                throw new HistoryException(
                        HistoryProblem.NEWER_FILE,
                        "the history in %s has format %d, and this release reads up to %d: use the release that wrote it, or delete the file, and it is built again from the log"
                                .formatted(location, format.get(), StoreSchema.FORMAT));
            }
            List<String> changes = format.map(StoreSchema::upgrade).orElseGet(StoreSchema::statements);
            if (!changes.isEmpty()) {
                statement.execute("BEGIN TRANSACTION");
                for (String each : changes) {
                    statement.execute(each);
                }
                statement.execute("COMMIT");
            }
        }
    }

    static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static Optional<Integer> format(Statement statement) throws SQLException {
        try (ResultSet tables =
                statement.executeQuery("SELECT 1 FROM duckdb_tables() WHERE table_name = 'store_facts'")) {
            if (!tables.next()) {
                return Optional.empty();
            }
        }
        try (ResultSet rows = statement.executeQuery("SELECT value FROM store_facts WHERE name = 'format'")) {
            return rows.next() ? Optional.of(Integer.parseInt(rows.getString(1))) : Optional.empty();
        }
    }

    /** Folder in which exports are written. */
    Path exports() {
        return exports;
    }

    /** Runs work of the writer. */
    void run(String what, StoreAction action) {
        try {
            action.run(connection);
        } catch (SQLException e) {
            throw HistoryStore.failed(what, e);
        }
    }

    /** A connection of its own for a reader. */
    DuckDBConnection duplicate() throws SQLException {
        return connection.duplicate();
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw HistoryStore.failed("the history cannot be closed", e);
        }
    }
}
