package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Commits of a throttle with an interval of 500 ms. */
class CommitThrottleTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000); // overflows
    private final CommitThrottle throttle = new CommitThrottle(nanos::get, Duration.ofMillis(500));

    private boolean acquireAfter(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
        return throttle.tryAcquire();
    }

    @Test
    void acquiresAtOnceThenEveryHalfSecond() {
        assertThat(acquireAfter(0)).isTrue();
        assertThat(acquireAfter(499)).isFalse();
        assertThat(acquireAfter(1)).isTrue();
        assertThat(acquireAfter(20_000)).isTrue();
        assertThat(acquireAfter(499)).isFalse();
    }
}
