package dev.claimstream.agent.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes that become silent and return, with a timeout of 30 seconds. */
final class HeartbeatTrackerTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final HeartbeatTracker tracker = new HeartbeatTracker(Duration.ofSeconds(30));
    private final List<String> changes = new ArrayList<>();
    private long offset;

    static Stream<Arguments> stories() {
        return Stream.of(
                Arguments.of("a node that is heard in time is never silent", "h0 h20 h40 j50 j69", "0 back"),
                Arguments.of("a node is silent at its time and not before", "h0 j29 j30", "0 back, 30 silent"),
                Arguments.of("silence is said once", "h0 j30 j31 j100", "0 back, 30 silent"),
                Arguments.of("coming back is said once", "h0 j30 h40 h41 j42", "0 back, 30 silent, 40 back"),
                Arguments.of(
                        "silence and coming back, again",
                        "h0 j30 h40 j70 h80",
                        "0 back, 30 silent, 40 back, 70 silent, 80 back"),
                Arguments.of(
                        "after an outage there is the full time again", "h0 a1000 j1029 j1030", "0 back, 1030 silent"),
                Arguments.of("who is silent stays so over an outage", "h0 j30 a1000 j1030", "0 back, 30 silent"),
                Arguments.of(
                        "a word after an outage counts from itself", "h0 a100 h120 j149 j150", "0 back, 150 silent"));
    }

    /** Steps, each at a second: {@code h} heartbeat, {@code j} expiry check, {@code a} restart of the timeouts. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("stories")
    void followsHeartbeatScenario(String name, String story, String expected) {
        for (String step : story.split(" ", -1)) {
            int second = Integer.parseInt(step.substring(1));
            Instant now = START.plusSeconds(second);
            switch (step.charAt(0)) {
                case 'h' -> {
                    if (tracker.heartbeat("node-1", nextPosition(), now)) {
                        changes.add(second + " back");
                    }
                }
                case 'j' -> tracker.expire(now).forEach(each -> changes.add(second + " silent"));
                default -> tracker.restartTimeouts(now);
            }
        }
        assertThat(String.join(", ", changes)).as(name).isEqualTo(expected);
    }

    private HeartbeatTracker.HeartbeatPosition nextPosition() {
        return new HeartbeatTracker.HeartbeatPosition(0, offset++, 0);
    }

    @Test
    void nextTimeoutIsThatOfOldestHeartbeat() {
        assertThat(tracker.nextTimeout()).isEmpty();
        tracker.heartbeat("a", nextPosition(), START);
        tracker.heartbeat("b", nextPosition(), START.plusSeconds(10));
        assertThat(tracker.nextTimeout()).hasValue(START.plusSeconds(30));
        tracker.heartbeat("a", nextPosition(), START.plusSeconds(20));
        assertThat(tracker.nextTimeout()).hasValue(START.plusSeconds(40));
    }

    @Test
    void oldestOffsetCoversEveryNodeThatIsNotSilent() {
        tracker.heartbeat("a", new HeartbeatTracker.HeartbeatPosition(0, 10, 0), START);
        tracker.heartbeat("b", new HeartbeatTracker.HeartbeatPosition(0, 11, 0), START.plusSeconds(10));
        tracker.heartbeat("c", new HeartbeatTracker.HeartbeatPosition(1, 5, 0), START.plusSeconds(20));
        assertThat(tracker.oldestOffset(0)).hasValue(10);
        tracker.heartbeat("a", new HeartbeatTracker.HeartbeatPosition(0, 12, 0), START.plusSeconds(20));
        assertThat(tracker.oldestOffset(0)).hasValue(11);
        assertThat(tracker.expire(START.plusSeconds(45)))
                .extracting(HeartbeatTracker.SilentNode::node)
                .containsExactly("b");
        assertThat(tracker.oldestOffset(0)).hasValue(12);
        tracker.forget(0);
        assertThat(tracker.oldestOffset(0)).isEmpty();
        assertThat(tracker.oldestOffset(1)).hasValue(5);
    }
}
