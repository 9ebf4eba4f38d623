package dev.claimstream.history.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.history.store.AccessScope;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.StoreSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The history of an archive of release 1.0.0 with two cells, a router and telemetry, which is never written again. */
final class KeptArchiveFoldTest {
    private static final Path ARCHIVE =
            Path.of("..", "..", "platform", "audit").resolve("src/test/resources/archive-1.0.0-two-cells");
    private static final int CELLS = 2;
    private static final int TELEMETRY = 48;
    private static final long INTERVALS = 63;

    @TempDir
    private Path folder = Path.of("");

    private static long count(HistoryStore store, String table) {
        return Long.parseLong(store.reader()
                .sql("SELECT count(*) FROM " + table, AccessScope.ADMINISTRATOR)
                .rows()
                .getFirst()
                .getFirst()
                .orElseThrow()
                .toString());
    }

    @Test
    void foldsKeptArchive() {
        List<String> warnings = new ArrayList<>();
        try (var archived = new ArchiveLog(ARCHIVE);
                HistoryStore store =
                        HistoryStore.open(new StoreSettings(Optional.empty(), folder, "256MB", 1), CELLS)) {
            new ArchivedTelemetry(store, warnings::add).add(archived.store());
            new LogFold(archived, store, warnings::add).run(LogFold.end(archived));
            assertThat(warnings).isEmpty();
            assertThat(store.figures().overlaps()).isZero();
            assertThat(count(store, "log_gaps")).isZero();
            assertThat(count(store, "telemetry")).isEqualTo(TELEMETRY);
            assertThat(count(store, "intervals")).isEqualTo(INTERVALS);
            assertThat(count(store, "intervals WHERE released IS NULL")).isBetween(1L, INTERVALS - 1);
            assertThat(count(store, "pending")).isPositive();
            // a second fold of the same archive adds nothing
            new ArchivedTelemetry(store, warnings::add).add(archived.store());
            new LogFold(archived, store, warnings::add).run(LogFold.end(archived));
            assertThat(count(store, "telemetry")).isEqualTo(TELEMETRY);
        }
    }
}
