package dev.claimstream.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Epochs of a watcher and its backoff. */
final class BackoffAndEpochTest {
    @Test
    void epochExceedsEarlierEpochsAndProcesses() {
        var epochs = new Epochs(() -> Instant.ofEpochMilli(1000));
        assertThat(epochs.next()).isEqualTo(1000);
        assertThat(epochs.next()).isEqualTo(1001);
        assertThat(new Epochs(() -> Instant.ofEpochMilli(2000)).next()).isEqualTo(2000);
    }

    @Test
    void backoffGrowsToLimitAndResetsAfterSuccess() {
        var backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), new SplittableRandom(1));
        assertThat(backoff.next()).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        for (int i = 0; i < 10; i++) {
            assertThat(backoff.next()).isBetween(Duration.ofMillis(100), Duration.ofSeconds(1));
        }
        assertThat(backoff.next()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        backoff.reset();
        assertThat(backoff.next()).isLessThanOrEqualTo(Duration.ofMillis(100));
    }

    @Test
    void addsBackoffAfterRetryAfter() {
        var backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), new SplittableRandom(1));
        Duration named = Duration.ofSeconds(3);
        assertThat(backoff.nextAfter(named).minus(named)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        assertThat(backoff.nextAfter(named).minus(named)).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));
    }
}
