package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Decision.DecisionResult;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.PodGates;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Removes the scheduling gate of a pod when every managed claim is allocated and reserved for it.
 *
 * <p>The gate is removed after the API server has acknowledged the claim, so kube-scheduler sees the claims no later
 * than the writer does. Several writers may commit claims of one pod: the writer of the last claim finds all of them
 * ready. Safe for use by several threads.
 */
final class GateOpener {
    private static final int GROUPS_MAX = 10_000;

    /** Conflicting writes of one pod before its gate is retried later. */
    private static final int WRITES_MAX = 5;

    private final ClaimStatusClient status;
    private final PodGates gates;
    private final PinPolicy pin;
    private final Set<String> openedGroups = ConcurrentHashMap.newKeySet();

    GateOpener(ClaimStatusClient status, PodGates gates, PinPolicy pin) {
        this.status = status;
        this.gates = gates;
        this.pin = pin;
    }

    /**
     * Opens the gates of the consumers of a committed claim.
     *
     * @param consumers the consumers to check
     * @return committed if nothing is left to do now; otherwise an outcome to retry
     */
    CommitResult open(Decision decision, DecisionResult.Allocated allocated, List<ClaimConsumer> consumers) {
        for (ClaimConsumer each : consumers) {
            CommitResult outcome = each.isPodGroup()
                    ? openGroup(decision, allocated, each)
                    : isPod(each) ? openPod(decision, allocated, each, false) : CommitResult.COMMITTED;
            if (outcome.isRetriable()) {
                return outcome;
            }
        }
        return CommitResult.COMMITTED;
    }

    private static boolean isPod(ClaimConsumer consumer) {
        return consumer.resource().equals("pods") && consumer.apiGroup().isEmpty();
    }

    /**
     * Opens the gates of the pods of a PodGroup that the claim is reserved for.
     *
     * <p>The decision is repeated for each pod that is created later. Pods that existed before, or were created while
     * no writer ran, are found by one list of the namespace per claim.
     */
    private CommitResult openGroup(Decision decision, DecisionResult.Allocated allocated, ClaimConsumer group) {
        boolean isKnown = openedGroups.contains(decision.claimUid());
        List<GatedPod> pods = isKnown
                ? gates.readPod(decision.item().key()).filter(GatedPod::isGated).stream()
                        .toList()
                : gates.listGatedPods(decision.claim().namespace());
        for (GatedPod each : pods) {
            Pod pod = each.pod();
            if (pod.podGroup().equals(Optional.of(group.name()))
                    && claims(each)
                            .anyMatch(name ->
                                    name.equals(Optional.of(decision.claim().name())))) {
                CommitResult outcome = openPod(
                        decision,
                        allocated,
                        ClaimConsumer.pod(pod.meta().name(), pod.meta().uid()),
                        true);
                if (outcome.isRetriable()) {
                    return outcome;
                }
            }
        }
        if (openedGroups.size() >= GROUPS_MAX) {
            openedGroups.clear(); // costs one more list per claim
        }
        openedGroups.add(decision.claimUid());
        return CommitResult.COMMITTED;
    }

