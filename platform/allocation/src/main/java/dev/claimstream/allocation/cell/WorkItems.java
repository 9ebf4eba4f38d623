package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/** Determines the work items: one exists while its pod or claim needs an allocation. */
public final class WorkItems {
    private WorkItems() {}

    /** The properties of a work item: the UID of its object and its rank. */
    public record WorkItemSpec(String uid, Rank rank) {}

    /**
     * The work item of a pod or claim, if it needs an allocation.
     *
     * <p>The predicate tells whether a cell allocated a claim as a standalone item.
     */
    static Optional<WorkItemSpec> specOf(ObservedState state, ItemId item, Predicate<ResourceClaim> isAllocatedHere) {
        return switch (item.kind()) {
            case POD ->
                state.pod(item.key()).filter(WorkItems::needsClaims).map(pod -> specOf(item, pod, pod.priority()));
            case CLAIM ->
                state.claim(item.key())
                        .filter(claim -> isStandalone(state, claim, isAllocatedHere))
                        .map(claim -> specOf(item, claim, 0));
        };
    }

    private static boolean needsClaims(Pod pod) {
        return !pod.finished()
                && !pod.meta().deleting()
                && pod.resourceClaims().stream()
                        .anyMatch(claim -> !(claim.source() instanceof PodClaim.ClaimSource.NoClaimNeeded));
    }

    /**
     * Whether the claim is a standalone item: not referenced by a pod, not owned by a pod or group, not allocated by
     * another allocator.
     *
     * <p>With immediate allocation even a finished pod counts as a reference: the resourceclaim controller of
     * Kubernetes clears such an allocation, and the cell would repeat it endlessly.
     */
    private static boolean isStandalone(
            ObservedState state, ResourceClaim claim, Predicate<ResourceClaim> isAllocatedHere) {
        return (claim.allocation().isEmpty() || isAllocatedHere.test(claim))
                && claim.meta()
                        .controller()
                        .filter(owner -> owner.isPod() || owner.isPodGroup())
                        .isEmpty()
                && !isUsed(state, claim.key());
    }

    private static boolean isUsed(ObservedState state, ObjectKey claim) {
        return ClaimConsumers.areRequired(state, claim)
                ? ClaimConsumers.areNamed(state, claim)
                : state.podsOf(claim).stream()
                        .flatMap(pod -> state.pod(pod).stream())
                        .findAny()
                        .isPresent();
    }

    private static WorkItemSpec specOf(ItemId item, ClusterObject object, int priority) {
        return new WorkItemSpec(object.meta().uid(), rank(item, object, priority));
    }

    /** The position of a pod in the scheduling queue. */
    public static Rank rank(Pod pod) {
        return rank(ItemId.pod(pod.key()), pod, pod.priority());
    }

    /** The position of a standalone claim in the scheduling queue. */
    public static Rank rank(ResourceClaim claim) {
        return rank(ItemId.claim(claim.key()), claim, 0);
    }

    private static Rank rank(ItemId item, ClusterObject object, int priority) {
        ObjectMeta meta = object.meta();
        return new Rank(priority, meta.created().orElse(Instant.EPOCH), meta.sequence(), item);
    }
}
