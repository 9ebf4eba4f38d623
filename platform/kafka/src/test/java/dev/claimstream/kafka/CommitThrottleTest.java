package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Commits of a throttle with an interval of 500 ms. */
class CommitThrottleTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000); // overflows
    private final CommitThrottle pace = new CommitThrottle(nanos::get, Duration.ofMillis(500));

    private boolean takeAfter(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
        return pace.tryAcquire();
    }

    @Test
    void theFirstIsDueAtOnceAndTheOthersHalfASecondAfterTheOneBefore() {
        assertThat(takeAfter(0)).isTrue();
        assertThat(takeAfter(499)).isFalse();
        assertThat(takeAfter(1)).isTrue();
        assertThat(takeAfter(20_000)).isTrue();
        assertThat(takeAfter(499)).isFalse();
    }
}
