package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Deallocates a claim whose allocation excludes its only pod from every node, so that it is allocated again (ADR 38).
 *
 * <p>A pod that is already in {@code reservedFor} is bound without another write of the claim. Hence the
 * resourceVersion of the claim alone does not keep the pod at its gate, and three writes are needed, each at the
 * version that was read:
 *
 * <ol>
 *   <li>Mark the claim with the decision ({@link DeallocationMark}). {@link GateOpener} opens no gate for a marked claim,
 *       unless it commits a later decision; then it removes the mark first.
 *   <li>Touch each gated pod that the reservation could bind. A writer that read such a pod before the mark can no
 *       longer open its gate.
 *   <li>Clear the claim at the version that the mark gave it. If the mark was removed, the claim has a newer version
 *       and the write conflicts.
 * </ol>
 *
 * <p>After a crash between two writes, this or another writer repeats all three, or a later decision removes the mark.
 */
final class ClaimDeallocator {
    /** Conflicting writes of one claim before the deallocation is retried later. */
    private static final int WRITES_MAX = 5;

    private final ClaimStatusClient status;
    private final PodGates gates;

    ClaimDeallocator(ClaimStatusClient status, PodGates gates) {
        this.status = status;
        this.gates = gates;
    }

    /**
     * Commits a deallocation.
     *
     * @return committed if the claim has no allocation any more; rejected if it must not be cleared: before the mark
     *     for the version that was decided, after it up to the version of the mark
     */
    CommitResult commit(Decision decision, DecisionResult.Deallocation deallocation) {
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Optional<VersionedObject> read = status.read(decision.claim())
                    .filter(each -> each.object().meta().uid().equals(decision.claimUid()));
            if (read.isEmpty()) {
                return new CommitResult(CommitStatus.DELETED, "claim %s was deleted".formatted(decision.claim()));
            }
            Optional<CommitResult> outcome = attempt(decision, deallocation, read.get());
            if (outcome.isPresent()) {
                return outcome.get();
            }
        }
        return CommitResult.failed(
                "claim %s changed %d times during the write".formatted(decision.claim(), WRITES_MAX));
    }

    /** Makes one attempt; empty if an object changed meanwhile and everything has to be read again. */
    private Optional<CommitResult> attempt(
            Decision decision, DecisionResult.Deallocation deallocation, VersionedObject read) {
        ResourceClaim claim = (ResourceClaim) read.object();
        if (claim.allocation().isEmpty()) {
            return Optional.of(CommitResult.COMMITTED);
        }
        Optional<String> obstacle = obstacle(decision, deallocation, claim, read.version());
        if (obstacle.isPresent()) {
            // rejected for the version that was decided: the change that was read may need another decision
            return rejected(obstacle.get(), deallocation.claimVersion());
        }
        var mark = new DeallocationMark(status.logId(), decision.claimUid(), decision.number());
        WriteResult marked = status.setDeallocationMark(read, Optional.of(mark.text()));
        if (!(marked instanceof WriteResult.Success(long version, String _))) {
            return outcome(marked, read.version());
        }
        FenceResult fence = fencePods(decision, deallocation.consumer(), version);
        if (!fence.isComplete()) {
            return fence.outcome();
        }
        WriteResult cleared = status.write(StatusChange.deallocate(claim.key(), decision.claimUid(), version));
        return cleared instanceof WriteResult.Success ? Optional.of(CommitResult.COMMITTED) : outcome(cleared, version);
    }

    /**
     * Result of fencing the pods.
     *
     * @param isComplete whether every pod that could be bound stays at its gate
     * @param outcome why a pod does not; empty if an object changed meanwhile and everything has to be read again
     */
    private record FenceResult(boolean isComplete, Optional<CommitResult> outcome) {}

    /** Returns why the claim must not be cleared; empty if it may. */
    private Optional<String> obstacle(
            Decision decision, DecisionResult.Deallocation deallocation, ResourceClaim claim, long version) {
        if (!claim.allocation()
                .orElseThrow()
                .results()
                .equals(deallocation.allocation().results())) {
            return Optional.of("claim %s has another allocation".formatted(claim.key()));
        }
        Optional<ClaimConsumer> other = claim.reservedFor().stream()
                .filter(each -> !each.uid().equals(deallocation.consumer().uid()))
                .findFirst();
        if (other.isPresent()) {
            return Optional.of("claim %s is reserved for %s"
                    .formatted(claim.key(), other.get().name()));
        }
        boolean isMarked = DeallocationMark.number(claim, status.logId()).equals(Optional.of(decision.number()));
        return version == deallocation.claimVersion() || isMarked
                ? Optional.empty()
                : Optional.of("claim %s has changed since the decision".formatted(claim.key()));
    }

    /** Touches the pods that could be bound with the current reservation of the claim. */
    private FenceResult fencePods(Decision decision, ClaimConsumer consumer, long version) {
        List<GatedPod> users = gates.listPods(decision.claim().namespace()).stream()
                .filter(each -> !each.pod().finished() && mayUse(each.pod(), decision.claim(), consumer))
                .toList();
        Optional<GatedPod> bound =
                users.stream().filter(each -> each.pod().nodeName().isPresent()).findFirst();
        if (bound.isPresent()) {
            return new FenceResult(
                    false,
                    rejected(
                            "pod %s is bound and uses it"
                                    .formatted(bound.get().pod().key()),
                            version));
        }
        List<GatedPod> reserved =
                users.stream().filter(each -> isConsumer(each.pod(), consumer)).toList();
        Optional<GatedPod> free =
                reserved.stream().filter(each -> !gates.isBlocked(each)).findFirst();
        if (free.isPresent() || reserved.isEmpty()) {
            String reason = free.map(each -> "pod %s has no scheduling gate any more"
                            .formatted(each.pod().key()))
                    .orElseGet(() -> "%s was deleted".formatted(decision.item()));
            return new FenceResult(false, rejected(reason, version));
        }
        for (GatedPod each : reserved) {
            WriteResult result =
                    gates.markDeallocation(each, "%s %d".formatted(decision.claimUid(), decision.number()));
            if (!(result instanceof WriteResult.Success)) {
                return new FenceResult(false, outcome(result, version));
            }
        }
        return new FenceResult(true, Optional.empty());
    }

    /** Whether a pod uses the claim, or could: the status of a group's pod may not name all its claims yet. */
    private static boolean mayUse(Pod pod, ObjectKey claim, ClaimConsumer consumer) {
        return pod.claims().contains(claim)
                || (consumer.isPodGroup()
                        && isConsumer(pod, consumer)
                        && pod.resourceClaims().stream()
                                .anyMatch(each -> each.source() instanceof PodClaim.ClaimSource.TemplateReference));
    }

    private static boolean isConsumer(Pod pod, ClaimConsumer consumer) {
        return consumer.isPodGroup()
                ? pod.podGroup().equals(Optional.of(consumer.name()))
                : pod.meta().uid().equals(consumer.uid());
    }

    private static Optional<CommitResult> rejected(String reason, long version) {
        return Optional.of(CommitResult.rejected(reason, version));
    }

    /** Maps the result of a failed write; empty if everything has to be read again. */
    private static Optional<CommitResult> outcome(WriteResult result, long version) {
        return switch (result) {
            case WriteResult.Success _ -> Optional.empty();
            case WriteResult.Conflict _, WriteResult.NotFound _ -> Optional.empty();
            case WriteResult.SuccessWithDifferences(long _, var differences) ->
                Optional.of(
                        CommitResult.failed("the claim is not deallocated: " + UnpersistedField.describe(differences)));
            case WriteResult.Rejected(String reason) -> rejected(reason, version);
            case WriteResult.Forbidden(String reason, String remedy) ->
                Optional.of(CommitResult.failed(reason + ": " + remedy));
            case WriteResult.TooManyRequests(String reason, var pause) ->
                Optional.of(CommitResult.overloaded(reason, pause));
            // the retry reads first, and finds what was written
            case WriteResult.Unknown(String reason) -> Optional.of(CommitResult.overloaded(reason, Duration.ZERO));
        };
    }
}
