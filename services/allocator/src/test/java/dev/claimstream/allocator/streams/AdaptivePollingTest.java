package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Poll timeout with and without an open transaction. */
class AdaptivePollingTest {
    private static final Duration REQUESTED_TIMEOUT = Duration.ofMillis(5);

    private final AdaptivePolling polling = new AdaptivePolling(() -> {});

    @Test
    void pollsBrieflyOnlyWithOpenTransaction() {
        assertThat(polling.timeout(REQUESTED_TIMEOUT)).isEqualTo(AdaptivePolling.IDLE);
        polling.markOpen();
        assertThat(polling.timeout(REQUESTED_TIMEOUT)).isEqualTo(REQUESTED_TIMEOUT);
        polling.markEnded();
        assertThat(polling.timeout(REQUESTED_TIMEOUT)).isEqualTo(AdaptivePolling.IDLE);
    }

    @Test
    void doesNotWaitWhenStreamHasOtherWork() {
        assertThat(polling.timeout(Duration.ZERO)).isEqualTo(Duration.ZERO);
    }

    @Test
    void tracksTransactionsPerThread() throws InterruptedException {
        Thread.ofPlatform().start(polling::markOpen).join();
        assertThat(polling.timeout(REQUESTED_TIMEOUT)).isEqualTo(AdaptivePolling.IDLE);
    }
}
