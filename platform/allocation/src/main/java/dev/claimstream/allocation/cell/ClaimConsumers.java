package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pods and PodGroups that use a claim.
 *
 * <p>A claim of a cluster is allocated only while a pod uses it, as in kube-scheduler, because the claim's node follows
 * from the pod. A PodGroup keeps allocated claims, but gets none before its first pod exists.
 */
final class ClaimConsumers {
    private ClaimConsumers() {}

    /** Whether a claim is allocated only while it has a consumer; its source decides. */
    static boolean areRequired(ObservedState state, ObjectKey claim) {
        return state.object(Kind.RESOURCE_CLAIM, claim)
                .filter(row -> row.stamp().timing() == AllocationTiming.WAIT_FOR_CONSUMER)
                .isPresent();
    }

    /** Whether an unfinished pod references the claim, in its spec or status. */
    static boolean areNamed(ObservedState state, ObjectKey claim) {
        return pods(state, claim).anyMatch(pod -> !pod.finished());
    }

    /** Whether an unfinished pod or a PodGroup may use the claim. */
    static boolean exist(ObservedState state, ResourceClaim claim) {
        return pods(state, claim.key()).anyMatch(pod -> !pod.finished() && resolves(state, pod, claim))
                || group(state, claim).isPresent();
    }

    /** A message that tells why a claim has no pod, and what to do. */
    static String missingMessage(ObservedState state, ResourceClaim claim) {
        Optional<ObjectKey> group = group(state, claim);
        if (group.isPresent()) {
            return "pod group %s uses claim %s, but none of its pods does: the claim is allocated when the first such pod exists"
                    .formatted(group.get(), claim.key());
        }
        boolean hasFinished = pods(state, claim.key()).findAny().isPresent();
        return "no pod uses claim %s%s: create a pod that names it in spec.resourceClaims"
                .formatted(claim.key(), hasFinished ? " any more, all that name it have finished" : "");
    }

    private static Stream<Pod> pods(ObservedState state, ObjectKey claim) {
        return state.podsOf(claim).stream().flatMap(key -> state.pod(key).stream());
    }

    private static boolean resolves(ObservedState state, Pod pod, ResourceClaim claim) {
        Optional<String> group = pod.podGroup().filter(_ -> arePodGroupsEnabled(state));
        return pod.resourceClaims().stream()
                .filter(entry -> pod.claim(entry).equals(Optional.of(claim.key())))
                .anyMatch(entry -> pod.mayUse(entry, claim, group));
    }

    /** The PodGroup that owns the claim, or the first one that references it. */
    private static Optional<ObjectKey> group(ObservedState state, ResourceClaim claim) {
        return arePodGroupsEnabled(state)
                ? owner(state, claim)
                        .or(() -> state.podIndex().groupsOf(claim.key()).stream()
                                .filter(_ -> claim.meta().controller().isEmpty())
                                .findFirst())
                : Optional.empty();
    }

    private static Optional<ObjectKey> owner(ObservedState state, ResourceClaim claim) {
        return claim.meta()
                .controller()
                .filter(Owner::isPodGroup)
                .flatMap(owner -> state.podGroup(new ObjectKey(claim.meta().namespace(), owner.name()))
                        .filter(group -> group.meta().uid().equals(owner.uid())))
                .map(group -> group.key());
    }

    private static boolean arePodGroupsEnabled(ObservedState state) {
        return state.settings().features().has(Feature.WORKLOAD_RESOURCE_CLAIMS);
    }

    // ---- allocations without consumers
    // ------------------------------------------------------------------------------

    /** Revokes uncommitted allocations of claims that have no consumer any more. */
    static StateChange revokeUnused(ObservedState state, Iterable<ObjectKey> claims) {
        var change = new StateChange();
        for (ObjectKey key : claims) {
            state.claim(key)
                    .filter(claim ->
                            areRequired(state, key) && claim.allocation().isEmpty())
                    .flatMap(claim -> state.decidedAllocation(claim.meta().uid())
                            .filter(ClaimRow.AllocationRow::isUnconfirmed)
                            .filter(_ -> !exist(state, claim)))
                    .ifPresent(decided -> withdraw(change, decided, state));
        }
        return change;
    }

    /** An allocation of observe-only mode keeps its last comparison: kube-scheduler has not allocated the claim. */
    private static void withdraw(StateChange change, ClaimRow.AllocationRow decided, ObservedState state) {
        if (decided.isObserved()) {
            change.release(decided, state);
            change.touchUsersOf(decided, state);
        } else {
            change.revoke(decided, state, "no pod uses claim %s any more".formatted(decided.claim()));
        }
    }

    /** The claims of all decided allocations. */
    static List<ObjectKey> decidedClaims(ObservedState state) {
        return state.rows(ClaimRow.AllocationRow.ALL).stream()
                .map(ClaimRow.AllocationRow::claim)
                .toList();
    }
}
