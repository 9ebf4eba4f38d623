package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocator.streams.AdaptivePolling.ConsumerPartitions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.junit.jupiter.api.Test;

/** Poll timeout with and without an open transaction. */
class AdaptivePollingTest {
    private static final Duration REQUESTED_TIMEOUT = Duration.ofMillis(5);

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final AdaptivePolling polling = new AdaptivePolling(() -> {});

    @Test
    void pollsBrieflyOnlyWithOpenTransaction() {
        assertThat(timeout()).isEqualTo(AdaptivePolling.IDLE);
        polling.markOpen();
        assertThat(timeout()).isEqualTo(REQUESTED_TIMEOUT);
        polling.markEnded();
        assertThat(timeout()).isEqualTo(AdaptivePolling.IDLE);
    }

    @Test
    void pollsBrieflyWhileTaskIsRestored() {
        assertThat(polling.timeout(REQUESTED_TIMEOUT, ConsumerPartitions.PAUSED))
                .isEqualTo(REQUESTED_TIMEOUT);
    }

    @Test
    void pollsForLessThanIdleTimeOnlyShortlyAfterStart() {
        ConsumerPartitions atStart = AdaptivePolling.partitions(false, false, Duration.ZERO);
        assertThat(polling.timeout(REQUESTED_TIMEOUT, atStart)).isEqualTo(AdaptivePolling.UNASSIGNED);
        ConsumerPartitions later = AdaptivePolling.partitions(false, false, AdaptivePolling.UNASSIGNED_FOR);
        assertThat(polling.timeout(REQUESTED_TIMEOUT, later)).isEqualTo(AdaptivePolling.IDLE);
    }

    @Test
    void pollsUntilNextTimer() {
        var timer = new TaskTimer(new MockProcessorContext<>(), () -> NOW, _ -> {});
        timer.setTo(NOW.toEpochMilli() + 70);
        assertThat(timeout()).isEqualTo(Duration.ofMillis(70));
        timer.cancel();
        assertThat(timeout()).isEqualTo(AdaptivePolling.IDLE);
    }

    @Test
    void timerThatIsOverdueDoesNotPreventPolls() {
        var now = new AtomicReference<>(NOW);
        var timer = new TaskTimer(new MockProcessorContext<>(), now::get, _ -> {});
        timer.setTo(NOW.toEpochMilli() + 70);
        now.set(NOW.plusSeconds(9));
        assertThat(timeout()).isEqualTo(REQUESTED_TIMEOUT);
        timer.cancel();
    }

    @Test
    void pollsBrieflyAfterEndOfPolls() {
        polling.endPolls();
        assertThat(timeout()).isEqualTo(REQUESTED_TIMEOUT);
    }

    @Test
    void wakesOnlyOpenPoll() {
        var state = new AdaptivePolling.PollState();
        var wakeups = new AtomicInteger();
        state.wakeIfOpen(wakeups::incrementAndGet);
        assertThat(wakeups).hasValue(0);
        state.open();
        state.wakeIfOpen(wakeups::incrementAndGet);
        assertThat(wakeups).hasValue(1);
        state.close();
        state.wakeIfOpen(wakeups::incrementAndGet);
        assertThat(wakeups).hasValue(1);
    }

    @Test
    void doesNotWaitWhenStreamHasOtherWork() {
        assertThat(polling.timeout(Duration.ZERO, ConsumerPartitions.ACTIVE)).isEqualTo(Duration.ZERO);
    }

    @Test
    void tracksTransactionsPerThread() throws InterruptedException {
        Thread.ofPlatform().start(polling::markOpen).join();
        assertThat(timeout()).isEqualTo(AdaptivePolling.IDLE);
    }

    private Duration timeout() {
        return polling.timeout(REQUESTED_TIMEOUT, ConsumerPartitions.ACTIVE);
    }
}
