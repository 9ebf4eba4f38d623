package dev.claimstream.cli.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests retries of calls to a cluster that fails at first, with and without a requested pause. */
class StartupRetryTest {
    private final AtomicInteger calls = new AtomicInteger();

    private String answerOnThirdCall(Duration retryAfter) {
        if (calls.incrementAndGet() < 3) {
            throw new ClusterFault("not now", retryAfter);
        }
        return "answer";
    }

    @Test
    void retriesUntilClusterAnswers() {
        assertThat(StartupRetry.call(() -> answerOnThirdCall(Duration.ZERO), Duration.ofSeconds(20)))
                .isEqualTo("answer");
    }

    @Test
    void waitsForRetryAfterUpToLimit() {
        Duration retryAfter = Duration.ofMillis(700);
        long begin = System.nanoTime();
        assertThat(StartupRetry.call(() -> answerOnThirdCall(retryAfter), Duration.ofSeconds(20)))
                .isEqualTo("answer");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(retryAfter.multipliedBy(2));

        calls.set(0);
        assertThatThrownBy(
                        () -> StartupRetry.call(() -> answerOnThirdCall(Duration.ofMinutes(1)), Duration.ofSeconds(20)))
                .isInstanceOf(ClusterFault.class)
                .hasMessage("not now");
        assertThat(calls).hasValue(1);
    }
}
