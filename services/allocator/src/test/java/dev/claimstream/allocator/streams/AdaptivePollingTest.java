package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Poll timeout with and without an open transaction. */
class AdaptivePollingTest {
    private static final Duration ASKED = Duration.ofMillis(5);

    private final AdaptivePolling polling = new AdaptivePolling(() -> {});

    @Test
    void pollsBrieflyOnlyWithOpenTransaction() {
        assertThat(polling.timeout(ASKED)).isEqualTo(AdaptivePolling.IDLE);
        polling.markOpen();
        assertThat(polling.timeout(ASKED)).isEqualTo(ASKED);
        polling.markEnded();
        assertThat(polling.timeout(ASKED)).isEqualTo(AdaptivePolling.IDLE);
    }

    @Test
    void doesNotWaitWhereTheStreamHasOtherWork() {
        assertThat(polling.timeout(Duration.ZERO)).isEqualTo(Duration.ZERO);
    }

    @Test
    void knowsTheTransactionsOfEachThread() throws InterruptedException {
        Thread.ofPlatform().start(polling::markOpen).join();
        assertThat(polling.timeout(ASKED)).isEqualTo(AdaptivePolling.IDLE);
    }
}
