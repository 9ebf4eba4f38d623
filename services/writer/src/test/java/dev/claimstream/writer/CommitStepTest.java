package dev.claimstream.writer;

import static dev.claimstream.writer.DecisionSamples.CLAIM;
import static dev.claimstream.writer.DecisionSamples.P;
import static dev.claimstream.writer.DecisionSamples.Q;
import static dev.claimstream.writer.DecisionSamples.allocatedAtVersion;
import static dev.claimstream.writer.DecisionSamples.allocatedBy;
import static dev.claimstream.writer.DecisionSamples.allocatedDecision;
import static dev.claimstream.writer.DecisionSamples.claim;
import static dev.claimstream.writer.DecisionSamples.gpu;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.kubernetes.status.Difference;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The next step of a commit for each claim that is read and each result of a write. */
final class CommitStepTest {
    private static CommitStep write(List<dev.claimstream.dra.ClaimConsumer> consumers, String time) {
        return new CommitStep.Write(StatusChange.allocate(CLAIM, "u", 7, gpu("gpu-0", time), consumers));
    }

    private static CommitStep completion(CommitStatus result, String message) {
        return new CommitStep.Completion(new CommitResult(result, message));
    }

    static Stream<Arguments> claims() {
        String decisionTime = "2026-01-01T00:00:00Z";
        String otherTime = "2020-01-01T00:00:00Z";
        CommitStep committed = new CommitStep.Completion(CommitResult.COMMITTED);
        var allocation = allocatedDecision(1, "u", P);
        return Stream.of(
                Arguments.of(
                        "pending",
                        allocation,
                        Optional.of(claim("u", Optional.empty())),
                        write(List.of(P), decisionTime)),
                Arguments.of(
                        "pending, at the decided version",
                        allocatedAtVersion(7),
                        Optional.of(claim("u", Optional.empty())),
                        write(List.of(P), decisionTime)),
                Arguments.of(
                        "pending, before the decided version, as after a restore from a backup",
                        allocatedAtVersion(8),
                        Optional.of(claim("u", Optional.empty())),
                        completion(
                                CommitStatus.SUPERSEDED,
                                "claim team/a has changed since the decision and is decided again")),
                Arguments.of(
                        "pending, changed after the decision",
                        allocatedAtVersion(6),
                        Optional.of(claim("u", Optional.empty())),
                        completion(
                                CommitStatus.SUPERSEDED,
                                "claim team/a has changed since the decision and is decided again")),
                Arguments.of(
                        "own allocation, which changed the claim",
                        allocatedAtVersion(6),
                        Optional.of(claim("u", Optional.of(gpu("gpu-0")), P)),
                        committed),
                Arguments.of(
                        "own allocation", allocation, Optional.of(claim("u", Optional.of(gpu("gpu-0")), P)), committed),
                Arguments.of(
                        "own allocation, with the time of another writer",
                        allocatedDecision(1, "u", P, Q),
                        Optional.of(claim("u", Optional.of(gpu("gpu-0", otherTime)), P)),
                        new CommitStep.Write(
                                StatusChange.reserve(CLAIM, "u", 7, gpu("gpu-0", otherTime), List.of(P, Q)))),
                Arguments.of(
                        "own allocation, stored without all its fields",
                        DecisionSamples.sharedDeviceDecision(1),
                        allocatedBy(ClaimStatusClient.WRITER, gpu("gpu-0")),
                        new CommitStep.Clear(StatusChange.deallocate(CLAIM, "u", 7), UNKEPT)),
                Arguments.of(
                        "own allocation, with a device changed by a webhook",
                        allocation,
                        allocatedBy(ClaimStatusClient.WRITER, gpu("gpu-1")),
                        new CommitStep.Clear(StatusChange.deallocate(CLAIM, "u", 7), CHANGED)),
                Arguments.of(
                        "own allocation of another decision",
                        allocation,
                        allocatedBy(ClaimStatusClient.WRITER, gpu("gpu-1", otherTime)),
                        completion(CommitStatus.CONFLICT, OTHERWISE.formatted(OF_ANOTHER_TIME + ANOTHER))),
                Arguments.of(
                        "other client's allocation, of the same time",
                        allocation,
                        allocatedBy("kube-scheduler", gpu("gpu-1")),
                        completion(CommitStatus.CONFLICT, OTHERWISE.formatted(ANOTHER))),
                Arguments.of(
                        "other client's allocation, of the same device and time",
                        DecisionSamples.sharedDeviceDecision(1),
                        allocatedBy("kube-scheduler", gpu("gpu-0")),
                        completion(CommitStatus.CONFLICT, OTHERWISE.formatted(LEFT_OUT))),
                Arguments.of(
                        "the same device, but of another time",
                        DecisionSamples.sharedDeviceDecision(1),
                        Optional.of(claim("u", Optional.of(gpu("gpu-0", otherTime)), P)),
                        completion(CommitStatus.CONFLICT, OTHERWISE.formatted(OF_ANOTHER_TIME + LEFT_OUT))),
                Arguments.of(
                        "own allocation, reserved for more pods than decided",
                        allocation,
                        Optional.of(claim("u", Optional.of(gpu("gpu-0")), Q, P)),
                        committed),
                Arguments.of(
                        "other client's allocation",
                        allocation,
                        Optional.of(claim("u", Optional.of(gpu("gpu-1")))),
                        completion(CommitStatus.CONFLICT, OTHERWISE.formatted(ANOTHER))),
                Arguments.of(
                        "not there",
                        allocation,
                        Optional.empty(),
                        completion(CommitStatus.DELETED, "claim team/a was deleted")),
                Arguments.of(
                        "another object",
                        allocation,
                        Optional.of(claim("v", Optional.empty())),
                        completion(CommitStatus.DELETED, "claim team/a was deleted and recreated")),
                Arguments.of(
                        "a release clears nothing",
                        DecisionSamples.releasedDecision(1, "u"),
                        Optional.of(claim("u", Optional.of(gpu("gpu-0")), P)),
                        committed),
                Arguments.of(
                        "taken back in time",
                        DecisionSamples.revokedDecision(1, "u"),
                        Optional.of(claim("u", Optional.empty())),
                        completion(CommitStatus.REJECTED, NOT_THERE)),
                Arguments.of(
                        "taken back in time, and the claim is still as it was decided",
                        DecisionSamples.revokedDecision(1, "u", 7),
                        Optional.of(claim("u", Optional.empty())),
                        new CommitStep.AdvanceVersion(StatusChange.invalidateDecisions(CLAIM, "u", 7), NOT_THERE)),
                Arguments.of(
                        "taken back in time, and the claim has changed since it was decided",
                        DecisionSamples.revokedDecision(1, "u", 6),
                        Optional.of(claim("u", Optional.empty())),
                        completion(CommitStatus.REJECTED, NOT_THERE)),
                Arguments.of(
                        "taken back of another object",
                        DecisionSamples.revokedDecision(1, "u", 7),
                        Optional.of(claim("v", Optional.empty())),
                        completion(CommitStatus.REJECTED, NOT_THERE)),
                Arguments.of(
                        "taken back of a claim that is gone",
                        DecisionSamples.revokedDecision(1, "u", 7),
                        Optional.empty(),
                        completion(CommitStatus.REJECTED, NOT_THERE)),
                Arguments.of(
                        "taken back too late",
                        DecisionSamples.revokedDecision(1, "u"),
                        Optional.of(claim("u", Optional.of(gpu("gpu-0")), P)),
                        committed),
                Arguments.of(
                        "a wait",
                        DecisionSamples.pendingDecision(1, "u"),
                        Optional.of(claim("u", Optional.empty())),
                        committed));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("claims")
    void choosesStepAfterRead(String name, Decision decision, Optional<VersionedObject> read, CommitStep next) {
        assertThat(CommitStep.of(decision, read)).isEqualTo(next);
    }

    private static final String NOT_THERE = "claim team/a does not have the revoked allocation";

    private static final String UNKEPT =
            "the API server did not persist in claim team/a: allocation.devices.results[0].shareID;"
                    + " enable its feature gate DRAConsumableCapacity";

    private static final String OTHERWISE = "claim team/a has another allocation: %s";

    private static final String OF_ANOTHER_TIME =
            "allocation.allocationTimestamp (decided: 2026-01-01T00:00:00Z, stored: 2020-01-01T00:00:00Z), ";

    private static final Difference LEFT_OUT =
            new Difference("allocation.devices.results[0].shareID", Optional.of("s"), Optional.empty());

    private static final Difference ANOTHER =
            new Difference("allocation.devices.results[0].device", Optional.of("gpu-0"), Optional.of("gpu-1"));

    private static final String CHANGED =
            "the API server did not persist in claim team/a: allocation.devices.results[0].device (decided: gpu-0, stored:"
                    + " gpu-1); exclude this claim from the mutating"
                    + " webhook or policy that changes resourceclaims/status";

    private static CommitStep overloaded(String reason, Duration pause) {
        return new CommitStep.Completion(CommitResult.overloaded(reason, pause));
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of(new WriteResult.Success(8), new CommitStep.Completion(CommitResult.COMMITTED)),
                Arguments.of(
                        new WriteResult.Success(8, "5f3e"),
                        new CommitStep.Completion(CommitResult.COMMITTED.withAuditId("5f3e"))),
                Arguments.of(
                        new WriteResult.SuccessWithDifferences(8, List.of(LEFT_OUT)),
                        new CommitStep.Clear(StatusChange.deallocate(CLAIM, "u", 8), UNKEPT)),
                Arguments.of(
                        new WriteResult.SuccessWithDifferences(8, List.of(ANOTHER)),
                        new CommitStep.Clear(StatusChange.deallocate(CLAIM, "u", 8), CHANGED)),
                Arguments.of(
                        new WriteResult.SuccessWithDifferences(8, List.of(LEFT_OUT, ANOTHER)),
                        new CommitStep.Clear(
                                StatusChange.deallocate(CLAIM, "u", 8),
                                "the API server did not persist in claim team/a: allocation.devices.results[0].shareID,"
                                        + " allocation.devices.results[0].device (decided: gpu-0, stored: gpu-1);"
                                        + " enable its feature gate DRAConsumableCapacity, and exclude this claim from the mutating"
                                        + " webhook or policy that changes resourceclaims/status")),
                Arguments.of(
                        new WriteResult.SuccessWithDifferences(8, Collections.nCopies(7, ANOTHER)),
                        new CommitStep.Clear(
                                StatusChange.deallocate(CLAIM, "u", 8),
                                CHANGED.replace(
                                        ANOTHER.toString(),
                                        String.join(", ", Collections.nCopies(5, ANOTHER.toString()))
                                                + " and 2 more"))),
                Arguments.of(new WriteResult.Conflict(), new CommitStep.Reread()),
                Arguments.of(new WriteResult.NotFound(), completion(CommitStatus.DELETED, "claim team/a was deleted")),
                Arguments.of(
                        new WriteResult.Rejected("no"),
                        new CommitStep.AdvanceVersion(StatusChange.invalidateDecisions(CLAIM, "u", 7), "no")),
                Arguments.of(
                        new WriteResult.Forbidden("no right", "give it"),
                        completion(CommitStatus.FAILED, "no right: give it")),
                Arguments.of(
                        new WriteResult.TooManyRequests("too much", Duration.ofSeconds(3)),
                        overloaded("too much", Duration.ofSeconds(3))),
                Arguments.of(new WriteResult.Unknown("silence"), overloaded("silence", Duration.ZERO)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answers")
    void choosesStepAfterWrite(WriteResult result, CommitStep next) {
        var change = StatusChange.allocate(CLAIM, "u", 7, gpu("gpu-0"), List.of(P));
        assertThat(CommitStep.after(allocatedDecision(1, "u", P), change, result))
                .isEqualTo(next);
    }

    private static CommitStep stepAfterReserve(WriteResult result) {
        return CommitStep.after(
                allocatedDecision(1, "u", P), StatusChange.reserve(CLAIM, "u", 7, gpu("gpu-0"), List.of(P)), result);
    }

    /** Other consumers use the devices of the claim. */
    @Test
    void rejectedConsumerDoesNotAdvanceVersion() {
        assertThat(stepAfterReserve(new WriteResult.Rejected("no"))).isEqualTo(completion(CommitStatus.REJECTED, "no"));
    }

    @Test
    void droppedConsumerDoesNotClearClaim() {
        var dropped = new Difference("reservedFor[uid=uid-p]", Optional.of("p"), Optional.empty());
        assertThat(stepAfterReserve(new WriteResult.SuccessWithDifferences(8, List.of(dropped))))
                .isEqualTo(completion(
                        CommitStatus.FAILED,
                        "the API server did not persist in claim team/a: reservedFor[uid=uid-p]; exclude this claim from the mutating"
                                + " webhook or policy that changes resourceclaims/status"));
    }

    static Stream<Arguments> answersToOutdating() {
        return Stream.of(
                Arguments.of(new WriteResult.Success(8), completion(CommitStatus.REJECTED, NOT_THERE)),
                Arguments.of(new WriteResult.Conflict(), new CommitStep.Reread()),
                Arguments.of(new WriteResult.NotFound(), completion(CommitStatus.REJECTED, NOT_THERE)),
                Arguments.of(
                        new WriteResult.Rejected("no"),
                        completion(
                                CommitStatus.FAILED,
                                NOT_THERE + ", and its resourceVersion could not be advanced: no")),
                Arguments.of(
                        new WriteResult.Forbidden("no right", "give it"),
                        completion(CommitStatus.FAILED, "no right: give it")),
                Arguments.of(new WriteResult.Unknown("silence"), overloaded("silence", Duration.ZERO)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answersToOutdating")
    void choosesStepAfterVersionAdvance(WriteResult result, CommitStep next) {
        assertThat(CommitStep.afterAdvancingVersion(DecisionSamples.revokedDecision(1, "u", 7), NOT_THERE, result))
                .isEqualTo(next);
    }

    static Stream<Arguments> answersToOutdatingWhatWasRefused() {
        return Stream.of(
                Arguments.of(new WriteResult.Success(8), new CommitStep.Completion(CommitResult.rejected("why", 8))),
                Arguments.of(
                        new WriteResult.SuccessWithDifferences(8, List.of(ANOTHER)),
                        new CommitStep.Completion(CommitResult.rejected("why", 8))),
                Arguments.of(new WriteResult.Conflict(), new CommitStep.Reread()),
                Arguments.of(new WriteResult.NotFound(), completion(CommitStatus.DELETED, "claim team/a was deleted")),
                Arguments.of(
                        new WriteResult.Rejected("no"),
                        completion(CommitStatus.FAILED, "why, and its resourceVersion could not be advanced: no")),
                Arguments.of(
                        new WriteResult.Forbidden("no right", "give it"),
                        completion(CommitStatus.FAILED, "no right: give it")),
                Arguments.of(
                        new WriteResult.TooManyRequests("too much", Duration.ofSeconds(3)),
                        overloaded("too much", Duration.ofSeconds(3))),
                Arguments.of(new WriteResult.Unknown("silence"), overloaded("silence", Duration.ZERO)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answersToOutdatingWhatWasRefused")
    void choosesStepAfterVersionAdvanceOfRejection(WriteResult result, CommitStep next) {
        assertThat(CommitStep.afterAdvancingVersion(allocatedDecision(1, "u", P), "why", result))
                .isEqualTo(next);
    }

    static Stream<Arguments> answersToClearing() {
        return Stream.of(
                Arguments.of(new WriteResult.Success(9), new CommitStep.Completion(CommitResult.rejected("why", 9))),
                Arguments.of(new WriteResult.Conflict(), new CommitStep.Reread()),
                Arguments.of(new WriteResult.NotFound(), completion(CommitStatus.DELETED, "claim team/a was deleted")),
                Arguments.of(
                        new WriteResult.SuccessWithDifferences(9, List.of(LEFT_OUT)),
                        completion(
                                CommitStatus.FAILED,
                                "why, and could not be deallocated: allocation.devices.results[0].shareID; enable its"
                                        + " feature gate DRAConsumableCapacity")),
                Arguments.of(
                        new WriteResult.Rejected("no"),
                        completion(CommitStatus.FAILED, "why, and could not be deallocated: no")),
                Arguments.of(new WriteResult.Unknown("silence"), overloaded("silence", Duration.ZERO)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answersToClearing")
    void choosesStepAfterClear(WriteResult result, CommitStep next) {
        assertThat(CommitStep.afterClearing(allocatedDecision(1, "u", P), "why", result))
                .isEqualTo(next);
    }
}
