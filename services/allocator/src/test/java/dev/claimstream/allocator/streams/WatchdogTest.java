package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.errors.StreamsException;
import org.apache.kafka.streams.errors.TaskMigratedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reports of the watchdog on slow, failing and fatal inputs, by a simulated clock. */
final class WatchdogTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final MemoryAttemptLog attempts = new MemoryAttemptLog();
    private final Meters meters = new Meters();
    private Duration passed = Duration.ZERO;
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().factory());
    private final Watchdog watchdog = watchdog(attempts);

    private Watchdog watchdog(AttemptLog log) {
        return new Watchdog(log, meters, () -> START.plus(passed), () -> passed.toNanos(), scheduler, Runnable::run);
    }

    @AfterEach
    void stop() {
        scheduler.shutdownNow();
    }

    private void advanceSeconds(int count) {
        for (int i = 0; i < count; i++) {
            passed = passed.plusSeconds(1);
            watchdog.check();
        }
    }

    private InputTracker trackCell(long applied) {
        return watchdog.trackCell(0, applied, () -> Optional.of(ItemId.pod(new ObjectKey("team", "b"))));
    }

    @Test
    void reportsInputThatTakesMoreThanFiveSeconds() {
        var cell = trackCell(6);
        cell.begin(7, () -> "Pod team/a");
        advanceSeconds(5);
        assertThat(watchdog.condition().status()).isEqualTo(Health.HealthStatus.UP);
        advanceSeconds(1);
        assertThat(watchdog.condition())
                .isEqualTo(Health.Condition.degraded("cell 0 has worked for 6 s on offset 7 of cells.in (Pod team/a;"
                        + " evaluates pod team/b), attempt 1, since 2026-01-01T00:00:00Z"));
        assertThat(meters.text())
                .contains(
                        "claimstream_cell_input_seconds{cell=\"0\"} 6.0",
                        "claimstream_cell_input_attempts{cell=\"0\"} 1.0");
        cell.end(7);
        assertThat(watchdog.condition().status()).isEqualTo(Health.HealthStatus.UP);
        assertThat(meters.text()).contains("claimstream_cell_input_seconds{cell=\"0\"} 0.0");
    }

    @Test
    void isUpWhileInputsPass() {
        var cell = trackCell(-1);
        for (int offset = 0; offset < 20; offset++) {
            cell.begin(offset, () -> "tick");
            advanceSeconds(1);
            assertThat(watchdog.condition().status()).isEqualTo(Health.HealthStatus.UP);
            cell.end(offset);
        }
    }

    @Test
    void isUpAfterPauseOfProcess() {
        var cell = trackCell(6);
        cell.begin(7, () -> "tick");
        advanceSeconds(1);
        passed = passed.plusSeconds(60);
        watchdog.check();
        assertThat(watchdog.condition().status()).isEqualTo(Health.HealthStatus.UP);
    }

    @Test
    void forgetsCellOfAnotherProcess() {
        var cell = trackCell(6);
        cell.begin(7, () -> "tick");
        advanceSeconds(6);
        watchdog.untrack(cell);
        assertThat(watchdog.condition().status()).isEqualTo(Health.HealthStatus.UP);
        assertThat(meters.text()).doesNotContain("claimstream_cell_input_seconds{");
    }

    @Test
    void recordsFirstInputOnly() {
        var cell = trackCell(-1);
        IntStream.range(0, 1000).forEach(offset -> {
            cell.begin(offset, () -> "tick");
            cell.end(offset);
        });
        assertThat(attempts.records()).isEqualTo(1);
        assertThat(attempts.stored(KafkaAdmin.log(0))).map(InputAttempt::offset).contains(0L);
    }

    @Test
    void countsAttemptsUntilInputCommits() {
        for (int attempt = 1; attempt <= 4; attempt++) {
            var cell = trackCell(6);
            assertThat(isFailing()).isEqualTo(attempt > 2);
            cell.begin(7, () -> "tick");
            cell.end(7);
            cell.begin(8, () -> "Pod team/a");
            advanceSeconds(3);
            assertThat(attempts.stored(KafkaAdmin.log(0)))
                    .map(InputAttempt::count)
                    .contains(attempt);
        }
        assertThat(watchdog.condition().sentence()).contains("fails repeatedly at offset 8");
        assertThat(alarms()).isEqualTo(2);

        var cell = trackCell(8);
        assertThat(isFailing()).isFalse();
        cell.begin(9, () -> "tick");
        assertThat(attempts.stored(KafkaAdmin.log(0))).map(InputAttempt::count).contains(1);
    }

    @Test
    void endsAlarmOnceTransactionCannotTimeOut() {
        record(new InputAttempt(7, 2, START, "Pod team/a", ""));
        var cell = trackCell(6);
        cell.begin(7, () -> "Pod team/a");
        cell.end(7);
        advanceSeconds(5);
        assertThat(isFailing()).isTrue();
        advanceSeconds(2);
        assertThat(isFailing()).isFalse();
    }

    /** A process can die within a second, before the watchdog checks. */
    @Test
    void findsInputThatKillsItsProcess() {
        for (int attempt = 1; attempt <= 4; attempt++) {
            var cell = trackCell(6);
            for (int offset = 7; offset < 12; offset++) {
                int now = offset;
                cell.begin(offset, () -> "Pod team/" + now);
                cell.end(offset);
            }
            cell.begin(12, () -> "Pod team/fatal");
        }
        trackCell(6);
        watchdog.check();
        assertThat(watchdog.condition().sentence())
                .contains("fails repeatedly at offset 12 of cells.in (Pod team/fatal), attempt 4");
    }

    @Test
    void namesFailureOfInput() {
        for (int attempt = 1; attempt <= 2; attempt++) {
            var cell = trackCell(6);
            cell.begin(7, () -> "Pod team/a");
            cell.failed(new IllegalStateException("device gpu-0 has two holders"));
        }
        trackCell(6);
        assertThat(watchdog.condition().sentence())
                .contains("(Pod team/a; java.lang.IllegalStateException: device gpu-0 has two holders), attempt 2");
    }

    @Test
    void readsAttemptFromMetadata() {
        var attempt = new InputAttempt(7, 3, START, "Pod team/a", "two\tlines\nof text");
        assertThat(GroupAttemptLog.attempt(new OffsetAndMetadata(7, GroupAttemptLog.metadata(attempt))))
                .contains(new InputAttempt(7, 3, START, "Pod team/a", "two lines of text"));
        assertThat(GroupAttemptLog.attempt(new OffsetAndMetadata(7, ""))).isEmpty();
    }

    /** A paused process does not check; missed checks are not repeated. */
    @Test
    void isUpAfterPauseOfScheduledChecks() throws Exception {
        var cell = trackCell(6);
        cell.begin(7, () -> "tick");
        var every = Duration.ofMillis(100);
        watchdog.start(every, () -> {});
        var status = new CompletableFuture<Health.HealthStatus>();
        var pause = scheduler.submit(() -> {
            Thread.sleep(every.multipliedBy(8)); // in the only thread that checks
            scheduler.execute(() -> status.complete(watchdog.condition().status()));
            return true;
        });
        assertThat(pause.get()).isTrue();
        assertThat(status.get()).isEqualTo(Health.HealthStatus.UP);
        await(() -> watchdog.condition().status() == Health.HealthStatus.DEGRADED);
    }

    @Test
    void checksWhileAttemptIsRecorded() {
        var isReleased = new CountDownLatch(1);
        var silent = new AttemptLog() {
            @Override
            public LastAttempt last(TopicPartition log) {
                return new LastAttempt.NoAttempt();
            }

            @Override
            public boolean record(TopicPartition log, InputAttempt attempt) {
                if (attempt.offset() == 8) {
                    awaitRelease(isReleased);
                }
                return true;
            }

            @Override
            public void remove(TopicPartition log) {}
        };
        try (var own = new Watchdog(silent, meters, () -> START.plus(passed), () -> passed.toNanos())) {
            var cell = own.trackCell(0, 6, Optional::empty);
            cell.begin(7, () -> "tick");
            cell.end(7);
            cell.begin(8, () -> "Pod team/a");
            own.start(Duration.ofMillis(10), () -> {});
            await(() -> own.condition().status() == Health.HealthStatus.DEGRADED);
        } finally {
            isReleased.countDown();
        }
    }

    private static void awaitRelease(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(BooleanSupplier condition) {
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            while (!condition.getAsBoolean()) {
                Thread.sleep(10);
            }
        });
    }

    // ---- inputs that fail before the watchdog checks

    @Test
    void raisesAlarmOfInputThatKillsAtOnce() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            trackCell(6).begin(7, () -> "Pod team/fatal");
        }
        assertThat(alarms()).isEqualTo(1);
        assertThat(watchdog.condition().sentence()).contains("fails repeatedly at offset 7", "attempt 3");
    }

    @Test
    void reportsInputThatThrowsUntilProcessEnds() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            var cell = trackCell(6);
            cell.begin(7, () -> "Pod team/a");
            cell.failed(new IllegalStateException("bug"));
            watchdog.untrack(cell);
            assertThat(isFailing()).isEqualTo(attempt >= 2);
        }
        assertThat(alarms()).isEqualTo(2);
        assertThat(watchdog.condition().sentence())
                .contains("(Pod team/a; java.lang.IllegalStateException: bug), attempt 3");
    }

    // ---- an attempt log that does not respond

    @Test
    void keepsRecordedAttemptWhileItIsUnknown() {
        var before = new InputAttempt(70, 5, START, "Pod team/a", "");
        record(before);
        attempts.silence(true);
        var cell = trackCell(6);
        cell.begin(7, () -> "tick");
        advanceSeconds(3);
        cell.end(7);
        assertThat(isFailing()).isFalse();
        attempts.silence(false);
        cell.begin(8, () -> "tick");
        cell.end(8);
        assertThat(attempts.stored(KafkaAdmin.log(0))).contains(before);
        advanceSeconds(1);
        assertThat(isFailing()).isTrue();
        assertThat(alarms()).isEqualTo(1);
        cell.begin(70, () -> "Pod team/a");
        assertThat(attempts.stored(KafkaAdmin.log(0))).map(InputAttempt::count).contains(6);
    }

    @Test
    void countsAttemptUnderWayOnceLastAttemptIsKnown() {
        record(new InputAttempt(7, 2, START, "Pod team/a", "no memory"));
        attempts.silence(true);
        var cell = trackCell(6);
        cell.begin(7, () -> "Pod team/a");
        attempts.silence(false);
        advanceSeconds(3);
        assertThat(attempts.stored(KafkaAdmin.log(0)))
                .contains(new InputAttempt(7, 3, START, "Pod team/a", "no memory"));
        assertThat(alarms()).isEqualTo(1);
    }

    @Test
    void rereadsLastAttemptBeforeFirstInput() {
        record(new InputAttempt(7, 2, START, "Pod team/a", ""));
        attempts.silence(true);
        var cell = trackCell(6);
        attempts.silence(false);
        cell.begin(7, () -> "Pod team/a");
        assertThat(attempts.stored(KafkaAdmin.log(0))).map(InputAttempt::count).contains(3);
    }

    // ---- another process that owns the cell

    @ParameterizedTest
    @MethodSource("endsOfTheFormerOwner")
    void keepsHigherCountOfAnotherProcess(Throwable end) {
        var former = trackCell(6);
        former.begin(7, () -> "Pod team/a");
        for (int attempt = 2; attempt <= 3; attempt++) {
            watchdog(attempts).trackCell(0, 6, Optional::empty).begin(7, () -> "Pod team/a");
        }
        advanceSeconds(3);
        former.failed(end);
        assertThat(attempts.stored(KafkaAdmin.log(0))).contains(new InputAttempt(7, 3, START, "Pod team/a", ""));
    }

    static Stream<Throwable> endsOfTheFormerOwner() {
        return Stream.of(
                new TaskMigratedException("rebalance"),
                new StreamsException(new ProducerFencedException("fenced")),
                new TimeoutException("no response"),
                new IllegalStateException("bug"));
    }

    @Test
    void keepsCountOfLaterInputWhenEarlierInputIsSlow() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            var cell = trackCell(6);
            cell.begin(7, () -> "tick");
            advanceSeconds(3);
            cell.end(7);
            cell.begin(8, () -> "Pod team/fatal");
        }
        assertThat(attempts.stored(KafkaAdmin.log(0))).contains(new InputAttempt(8, 3, START, "Pod team/fatal", ""));
    }

    @Test
    void doesNotLowerCountForInputBeforeSuspect() {
        record(new InputAttempt(8, 2, START, "Pod team/fatal", ""));
        var cell = trackCell(6);
        cell.begin(7, () -> "tick");
        advanceSeconds(3);
        assertThat(attempts.stored(KafkaAdmin.log(0))).contains(new InputAttempt(7, 3, START, "tick", ""));
        cell.end(7);
        cell.begin(8, () -> "Pod team/fatal");
        assertThat(attempts.stored(KafkaAdmin.log(0))).contains(new InputAttempt(8, 3, START, "Pod team/fatal", ""));
    }

    // ---- faults that the input does not cause

    @ParameterizedTest
    @MethodSource("faultsOfTheCluster")
    void doesNotBlameInputForFaultOfCluster(Throwable fault) {
        for (int restart = 1; restart <= 5; restart++) {
            var cell = trackCell(6);
            cell.begin(7, () -> "Pod team/innocent");
            cell.failed(fault);
            watchdog.untrack(cell);
        }
        assertThat(alarms()).isZero();
        assertThat(attempts.stored(KafkaAdmin.log(0))).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("faultsOfTheCluster")
    void doesNotBlameInputForFailedCommit(Throwable fault) {
        record(new InputAttempt(7, 1, START, "Pod team/innocent", ""));
        for (int restart = 1; restart <= 5; restart++) {
            var cell = trackCell(6);
            cell.begin(7, () -> "Pod team/innocent");
            cell.end(7);
            watchdog.handleThreadFailure(fault);
        }
        assertThat(alarms()).isZero();
        assertThat(attempts.stored(KafkaAdmin.log(0))).map(InputAttempt::count).contains(1);
    }

    static Stream<Throwable> faultsOfTheCluster() {
        return Stream.of(
                new TimeoutException("no response"),
                new StreamsException("task 0_0", new DisconnectException()),
                new StreamsException(new KafkaException(new NotLeaderOrFollowerException())),
                new ProcessorStateException("no space left on device"),
                new SerializationException(
                        new RegistryException(RegistryException.RegistryErrorCode.UNREACHABLE, "no response", null)));
    }

    @ParameterizedTest
    @MethodSource("faultsOfTheInput")
    void countsFaultOfInput(Throwable fault) {
        assertThat(FaultKind.of(fault)).isEqualTo(FaultKind.INPUT);
    }

    static Stream<Throwable> faultsOfTheInput() {
        return Stream.of(
                new IllegalStateException("bug"),
                new OutOfMemoryError(),
                new StackOverflowError(),
                new StreamsException("sink", new RecordTooLargeException()),
                new SerializationException("a character that UTF-8 has not"),
                new StreamsException("task 0_0", new IllegalArgumentException("bug")));
    }

    /** The transaction timeout of an input that takes too long appears as fencing. */
    @Test
    void countsAttemptThatIsFenced() {
        for (int attempt = 1; attempt <= 3; attempt++) {
            var cell = trackCell(6);
            cell.begin(7, () -> "Pod team/a");
            cell.failed(new TaskMigratedException("transaction timed out"));
            watchdog.untrack(cell);
        }
        assertThat(alarms()).isEqualTo(1);
    }

    private void record(InputAttempt attempt) {
        assertThat(attempts.record(KafkaAdmin.log(0), attempt)).isTrue();
    }

    private boolean isFailing() {
        return watchdog.condition().sentence().contains("fails repeatedly");
    }

    private double alarms() {
        return meters.text()
                .lines()
                .filter(line -> line.startsWith("claimstream_alarms_total{kind=\"input-failing\"} "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(0);
    }
}
