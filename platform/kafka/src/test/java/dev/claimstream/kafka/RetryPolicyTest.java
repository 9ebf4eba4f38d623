package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the pauses of a retry policy. */
final class RetryPolicyTest {
    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofSeconds(1);

    @Test
    void backoffGrowsToLimitAndResetsAfterSuccess() {
        RetryPolicy policy = RetryPolicy.withJitter(FIRST, LONGEST, new SplittableRandom(1));
        assertThat(policy.next()).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        for (int i = 0; i < 10; i++) {
            assertThat(policy.next()).isBetween(Duration.ofMillis(100), Duration.ofSeconds(1));
        }
        assertThat(policy.next()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        policy.reset();
        assertThat(policy.next()).isLessThanOrEqualTo(Duration.ofMillis(100));
    }

    @Test
    void addsBackoffAfterRetryAfter() {
        RetryPolicy policy = RetryPolicy.withJitter(FIRST, LONGEST, new SplittableRandom(1));
        Duration named = Duration.ofSeconds(3);
        assertThat(policy.nextAfter(named).minus(named)).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        assertThat(policy.nextAfter(named).minus(named)).isBetween(Duration.ofMillis(100), Duration.ofMillis(200));
    }

    @Test
    void pausesWithoutJitterAreExact() {
        RetryPolicy policy = RetryPolicy.withoutJitter(FIRST, LONGEST);
        assertThat(Stream.generate(policy::next).limit(6).map(Duration::toMillis))
                .containsExactly(100L, 200L, 400L, 800L, 1000L, 1000L);
    }

    @Test
    void requestedPauseIsMinimum() {
        RetryPolicy policy = RetryPolicy.withoutJitter(FIRST, LONGEST);
        Duration requested = Duration.ofMillis(150);
        assertThat(policy.nextAtLeast(requested)).isEqualTo(requested);
        assertThat(policy.nextAtLeast(requested)).isEqualTo(Duration.ofMillis(200));
    }

    @Test
    void rejectsFirstPauseOfZero() {
        assertThatIllegalArgumentException().isThrownBy(() -> RetryPolicy.withJitter(Duration.ZERO, LONGEST));
    }
}
