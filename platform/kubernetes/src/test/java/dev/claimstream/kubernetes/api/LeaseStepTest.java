package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.LogProgress;
import dev.claimstream.kubernetes.api.LeaseStep.LeaseHistory;
import dev.claimstream.kubernetes.api.LeaseStep.LeaseState;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The next step of a candidate for the lease of a cluster, by holder, history and log. */
final class LeaseStepTest {
    private static final CandidateLog NEW = new CandidateLog("own", true, "/data of here", LogProgress.NONE);
    private static final CandidateLog OLD = new CandidateLog("own", false, "/data of here", LogProgress.NONE);
    private static final Duration LASTS = Duration.ofSeconds(15);
    private static final LeaseHistory FIRST_LOOK = new LeaseHistory(false, false, Duration.ZERO);
    private static final LeaseHistory LONG_SILENT = new LeaseHistory(false, false, LASTS);
    private static final LeaseHistory HELD = new LeaseHistory(true, false, LASTS);

    private static Optional<LeaseState> of(String holder) {
        return Optional.of(new LeaseState(holder, "there", LASTS, 70));
    }

    static Stream<Arguments> leases() {
        return Stream.of(
                Arguments.of("no lease", Optional.empty(), OLD, FIRST_LOOK, new LeaseStep.Acquire()),
                Arguments.of("no holder", of(""), OLD, FIRST_LOOK, new LeaseStep.Acquire()),
                Arguments.of(
                        "lease was deleted while it was held", Optional.empty(), OLD, HELD, new LeaseStep.Acquire()),
                Arguments.of("own log, before the first renewal", of("own"), OLD, FIRST_LOOK, new LeaseStep.Renew()),
                Arguments.of("own log", of("own"), NEW, HELD, new LeaseStep.Renew()),
                Arguments.of("other log, first observation", of("other"), NEW, FIRST_LOOK, new LeaseStep.Retry()),
                Arguments.of(
                        "other log, not silent for the lease duration",
                        of("other"),
                        NEW,
                        new LeaseHistory(false, false, LASTS.minusMillis(1)),
                        new LeaseStep.Retry()),
                Arguments.of("other log, silent", of("other"), NEW, LONG_SILENT, new LeaseStep.Acquire()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("leases")
    void choosesStepByHolderAndHistory(
            String name, Optional<LeaseState> lease, CandidateLog log, LeaseHistory past, LeaseStep expected) {
        assertThat(LeaseStep.of(lease, log, 70, past)).isEqualTo(expected);
    }

    static Stream<Arguments> refusals() {
        var renewed = new LeaseHistory(false, true, Duration.ZERO);
        return Stream.of(
                Arguments.of("renewed", NEW, renewed, "use the other one, or stop it first"),
                Arguments.of(
                        "renewed, and the log has decisions", OLD, renewed, "the log of /data of here is outdated"),
                Arguments.of(
                        "silent, and the log has decisions", OLD, LONG_SILENT, "the log of /data of here is outdated"),
                Arguments.of("other log took the lease", NEW, HELD, "start with an empty log"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refusals")
    void competingLogAbortsWithRemedy(String name, CandidateLog log, LeaseHistory past, String remedy) {
        assertThat(LeaseStep.of(of("other"), log, 70, past))
                .isInstanceOfSatisfying(
                        LeaseStep.Abort.class,
                        abort -> assertThat(abort.message()).contains("other at there", remedy));
    }

    @Test
    void olderCopyOfLogAbortsWithRemedy() {
        assertThat(LeaseStep.of(of("own"), OLD, 69, FIRST_LOOK))
                .isInstanceOfSatisfying(
                        LeaseStep.Abort.class,
                        abort -> assertThat(abort.message())
                                .contains("decisions.v1 ends at 69, and has ended at 70", "start with an empty log"));
        assertThat(LeaseStep.of(of("own"), NEW, 0, FIRST_LOOK))
                .as("recreated topics")
                .isEqualTo(new LeaseStep.Renew());
        assertThat(LeaseStep.of(of("own"), OLD, 69, HELD))
                .as("the end was read a while ago")
                .isEqualTo(new LeaseStep.Renew());
    }

    @Test
    void acquiresReleasedLeaseAfterItsDuration() {
        var released = Optional.of(new LeaseState("other", "there", Duration.ofSeconds(1), 70));
        assertThat(LeaseStep.of(released, NEW, 0, new LeaseHistory(false, false, Duration.ofSeconds(1))))
                .isEqualTo(new LeaseStep.Acquire());
    }
}
