package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.Verdict;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClaimStatus.Answer;
import dev.claimstream.kubernetes.ClaimStatus.Change;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.writer.Commits.Outcome;
import dev.claimstream.writer.Commits.Result;
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
 *   <li>Mark the claim with the decision ({@link DeallocationMark}). {@link Ungating} opens no gate for a marked claim,
 *       unless it commits a later decision; then it removes the mark first.
 *   <li>Touch each gated pod that the reservation could bind. A writer that read such a pod before the mark can no
 *       longer open its gate.
 *   <li>Clear the claim at the version that the mark gave it. If the mark was removed, the claim has a newer version
 *       and the write conflicts.
 * </ol>
 *
 * <p>After a crash between two writes, this or another writer repeats all three, or a later decision removes the mark.
 */
final class Deallocations {
    /** Conflicting writes of one claim before the deallocation is retried later. */
    private static final int WRITES_MAX = 5;

    private final ClaimStatus status;
    private final PodGates gates;

    Deallocations(ClaimStatus status, PodGates gates) {
        this.status = status;
        this.gates = gates;
    }

    /**
     * Commits a deallocation.
     *
     * @return committed if the claim has no allocation any more; rejected if it must not be cleared: before the mark
     *     for the version that was decided, after it up to the version of the mark
     */
    Outcome commit(Decision decision, Verdict.Deallocation what) {
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Optional<Versioned> read = status.read(decision.claim())
                    .filter(each -> each.object().meta().uid().equals(decision.claimUid()));
            if (read.isEmpty()) {
                return new Outcome(Result.GONE, "claim %s is gone".formatted(decision.claim()));
            }
            Optional<Outcome> outcome = attempt(decision, what, read.get());
            if (outcome.isPresent()) {
                return outcome.get();
            }
        }
        return Outcome.failed("claim %s changed %d times meanwhile".formatted(decision.claim(), WRITES_MAX));
    }

    /** Makes one attempt; empty if an object changed meanwhile and everything has to be read again. */
    private Optional<Outcome> attempt(Decision decision, Verdict.Deallocation what, Versioned read) {
        ResourceClaim claim = (ResourceClaim) read.object();
        if (claim.allocation().isEmpty()) {
            return Optional.of(Outcome.COMMITTED);
        }
        Optional<String> obstacle = obstacle(decision, what, claim, read.version());
        if (obstacle.isPresent()) {
            // rejected for the version that was decided: the change that was read may need another decision
            return rejected(obstacle.get(), what.claimVersion());
        }
        var mark = new DeallocationMark(status.log(), decision.claimUid(), decision.number());
        Answer marked = status.mark(read, Optional.of(mark.text()));
        if (!(marked instanceof Answer.Written(long version))) {
            return outcome(marked, read.version());
        }
        Hold held = hold(decision, what.consumer(), version);
        if (!held.isComplete()) {
            return held.outcome();
        }
        Answer cleared = status.write(Change.clear(claim.key(), decision.claimUid(), version));
        return cleared instanceof Answer.Written ? Optional.of(Outcome.COMMITTED) : outcome(cleared, version);
    }

    /**
     * Result of fencing the pods.
     *
     * @param isComplete whether every pod that could be bound stays at its gate
     * @param outcome why a pod does not; empty if an object changed meanwhile and everything has to be read again
     */
    private record Hold(boolean isComplete, Optional<Outcome> outcome) {}

    /** Returns why the claim must not be cleared; empty if it may. */
    private Optional<String> obstacle(Decision decision, Verdict.Deallocation what, ResourceClaim claim, long version) {
        if (!claim.allocation().orElseThrow().results().equals(what.allocation().results())) {
            return Optional.of("claim %s is allocated otherwise".formatted(claim.key()));
        }
        Optional<Consumer> other = claim.reservedFor().stream()
                .filter(each -> !each.uid().equals(what.consumer().uid()))
                .findFirst();
        if (other.isPresent()) {
            return Optional.of("claim %s is reserved for %s"
                    .formatted(claim.key(), other.get().name()));
        }
        boolean isMarked = DeallocationMark.number(claim, status.log()).equals(Optional.of(decision.number()));
        return version == what.claimVersion() || isMarked
                ? Optional.empty()
                : Optional.of("claim %s has changed since the decision".formatted(claim.key()));
    }

    /** Touches the pods that could be bound with the current reservation of the claim. */
    private Hold hold(Decision decision, Consumer consumer, long version) {
        List<GatedPod> users = gates.podsIn(decision.claim().namespace()).stream()
                .filter(each -> !each.pod().finished() && mayUse(each.pod(), decision.claim(), consumer))
                .toList();
        Optional<GatedPod> bound =
                users.stream().filter(each -> each.pod().nodeName().isPresent()).findFirst();
        if (bound.isPresent()) {
            return new Hold(
                    false,
                    rejected(
                            "pod %s is bound and uses it"
                                    .formatted(bound.get().pod().key()),
                            version));
        }
        List<GatedPod> reserved =
                users.stream().filter(each -> isConsumer(each.pod(), consumer)).toList();
        Optional<GatedPod> free =
                reserved.stream().filter(each -> !gates.isHeld(each)).findFirst();
        if (free.isPresent() || reserved.isEmpty()) {
            String why = free.map(each -> "pod %s is not at the gate any more"
                            .formatted(each.pod().key()))
                    .orElseGet(() -> "%s is gone".formatted(decision.item()));
            return new Hold(false, rejected(why, version));
        }
        for (GatedPod each : reserved) {
            Answer answer = gates.touch(each, "%s %d".formatted(decision.claimUid(), decision.number()));
            if (!(answer instanceof Answer.Written)) {
                return new Hold(false, outcome(answer, version));
            }
        }
        return new Hold(true, Optional.empty());
    }

    /** Whether a pod uses the claim, or could: the status of a group's pod may not name all its claims yet. */
    private static boolean mayUse(Pod pod, ObjectKey claim, Consumer consumer) {
        return pod.claims().contains(claim)
                || (consumer.isPodGroup()
                        && isConsumer(pod, consumer)
                        && pod.resourceClaims().stream()
                                .anyMatch(each -> each.source() instanceof PodClaim.Source.FromTemplate));
    }

    private static boolean isConsumer(Pod pod, Consumer consumer) {
        return consumer.isPodGroup()
                ? pod.podGroup().equals(Optional.of(consumer.name()))
                : pod.meta().uid().equals(consumer.uid());
    }

    private static Optional<Outcome> rejected(String why, long version) {
        return Optional.of(Outcome.refused(why, version));
    }

    /** Maps the result of a failed write; empty if everything has to be read again. */
    private static Optional<Outcome> outcome(Answer answer, long version) {
        return switch (answer) {
            case Answer.Written _ -> Optional.empty();
            case Answer.Changed _, Answer.Missing _ -> Optional.empty();
            case Answer.Altered(long _, var differences) ->
                Optional.of(Outcome.failed("the claim is not cleared: " + Unkept.fields(differences)));
            case Answer.Refused(String why) -> rejected(why, version);
            case Answer.NotAllowed(String why, String remedy) -> Optional.of(Outcome.failed(why + ": " + remedy));
            case Answer.SlowDown(String why, var pause) -> Optional.of(Outcome.overloaded(why, pause));
            // the retry reads first, and finds what was written
            case Answer.Unknown(String why) -> Optional.of(Outcome.overloaded(why, Duration.ZERO));
        };
    }
}
