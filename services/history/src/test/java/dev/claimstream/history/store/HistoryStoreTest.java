package dev.claimstream.history.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.history.AllocatedDevice;
import dev.claimstream.history.HistoryInput;
import dev.claimstream.history.HistoryObservation.OtherInput;
import dev.claimstream.history.LedgerFact;
import dev.claimstream.history.RandomHistory;
import dev.claimstream.history.RandomHistory.TrueInterval;
import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryStoreTest {
    private static final String TOPIC = "cells.in";

    @TempDir
    private Path folder;

    private StoreSettings onDisk() {
        return new StoreSettings(Optional.of(folder.resolve("history.db")), folder.resolve("exports"), "256MB", 2);
    }

    private HistoryStore inMemory(RandomHistory history) {
        HistoryStore store = HistoryStore.open(
                new StoreSettings(Optional.empty(), folder.resolve("exports"), "256MB", 2), RandomHistory.cells());
        history.inputs().forEach(store::apply);
        store.flush();
        return store;
    }

    private static Instant time(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2})
    void killsNeitherLoseNorDoubleIntervals(long seed) {
        RandomHistory history = RandomHistory.of(seed, 5, 1000);
        var random = new Random(seed);
        List<HistoryInput> inputs = history.inputs();
        HistoryStore store = HistoryStore.open(onDisk(), RandomHistory.cells());
        int next = 0;
        while (next < inputs.size()) {
            store.apply(inputs.get(next));
            next++;
            int chance = random.nextInt(200);
            if (chance < 2) {
                store.position(TOPIC, 0, next);
                store.flush();
            } else if (chance == 2) { // what a killed process has not flushed is gone
                store.close();
                store = HistoryStore.open(onDisk(), RandomHistory.cells());
                next = (int) store.position(TOPIC, 0).orElse(0);
            }
        }
        store.flush();
        List<TrueInterval> found = store
                .reader()
                .sql(
                        "SELECT driver || '/' || pool || '/' || device, claim, epoch_us(allocated), coalesce(epoch_us(released), 0) FROM intervals ORDER BY 1, 3, 4, 2",
                        AccessScope.ADMINISTRATOR)
                .rows()
                .stream()
                .map(row -> new TrueInterval(
                        (String) row.get(0).orElseThrow(),
                        (String) row.get(1).orElseThrow(),
                        (Long) row.get(2).orElseThrow(),
                        (Long) row.get(3).orElseThrow()))
                .toList();
        assertThat(found).as("seed %d", seed).isEqualTo(sorted(history));
        store.close();
    }

    private static List<TrueInterval> sorted(RandomHistory history) {
        return history.truth().stream().sorted(TrueInterval.ORDER).toList();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12})
    void answersAgreeWithTruthAtRandomTimes(long seed) {
        RandomHistory history = RandomHistory.of(seed, 4, 2000);
        var random = new Random(seed);
        long first = history.inputs().getFirst().atMicros();
        long last = history.inputs().getLast().atMicros();
        try (HistoryStore store = inMemory(history)) {
            HistoryReader reader = store.reader();
            for (int i = 0; i < 20; i++) {
                TrueInterval any =
                        history.truth().get(random.nextInt(history.truth().size()));
                long at = i % 3 == 0 ? any.from() : random.nextLong(first, last);
                ResultTable who = reader.who(any.device(), Optional.of(time(at)), AccessScope.ADMINISTRATOR);
                assertThat(who.rows().stream()
                                .map(row -> row.get(1).orElseThrow())
                                .toList())
                        .as("seed %d, device %s at %s", seed, any.device(), time(at))
                        .isEqualTo(history.truth().stream()
                                .filter(each -> each.device().equals(any.device()))
                                .filter(each -> each.from() <= at && (each.to() == 0 || each.to() > at))
                                .map(each -> "team/" + each.claim())
                                .toList());
                ResultTable claim = reader.history(
                        HistoryKind.CLAIM, "team/" + any.claim(), TimeWindow.ALL, AccessScope.ADMINISTRATOR);
                assertThat(claim.rows().stream()
                                .filter(row -> row.get(2).equals(Optional.of("allocated")))
                                .count())
                        .isEqualTo(history.truth().stream()
                                .filter(each -> each.claim().equals(any.claim()))
                                .count());
            }
            double hours = history.truth().stream()
                    .mapToDouble(each -> ((each.to() == 0 ? last : each.to()) - each.from()) / 3.6e9)
                    .sum();
            ResultTable usage = reader.usage(
                    UsageGroup.of("namespace"), TimeWindow.ALL, Map.of("gpu", 2.5), AccessScope.ADMINISTRATOR);
            assertThat((Double) usage.rows().getFirst().get(2).orElseThrow()).isCloseTo(hours, within(0.001));
            assertThat((Double) usage.rows().getFirst().get(5).orElseThrow()).isCloseTo(2.5 * hours, within(0.002));
            double published = 16 * (last - first) / 3.6e9;
            assertThat((Double) usage.rows().getLast().get(6).orElseThrow()).isCloseTo(published - hours, within(0.05));
        }
    }

    @Test
    void countsUtilizationOfHoursInWhichClaimHasDevice() {
        long hour = 3_600_000_000L;
        long begin = 491_000 * hour;
        var gpu = new DeviceId("gpu.example.com", "node-1", "gpu-0");
        var allocation = new LedgerFact.AllocationFact(
                "uid-a", 1, "team", "a", "node-1", "", List.of(AllocatedDevice.whole(gpu, "gpus")), List.of());
        try (HistoryStore store =
                HistoryStore.open(new StoreSettings(Optional.empty(), folder.resolve("exports"), "256MB", 1), 1)) {
            store.apply(new HistoryInput(0, begin, new OtherInput(), List.of(allocation)));
            store.apply(new HistoryInput(
                    0, begin + 2 * hour, new OtherInput(), List.of(new LedgerFact.ReleaseFact("uid-a", 1))));
            store.add(new UtilizationHour("gpu.example.com", "node-1", "gpu-0", begin, 0, 0)
                    .with(20)
                    .with(80));
            store.flush();
            ResultTable usage =
                    store.reader().usage(UsageGroup.of("node"), TimeWindow.ALL, Map.of(), AccessScope.ADMINISTRATOR);
            assertThat(usage.rows().getFirst().subList(2, 5))
                    .containsExactly(Optional.of(2.0), Optional.of(2.0), Optional.of(0.5));
        }
    }

    @Test
    void hidesNamesOfForeignNamespaces() {
        RandomHistory history = RandomHistory.of(5, 2, 300);
        TrueInterval interval = history.truth().getLast();
        try (HistoryStore store = inMemory(history)) {
            var scope = new AccessScope(false, true, Set.of("other"));
            ResultTable who = store.reader().who(interval.device(), Optional.of(time(interval.from())), scope);
            assertThat(who.rows().getFirst().subList(1, 3))
                    .containsExactly(Optional.of(AccessScope.ELSEWHERE), Optional.of(AccessScope.ELSEWHERE));
            assertThat(store.reader()
                            .usage(UsageGroup.of("namespace"), TimeWindow.ALL, Map.of(), scope)
                            .rows())
                    .isEmpty();
            assertProblem(HistoryProblem.FORBIDDEN, () -> store.reader().sql("SELECT 1", scope));
            assertProblem(HistoryProblem.FORBIDDEN, () -> store.reader().export("csv", scope));
        }
    }

    @Test
    void rejectsTimeBeforeLogAndUnknownDevice() {
        try (HistoryStore store = inMemory(RandomHistory.of(5, 2, 100))) {
            HistoryReader reader = store.reader();
            assertProblem(
                    HistoryProblem.BEFORE_LOG,
                    () -> reader.who("gpu-0", Optional.of(Instant.EPOCH), AccessScope.ADMINISTRATOR));
            assertProblem(
                    HistoryProblem.BEFORE_LOG,
                    () -> reader.who("gpu-0", Optional.of(Instant.MIN), AccessScope.ADMINISTRATOR));
            assertProblem(
                    HistoryProblem.INVALID_QUESTION,
                    () -> reader.who("gpu-0", Optional.of(Instant.MAX), AccessScope.ADMINISTRATOR));
            assertThatThrownBy(() -> reader.who("gpu-9", Optional.empty(), AccessScope.ADMINISTRATOR))
                    .hasMessage(
                            "no device gpu-9 is in the history: use driver/pool/device, pool/device or device, for example gpu.example.com/node-0/gpu-0");
        }
    }

    @Test
    void sqlReadsOnlyTheStore() throws Exception {
        try (HistoryStore store = inMemory(RandomHistory.of(5, 2, 100))) {
            HistoryReader reader = store.reader();
            for (String rejected : List.of(
                    "DROP TABLE ended_intervals",
                    "INSERT INTO device_overlaps VALUES (1)",
                    "SELECT 1; SELECT 2",
                    "SELECT 1; DROP TABLE device_overlaps",
                    "SET threads = 64",
                    "COPY intervals TO '/tmp/x.csv'",
                    "ATTACH '/tmp/other.db'",
                    "INSTALL httpfs",
                    "SELECT * FROM read_text('/etc/hostname')",
                    "SELECT * FROM '/etc/hostname'",
                    "SELECT * FROM read_csv('/etc/passwd')",
                    "SELECT * FROM glob('/etc/*')",
                    "SELECT * FROM query('SELECT * FROM read_text(''/etc/hostname'')')",
                    "SELECT * FROM read_blob('%s/exports/../../etc/hostname')".formatted(folder),
                    "PRAGMA database_list",
                    "CALL enable_logging()",
                    "LOAD httpfs",
                    "EXPORT DATABASE '/tmp/x'",
                    "CREATE TEMP TABLE x AS SELECT 1",
                    "SELEC 1")) {
                assertProblem(HistoryProblem.INVALID_QUESTION, () -> reader.sql(rejected, AccessScope.ADMINISTRATOR));
            }
            assertThat(reader.sql(
                                    "WITH x AS (SELECT count(*) AS n FROM intervals) SELECT n > 0 FROM x",
                                    AccessScope.ADMINISTRATOR)
                            .rows())
                    .containsExactly(List.of(Optional.of(true)));
        }
    }

    @Test
    void endlessAndLargeQueriesEndWithNamedErrors() {
        try (HistoryStore store = inMemory(RandomHistory.of(5, 2, 100))) {
            HistoryReader reader = store.reader().withLimits(HistoryReader.TIME_MAX, 1000);
            assertProblem(
                    HistoryProblem.QUERY_TIMEOUT,
                    () -> store.reader()
                            .withLimits(Duration.ofMillis(300), 1000)
                            .sql(
                                    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
                                    AccessScope.ADMINISTRATOR));
            assertProblem(
                    HistoryProblem.QUERY_TOO_LARGE,
                    () -> reader.sql("SELECT * FROM range(5000)", AccessScope.ADMINISTRATOR));
            assertProblem(
                    HistoryProblem.QUERY_TOO_LARGE,
                    () -> reader.sql("SELECT repeat('x', 10000000) FROM range(4)", AccessScope.ADMINISTRATOR));
            assertThat(reader.sql("SELECT 1", AccessScope.ADMINISTRATOR).rows()).hasSize(1);
        }
    }

    @Test
    void exportsParquetThatReadsBack() throws Exception {
        RandomHistory history = RandomHistory.of(5, 2, 300);
        try (HistoryStore store = inMemory(history)) {
            Path file = store.reader().export("parquet", AccessScope.ADMINISTRATOR);
            try (var connection = DriverManager.getConnection("jdbc:duckdb:");
                    var statement = connection.createStatement();
                    var rows = statement.executeQuery("SELECT count(*) FROM read_parquet('%s')".formatted(file))) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getLong(1)).isEqualTo(history.truth().size());
            }
            Files.delete(file);
        }
    }

    @Test
    void rejectsFileOfNewerRelease() throws Exception {
        HistoryStore.open(onDisk(), 1).close();
        try (var connection = DriverManager.getConnection("jdbc:duckdb:" + folder.resolve("history.db"));
                var statement = connection.createStatement()) {
            statement.execute("UPDATE store_facts SET value = '99' WHERE name = 'format'");
        }
        assertProblem(HistoryProblem.NEWER_FILE, () -> HistoryStore.open(onDisk(), 1));
    }

    @Test
    void namesOfEndedIntervalsAreErased() throws Exception {
        RandomHistory history = RandomHistory.of(5, 2, 600);
        long before = history.inputs().get(300).atMicros();
        try (HistoryStore store = HistoryStore.open(onDisk(), RandomHistory.cells())) {
            history.inputs().forEach(store::apply);
            store.flush();
            store.eraseNames(before);
            ResultTable rows = store.reader()
                    .sql(
                            "SELECT namespace, claim, pods, labels, device, claim_uid, epoch_us(coalesce(released, make_timestamp(%d))) FROM intervals"
                                    .formatted(before),
                            AccessScope.ADMINISTRATOR);
            assertThat(rows.rows()).hasSize(history.truth().size()).allSatisfy(row -> {
                boolean isErased = (Long) row.get(6).orElseThrow() < before;
                assertThat(row.get(0)).isEqualTo(Optional.of(isErased ? "(erased)" : "team"));
                assertThat(row.get(1).orElseThrow().toString()).startsWith(isErased ? "(erased)" : "claim-");
                assertThat(row.get(2)).isEqualTo(isErased ? Optional.of("") : row.get(2));
                assertThat(row.get(4).orElseThrow().toString()).startsWith("gpu-");
                assertThat(row.get(5).orElseThrow().toString()).startsWith("uid-");
            });
            assertThat(rows.rows()).anyMatch(row -> row.getFirst().equals(Optional.of("(erased)")));
            assertThat(store.reader()
                            .sql(
                                    "SELECT count(*) FROM pending WHERE namespace <> '(erased)' AND ended < make_timestamp(%d)"
                                            .formatted(before),
                                    AccessScope.ADMINISTRATOR)
                            .rows())
                    .containsExactly(List.of(Optional.of(0L)));
            store.eraseNames(before);
            store.apply(new HistoryInput(0, history.inputs().getLast().atMicros() + 1, new OtherInput(), List.of()));
            store.flush();
        }
    }

    @Test
    void marksErasedNamesOfFormatTwoAnew() throws Exception {
        RandomHistory history = RandomHistory.of(5, 2, 300);
        try (HistoryStore store = HistoryStore.open(onDisk(), RandomHistory.cells())) {
            history.inputs().forEach(store::apply);
            store.flush();
        }
        try (var connection = DriverManager.getConnection("jdbc:duckdb:" + folder.resolve("history.db"));
                var statement = connection.createStatement()) {
            statement.execute("DROP TABLE log_gaps");
            statement.execute("UPDATE store_facts SET value = '2' WHERE name = 'format'");
            statement.execute("UPDATE ended_intervals SET namespace = 'erased'");
            statement.execute(
                    "UPDATE ended_intervals SET claim = 'erased', pods = '', labels = '{}' WHERE device = 'gpu-0'");
        }
        try (HistoryStore store = HistoryStore.open(onDisk(), RandomHistory.cells())) {
            assertThat(store.reader().namespaces()).containsExactlyInAnyOrder("erased", "team");
            assertThat(store.reader()
                            .sql(
                                    "SELECT DISTINCT namespace, device = 'gpu-0' FROM ended_intervals ORDER BY ALL",
                                    AccessScope.ADMINISTRATOR)
                            .rows())
                    .containsExactly(
                            List.of(Optional.of("(erased)"), Optional.of(true)),
                            List.of(Optional.of("erased"), Optional.of(false)));
            store.eraseNames(history.inputs().getLast().atMicros() + 1);
            assertThat(store.reader().namespaces()).as("of open intervals").containsExactly("team");
        }
    }

    @Test
    void emptyStoreSaysThatNothingWasRead() {
        try (HistoryStore store = HistoryStore.open(onDisk(), 1)) {
            assertProblem(
                    HistoryProblem.BEFORE_LOG,
                    () -> store.reader().who("gpu-0", Optional.empty(), AccessScope.ADMINISTRATOR));
        }
    }

    private static void assertProblem(HistoryProblem problem, ThrowingCallable question) {
        assertThatThrownBy(question)
                .isInstanceOfSatisfying(
                        HistoryException.class,
                        e -> assertThat(e.problem()).as(e.getMessage()).isEqualTo(problem));
    }
}
