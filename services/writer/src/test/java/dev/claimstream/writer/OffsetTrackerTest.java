package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.writer.streams.LatestDecisions;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Positions of partitions with decisions in flight, and the latest decision per claim of a backlog. */
final class OffsetTrackerTest {
    private final OffsetTracker<String> tracker = new OffsetTracker<>();

    @Test
    void positionIsFirstUnfinishedOffset() {
        tracker.begin("p", 3);
        tracker.begin("p", 4);
        tracker.begin("p", 6);
        assertThat(tracker.positions()).isEqualTo(Map.of("p", 3L));
        tracker.end("p", 4);
        assertThat(tracker.positions()).isEqualTo(Map.of("p", 3L));
        tracker.end("p", 3);
        assertThat(tracker.positions()).isEqualTo(Map.of("p", 6L));
        assertThat(tracker.inFlightCount()).isEqualTo(1);
        tracker.end("p", 6);
        assertThat(tracker.positions()).isEqualTo(Map.of("p", 7L));
    }

    @Test
    void ignoresEndOfForgottenPartition() {
        tracker.begin("p", 3);
        tracker.forget("p");
        tracker.end("p", 3);
        assertThat(tracker.positions()).isEmpty();
    }

    @Test
    void keepsLatestDecisionPerClaimOfBacklog() {
        var backlog = new LatestDecisions<String>();
        assertThat(backlog.add("a", "a1")).isEmpty();
        assertThat(backlog.add("b", "b1")).isEmpty();
        assertThat(backlog.add("a", "a2")).contains("a1");
        assertThat(backlog.drain()).containsExactly("b1", "a2");
        assertThat(backlog.drain()).isEmpty();
    }
}
