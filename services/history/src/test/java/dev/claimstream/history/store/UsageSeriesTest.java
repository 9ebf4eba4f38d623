package dev.claimstream.history.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.history.AllocatedDevice;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation.Origin;
import dev.claimstream.history.HistoryObservation.OtherInput;
import dev.claimstream.history.HistoryObservation.SliceDevice;
import dev.claimstream.history.HistoryObservation.SliceState;
import dev.claimstream.history.LedgerFact;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests usage over time: claim a holds gpu-0 of two devices in the second of four hours, half of it used. */
class UsageSeriesTest {
    private static final long HOUR = 3_600_000_000L;
    private static final long BEGIN = 491_000 * HOUR;
    private static final String DRIVER = "gpu.example.com";

    @TempDir
    private Path folder;

    private StoreSettings settings(Optional<Path> file) {
        return new StoreSettings(file, folder.resolve("exports"), "256MB", 1);
    }

    private HistoryStore store(Optional<Path> file) {
        HistoryStore store = HistoryStore.open(settings(file), 1);
        var device = AllocatedDevice.whole(new DeviceId(DRIVER, "node-1", "gpu-0"), "gpus");
        store.apply(new HistoryInput(
                0,
                BEGIN,
                new SliceState(
                        new Origin("watcher", 1, 1),
                        "slice-1",
                        DRIVER,
                        "node-1",
                        "node-1",
                        List.of(
                                new SliceDevice("gpu-0", false, Map.of(), "H100"),
                                new SliceDevice("gpu-1", false, Map.of(), ""))),
                List.of()));
        store.apply(new HistoryInput(
                0,
                BEGIN + HOUR,
                new OtherInput(),
                List.of(new LedgerFact.AllocationFact(
                        "uid-a", 1, "team", "a", "node-1", "", List.of(device), List.of()))));
        store.apply(new HistoryInput(
                0, BEGIN + 2 * HOUR, new OtherInput(), List.of(new LedgerFact.ReleaseFact("uid-a", 1))));
        store.apply(new HistoryInput(0, BEGIN + 4 * HOUR, new OtherInput(), List.of()));
        store.add(new UtilizationHour(DRIVER, "node-1", "gpu-0", BEGIN + HOUR, 0, 0)
                .with(20)
                .with(80));
        store.flush();
        return store;
    }

    private static List<String> rows(HistoryStore store, String by, TimeWindow window) {
        return store
                .reader()
                .usageSeries(UsageGroup.of(by), window, 4, Map.of("", 3.0), AccessScope.ADMINISTRATOR)
                .rows()
                .stream()
                .map(row -> "%s %s held=%s measured=%s used=%s cost=%s idle=%s"
                        .formatted(
                                row.get(0).orElseThrow(),
                                row.get(2).orElseThrow(),
                                row.get(4).orElse("-"),
                                row.get(5).orElse("-"),
                                row.get(6).orElse("-"),
                                row.get(7).orElse("-"),
                                row.get(8).orElse("-")))
                .toList();
    }

    private static String at(int hour) {
        return Instant.ofEpochSecond((BEGIN + hour * HOUR) / 1_000_000).toString();
    }

    @Test
    void dividesUsageIntoSteps() {
        try (HistoryStore store = store(Optional.empty())) {
            assertThat(rows(store, "namespace", TimeWindow.ALL))
                    .containsExactly(
                            at(0) + " (idle devices) held=- measured=- used=- cost=- idle=2.0",
                            at(1) + " team held=1.0 measured=1.0 used=0.5 cost=3.0 idle=-",
                            at(1) + " (idle devices) held=- measured=- used=- cost=- idle=1.0",
                            at(2) + " (idle devices) held=- measured=- used=- cost=- idle=2.0",
                            at(3) + " (idle devices) held=- measured=- used=- cost=- idle=2.0");
        }
    }

    @Test
    void groupsByProductAndElseByDriver() {
        try (HistoryStore store = store(Optional.empty())) {
            assertThat(rows(store, "product", TimeWindow.since(Optional.of(Instant.EPOCH))))
                    .startsWith(
                            at(0) + " H100 held=- measured=- used=- cost=- idle=1.0",
                            at(0) + " gpu.example.com held=- measured=- used=- cost=- idle=1.0",
                            at(1) + " H100 held=1.0 measured=1.0 used=0.5 cost=3.0 idle=-",
                            at(1) + " gpu.example.com held=- measured=- used=- cost=- idle=1.0")
                    .hasSize(8);
        }
    }

    @Test
    void rejectsTooManySteps() {
        try (HistoryStore store = store(Optional.empty())) {
            assertThatThrownBy(() -> store.reader()
                            .usageSeries(
                                    UsageGroup.of("class"), TimeWindow.ALL, 501, Map.of(), AccessScope.ADMINISTRATOR))
                    .hasMessage("steps=501: use 1 to 500");
        }
    }

    @Test
    void upgradesFileOfEarlierFormat() throws SQLException {
        Path file = folder.resolve("history.db");
        store(Optional.of(file)).close();
        try (var connection = DriverManager.getConnection("jdbc:duckdb:" + file);
                var statement = connection.createStatement()) {
            for (String each : List.of(
                    "DROP TABLE log_gaps",
                    "DROP VIEW devices",
                    "ALTER TABLE ended_devices DROP COLUMN product",
                    "ALTER TABLE open_devices DROP COLUMN product",
                    "CREATE VIEW devices AS SELECT * FROM ended_devices UNION ALL SELECT * EXCLUDE (id) FROM open_devices",
                    "UPDATE fold_state SET value = json_merge_patch(value, '{\"product\":null}') WHERE kind = 'DEVICE'",
                    "UPDATE store_facts SET value = '1' WHERE name = 'format'")) {
                statement.execute(each);
            }
        }
        try (HistoryStore store = HistoryStore.open(settings(Optional.of(file)), 1)) {
            store.apply(new HistoryInput(
                    0,
                    BEGIN + 4 * HOUR,
                    new SliceState(
                            new Origin("watcher", 1, 2),
                            "slice-1",
                            DRIVER,
                            "node-1",
                            "node-1",
                            List.of(new SliceDevice("gpu-0", false, Map.of(), "H200"))),
                    List.of()));
            store.flush();
            assertThat(rows(store, "product", TimeWindow.ALL))
                    .contains(at(1) + " H200 held=1.0 measured=1.0 used=0.5 cost=3.0 idle=-");
        }
    }
}