    /** @param group whether the claim is reserved for the group of the pod */
    private CommitResult openPod(
            Decision decision, DecisionResult.Allocated allocated, ClaimConsumer consumer, boolean group) {
        var key = new ObjectKey(decision.claim().namespace(), consumer.name());
        PinPolicy chosen = pin;
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Optional<GatedPod> pod = gates.readCachedPod(key, consumer.uid())
                    .filter(each -> each.pod().meta().uid().equals(consumer.uid()))
                    .filter(GatedPod::isGated);
            Optional<CommitResult> blocking =
                    pod.map(each -> blockingOutcome(each, decision, group)).orElse(Optional.of(CommitResult.COMMITTED));
            if (blocking.isPresent()) {
                return blocking.get();
            }
            WriteResult result = gates.removeGate(pod.get(), chosen.node(pod.get(), allocated.allocation()));
            if (result instanceof WriteResult.Rejected && chosen != PinPolicy.NEVER) {
                chosen = PinPolicy.NEVER; // the pod opens unpinned if its affinity cannot name the node
            } else if (!(result instanceof WriteResult.Conflict)) {
                return outcome(decision, key, result);
            }
        }
        return changedMeanwhile(key);
    }

    /**
     * Opens the gate of a pod that has no managed claim.
     *
     * <p>An admission policy cannot see whether the claims of a pod are managed, so it also gates pods of other
     * drivers.
     */
    CommitResult openUnmanaged(Decision decision) {
        if (decision.item().kind() != ItemId.ItemKind.POD) {
            return CommitResult.COMMITTED;
        }
        ObjectKey key = decision.item().key();
        for (int writes = 0; writes < WRITES_MAX; writes++) {
            Optional<GatedPod> pod =
                    gates.readPod(key).filter(GatedPod::isGated).filter(this::hasOnlyUnmanagedClaims);
            if (pod.isEmpty()) {
                return CommitResult.COMMITTED;
            }
            WriteResult result = gates.removeGate(pod.get(), Optional.empty());
            if (!(result instanceof WriteResult.Conflict)) {
                return outcome(decision, key, result);
            }
        }
        return changedMeanwhile(key);
    }

    private static CommitResult changedMeanwhile(ObjectKey pod) {
        return CommitResult.failed(
                "pod %s changed %d times while its scheduling gate was removed".formatted(pod, WRITES_MAX));
    }

    private boolean hasOnlyUnmanagedClaims(GatedPod pod) {
        return claims(pod)
                .allMatch(claim -> claim.flatMap(name ->
                                status.read(new ObjectKey(pod.pod().meta().namespace(), name)))
                        .filter(found -> !gates.isManaged((ResourceClaim) found.object()))
                        .isPresent());
    }

    /** The names of the pod's claims; an empty Optional for a claim that is not created yet. */
    static Stream<Optional<String>> claims(GatedPod pod) {
        return pod.pod().resourceClaims().stream().map(PodClaim::source).flatMap(source -> switch (source) {
            case PodClaim.ClaimSource.ClaimReference(String claim) -> Stream.of(Optional.of(claim));
            case PodClaim.ClaimSource.GeneratedClaim(String _, String claim) -> Stream.of(Optional.of(claim));
            case PodClaim.ClaimSource.TemplateReference _ -> Stream.of(Optional.<String>empty());
            case PodClaim.ClaimSource.NoClaimNeeded _ -> Stream.empty();
        });
    }

    private static CommitResult outcome(Decision decision, ObjectKey pod, WriteResult result) {
        return switch (CommitStep.after(decision, ClaimStatusClient.WriteScope.ALL, result)) {
            case CommitStep.Completion(CommitResult outcome) when outcome.isRetriable() -> outcome;
            case CommitStep.Completion(CommitResult outcome)
            when outcome.status() == CommitStatus.REJECTED ->
                CommitResult.failed(
                        "the scheduling gate of pod %s cannot be removed: %s".formatted(pod, outcome.message()));
            case CommitStep.Completion _,
                    CommitStep.Clear _,
                    CommitStep.AdvanceVersion _,
                    CommitStep.Redecision _,
                    CommitStep.Reread _,
                    CommitStep.Write _ -> CommitResult.COMMITTED;
        };
    }

    /**
     * Returns why the gate stays closed; empty if every claim is allocated and reserved for the pod.
     *
     * <p>The outcome is committed if a claim is not ready: another decision will open the gate.
     *
     * <p>The pod was read before its claims. If a claim is marked for deallocation afterwards, its pods are touched, so
     * the write at the version that was read conflicts ({@link ClaimDeallocator}). A pod of a group may be created after
     * the other pods were touched; hence the committed claim of a group is read again as well.
     */
    private Optional<CommitResult> blockingOutcome(GatedPod pod, Decision decision, boolean group) {
        boolean isReadAgain =
                group || pod.pod().meta().annotations().containsKey(ClaimStatusClient.DEALLOCATION_ANNOTATION);
        for (Optional<String> claim : claims(pod).toList()) {
            if (claim.isEmpty()) {
                return Optional.of(CommitResult.COMMITTED);
            }
            boolean isClaimOfDecision = claim.get().equals(decision.claim().name());
            Optional<CommitResult> blocking =
                    isClaimOfDecision && !isReadAgain ? Optional.empty() : blockingOutcome(pod, claim.get(), decision);
            if (blocking.isPresent()) {
                return blocking;
            }
        }
        return Optional.empty();
    }

    private Optional<CommitResult> blockingOutcome(GatedPod pod, String claim, Decision decision) {
        Optional<VersionedObject> found = status.read(
                        new ObjectKey(decision.claim().namespace(), claim))
                .filter(each -> {
                    var now = (ResourceClaim) each.object();
                    return isReserved(now, pod.pod()) || isPendingUnmanaged(now);
                });
        return found.map(each -> removeEarlierMark(pod, each, decision)).orElse(Optional.of(CommitResult.COMMITTED));
    }

    /**
     * Removes the deallocation mark of an earlier decision; returns why the gate stays closed, if it does.
     *
     * <p>The later decision wins: a writer that still commits the earlier one can no longer clear the claim.
     */
    private Optional<CommitResult> removeEarlierMark(GatedPod pod, VersionedObject claim, Decision decision) {
        Optional<Long> mark = DeallocationMark.number((ResourceClaim) claim.object(), status.logId());
        if (mark.isEmpty()) {
            return Optional.empty();
        }
        if (mark.get() >= decision.number()) {
            return Optional.of(CommitResult.COMMITTED);
        }
        return switch (status.setDeallocationMark(claim, Optional.empty())) {
            case WriteResult.Success _ -> Optional.empty();
            case WriteResult.Conflict _ ->
                Optional.of(CommitResult.failed("claim %s changed during the commit"
                        .formatted(claim.object().key())));
            case WriteResult other -> Optional.of(outcome(decision, pod.pod().key(), other));
        };
    }

    private static boolean isReserved(ResourceClaim claim, Pod pod) {
        return claim.allocation().isPresent()
                && claim.reservedFor().stream()
                        .anyMatch(each -> each.isPodGroup()
                                ? pod.podGroup().equals(Optional.of(each.name()))
                                : each.uid().equals(pod.meta().uid()));
    }

    /** Whether a claim is pending and unmanaged: its own allocator acts only after the gate is open. */
    private boolean isPendingUnmanaged(ResourceClaim claim) {
        return claim.allocation().isEmpty() && !gates.isManaged(claim);
    }
}
