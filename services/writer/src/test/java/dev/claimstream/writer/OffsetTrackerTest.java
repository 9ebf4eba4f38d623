package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Positions of partitions with decisions in flight, and the latest decision per claim of a backlog. */
final class OffsetTrackerTest {
    private final OffsetTracker<String> places = new OffsetTracker<>();

    @Test
    void aPartitionIsDoneUpToTheFirstThatIsNot() {
        places.begin("p", 3);
        places.begin("p", 4);
        places.begin("p", 6);
        assertThat(places.positions()).isEqualTo(Map.of("p", 3L));
        places.end("p", 4);
        assertThat(places.positions()).isEqualTo(Map.of("p", 3L));
        places.end("p", 3);
        assertThat(places.positions()).isEqualTo(Map.of("p", 6L));
        assertThat(places.inFlightCount()).isEqualTo(1);
        places.end("p", 6);
        assertThat(places.positions()).isEqualTo(Map.of("p", 7L));
    }

    @Test
    void whatAnotherProcessHasIsNotOurs() {
        places.begin("p", 3);
        places.forget("p");
        places.end("p", 3);
        assertThat(places.positions()).isEmpty();
    }

    @Test
    void ofABacklogTheLastDecisionOfAClaimCounts() {
        var backlog = new LatestDecisions<String>();
        assertThat(backlog.add("a", "a1")).isEmpty();
        assertThat(backlog.add("b", "b1")).isEmpty();
        assertThat(backlog.add("a", "a2")).contains("a1");
        assertThat(backlog.drain()).containsExactly("b1", "a2");
        assertThat(backlog.drain()).isEmpty();
    }
}
