package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** What the watchdog reports of inputs, by a clock that the test moves. */
final class WatchdogTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final MemoryAttemptLog attempts = new MemoryAttemptLog();
    private final Meters meters = new Meters();
    private Duration passed = Duration.ZERO;
    private final Watchdog watchdog = new Watchdog(attempts, meters, () -> START.plus(passed), () -> passed.toNanos());

    private void seconds(int count) {
        for (int i = 0; i < count; i++) {
            passed = passed.plusSeconds(1);
            watchdog.look();
        }
    }

    private InputTracker takeUp(long applied) {
        return watchdog.attendCell(0, applied, () -> Optional.of(ItemId.pod(new ObjectKey("team", "b"))));
    }

    @Test
    void reportsInputThatTakesMoreThanFiveSeconds() {
        var cell = takeUp(6);
        cell.begin(7, () -> "Pod team/a");
        seconds(5);
        assertThat(watchdog.condition().status()).isEqualTo(Health.Status.UP);
        seconds(1);
        assertThat(watchdog.condition())
                .isEqualTo(Health.Condition.degraded("cell 0 has worked for 6 s on offset 7 of cells.in (Pod team/a;"
                        + " evaluates pod team/b), attempt 1, since 2026-01-01T00:00:00Z"));
        assertThat(meters.text())
                .contains(
                        "claimstream_cell_input_seconds{cell=\"0\"} 6.0",
                        "claimstream_cell_input_attempts{cell=\"0\"} 1.0");
        cell.end(7);
        assertThat(watchdog.condition().status()).isEqualTo(Health.Status.UP);
        assertThat(meters.text()).contains("claimstream_cell_input_seconds{cell=\"0\"} 0.0");
    }

    @Test
    void isUpWhileInputsPass() {
        var cell = takeUp(-1);
        for (int offset = 0; offset < 20; offset++) {
            cell.begin(offset, () -> "tick");
            seconds(1);
            assertThat(watchdog.condition().status()).isEqualTo(Health.Status.UP);
            cell.end(offset);
        }
    }

    @Test
    void isUpAfterPauseOfProcess() {
        var cell = takeUp(6);
        cell.begin(7, () -> "tick");
        seconds(1);
        passed = passed.plusSeconds(60);
        watchdog.look();
        assertThat(watchdog.condition().status()).isEqualTo(Health.Status.UP);
    }

    @Test
    void forgetsCellThatAnotherProcessTookUp() {
        var cell = takeUp(6);
        cell.begin(7, () -> "tick");
        seconds(6);
        watchdog.leave(cell);
        assertThat(watchdog.condition().status()).isEqualTo(Health.Status.UP);
        assertThat(meters.text()).doesNotContain("claimstream_cell_input_seconds{");
    }

    @Test
    void recordsFirstInputOnly() {
        var cell = takeUp(-1);
        IntStream.range(0, 1000).forEach(offset -> {
            cell.begin(offset, () -> "tick");
            cell.end(offset);
        });
        assertThat(attempts.records()).isEqualTo(1);
        assertThat(attempts.last(Offsets.log(0))).map(InputAttempt::offset).contains(0L);
    }

    @Test
    void countsAttemptsUntilInputCommits() {
        for (int attempt = 1; attempt <= 4; attempt++) {
            var cell = takeUp(6);
            assertThat(isFailing()).isEqualTo(attempt > 2);
            cell.begin(7, () -> "tick");
            cell.end(7);
            cell.begin(8, () -> "Pod team/a");
            seconds(3);
            assertThat(attempts.last(Offsets.log(0))).map(InputAttempt::count).contains(attempt);
        }
        assertThat(watchdog.condition().sentence()).contains("fails repeatedly at offset 8");
        assertThat(alarms()).isEqualTo(2);

        var cell = takeUp(8);
        assertThat(isFailing()).isFalse();
        cell.begin(9, () -> "tick");
        assertThat(attempts.last(Offsets.log(0))).map(InputAttempt::count).contains(1);
    }

    @Test
    void endsAlarmOnceTransactionCannotTimeOut() {
        attempts.record(Offsets.log(0), new InputAttempt(7, 2, START, "Pod team/a", ""));
        var cell = takeUp(6);
        cell.begin(7, () -> "Pod team/a");
        cell.end(7);
        seconds(5);
        assertThat(isFailing()).isTrue();
        seconds(2);
        assertThat(isFailing()).isFalse();
    }

    /** A process can die within a second, before the watchdog looks. */
    @Test
    void findsInputThatKillsItsProcess() {
        for (int attempt = 1; attempt <= 4; attempt++) {
            var cell = takeUp(6);
            for (int offset = 7; offset < 12; offset++) {
                int now = offset;
                cell.begin(offset, () -> "Pod team/" + now);
                cell.end(offset);
            }
            cell.begin(12, () -> "Pod team/fatal");
        }
        takeUp(6);
        watchdog.look();
        assertThat(watchdog.condition().sentence())
                .contains("fails repeatedly at offset 12 of cells.in (Pod team/fatal), attempt 4");
    }

    @Test
    void namesFailure() {
        for (int attempt = 1; attempt <= 2; attempt++) {
            var cell = takeUp(6);
            cell.begin(7, () -> "Pod team/a");
            cell.failed(new IllegalStateException("device gpu-0 has two holders"));
        }
        takeUp(6);
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

    private boolean isFailing() {
        return watchdog.condition().sentence().contains("fails repeatedly");
    }

    private double alarms() {
        return meters.text()
                .lines()
                .filter(line -> line.startsWith("claimstream_alarms_total{alarm=\"input-failing\"} "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElse(0);
    }
}
