package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.api.LeaseStep.Past;
import dev.claimstream.kubernetes.api.LeaseStep.Seen;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may hold a cluster. */
final class LeaseStepTest {
    private static final ServingLog NEW = new ServingLog("ours", true, "/data of here");
    private static final ServingLog OLD = new ServingLog("ours", false, "/data of here");
    private static final Duration LASTS = Duration.ofSeconds(15);
    private static final Past FIRST_LOOK = new Past(false, false, Duration.ZERO);
    private static final Past LONG_SILENT = new Past(false, false, LASTS);
    private static final Past HELD = new Past(true, false, LASTS);

    private static Optional<Seen> of(String holder) {
        return Optional.of(new Seen(holder, "there", LASTS));
    }

    static Stream<Arguments> leases() {
        return Stream.of(
                Arguments.of("no lease", Optional.empty(), OLD, FIRST_LOOK, new LeaseStep.Take()),
                Arguments.of("nobody's", of(""), OLD, FIRST_LOOK, new LeaseStep.Take()),
                Arguments.of("it was taken away while we held it", Optional.empty(), OLD, HELD, new LeaseStep.Take()),
                Arguments.of("ours from before", of("ours"), OLD, FIRST_LOOK, new LeaseStep.Renew()),
                Arguments.of("ours", of("ours"), NEW, HELD, new LeaseStep.Renew()),
                Arguments.of("another one's, first look", of("theirs"), NEW, FIRST_LOOK, new LeaseStep.Look()),
                Arguments.of(
                        "another one's, not silent for long enough",
                        of("theirs"),
                        NEW,
                        new Past(false, false, LASTS.minusMillis(1)),
                        new LeaseStep.Look()),
                Arguments.of("another one's, silent", of("theirs"), NEW, LONG_SILENT, new LeaseStep.Take()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("leases")
    void whatFollows(String name, Optional<Seen> lease, ServingLog log, Past past, LeaseStep expected) {
        assertThat(LeaseStep.of(lease, log, past)).isEqualTo(expected);
    }

    static Stream<Arguments> refusals() {
        var renewed = new Past(false, true, Duration.ZERO);
        return Stream.of(
                Arguments.of("at work", NEW, renewed, "use that one, or stop it first"),
                Arguments.of("at work, and the log is old", OLD, renewed, "what /data of here holds is of before"),
                Arguments.of("gone, and the log is old", OLD, LONG_SILENT, "what /data of here holds is of before"),
                Arguments.of("it took ours", NEW, HELD, "start with an empty log"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void anotherOnesLeaseIsSaidWithARemedy(String name, ServingLog log, Past past, String remedy) {
        assertThat(LeaseStep.of(of("theirs"), log, past))
                .isInstanceOfSatisfying(
                        LeaseStep.GiveUp.class,
                        refused -> assertThat(refused.why()).contains("theirs at there", remedy));
    }

    @Test
    void oneThatWasReleasedIsWaitedForAsLongAsItSays() {
        var released = Optional.of(new Seen("theirs", "there", Duration.ofSeconds(1)));
        assertThat(LeaseStep.of(released, NEW, new Past(false, false, Duration.ofSeconds(1))))
                .isEqualTo(new LeaseStep.Take());
    }
}
