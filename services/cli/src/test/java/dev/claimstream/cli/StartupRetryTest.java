package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests retries of calls to a cluster that fails at first, with and without a requested pause. */
class StartupRetryTest {
    private final AtomicInteger asked = new AtomicInteger();

    private String answeredTheThirdTime(Duration named) {
        if (asked.incrementAndGet() < 3) {
            throw new ClusterFault("not now", named);
        }
        return "answer";
    }

    @Test
    void aClusterThatDoesNotAnswerAtFirstIsAskedAgain() {
        assertThat(StartupRetry.call(() -> answeredTheThirdTime(Duration.ZERO), Duration.ofSeconds(20)))
                .isEqualTo("answer");
    }

    @Test
    void whatItNamesAsATimeIsWaitedForAndNotWhereThatIsTooLong() {
        Duration named = Duration.ofMillis(700);
        long begin = System.nanoTime();
        assertThat(StartupRetry.call(() -> answeredTheThirdTime(named), Duration.ofSeconds(20)))
                .isEqualTo("answer");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(named.multipliedBy(2));

        asked.set(0);
        assertThatThrownBy(() ->
                        StartupRetry.call(() -> answeredTheThirdTime(Duration.ofMinutes(1)), Duration.ofSeconds(20)))
                .isInstanceOf(ClusterFault.class)
                .hasMessage("not now");
        assertThat(asked).hasValue(1);
    }
}
