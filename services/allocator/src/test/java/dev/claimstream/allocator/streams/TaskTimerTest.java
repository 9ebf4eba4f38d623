package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.processor.api.MockProcessorContext.CapturedPunctuator;
import org.junit.jupiter.api.Test;

/** A timer that runs once, at an earlier, past or distant time. */
class TaskTimerTest {
    private static final long NOW = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

    private final MockProcessorContext<String, String> context = new MockProcessorContext<>();
    private final List<Long> runs = new ArrayList<>();
    private final TaskTimer timer = new TaskTimer(context, () -> Instant.ofEpochMilli(NOW), runs::add);

    @Test
    void runsOnce() {
        timer.setTo(NOW + 1_000);
        assertThat(active()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofSeconds(1));
        active().getFirst().getPunctuator().punctuate(NOW + 1_001);
        assertThat(runs).containsExactly(NOW + 1_001);
        assertThat(active()).isEmpty();
        assertThat(timer.isSet()).isFalse();
    }

    @Test
    void keepsEarlierTime() {
        timer.setTo(NOW + 1_000);
        timer.setTo(NOW + 2_000);
        assertThat(active()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofSeconds(1));
        timer.setTo(NOW + 500);
        assertThat(active()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofMillis(500));
    }

    @Test
    void runsSoonAtTimeThatHasPassed() {
        timer.setTo(NOW - 1_000);
        assertThat(active()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofMillis(1));
    }

    @Test
    void checksAgainWithinAnHourForDistantTime() {
        timer.setTo(Long.MAX_VALUE);
        assertThat(active()).extracting(CapturedPunctuator::getInterval).containsExactly(Duration.ofHours(1));
    }

    @Test
    void acceptsNewTimeWhileItRuns() {
        var again = new ArrayList<TaskTimer>();
        var repeated = new TaskTimer(
                context,
                () -> Instant.ofEpochMilli(NOW),
                now -> again.getFirst().setTo(now + 7));
        again.add(repeated);
        repeated.setTo(NOW);
        active().getFirst().getPunctuator().punctuate(NOW + 1);
        assertThat(active()).hasSize(1);
    }

    private List<CapturedPunctuator> active() {
        return context.scheduledPunctuators().stream()
                .filter(each -> !each.cancelled())
                .toList();
    }
}
