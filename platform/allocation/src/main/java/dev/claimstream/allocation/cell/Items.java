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

/** Which work items there are: an item exists as long as its pod or claim wants something. */
public final class Items {
    private Items() {}

    /** What wants something, and when it is its turn. */
    public record Wanted(String uid, Rank rank) {}

    /**
     * The item, if it wants something.
     *
     * @param isOurs whether a claim that is allocated was given that by us, as an item of its own
     */
    public static Optional<Wanted> wanted(State state, ItemId item, Predicate<ResourceClaim> isOurs) {
        return switch (item.sort()) {
            case POD ->
                state.pod(item.key()).filter(Items::wantsSomething).map(pod -> wanted(item, pod, pod.priority()));
            case CLAIM ->
                state.claim(item.key())
                        .filter(claim -> standsAlone(state, claim, isOurs))
                        .map(claim -> wanted(item, claim, 0));
        };
    }

    private static boolean wantsSomething(Pod pod) {
        return !pod.finished()
                && !pod.meta().deleting()
                && pod.resourceClaims().stream()
                        .anyMatch(claim -> !(claim.source() instanceof PodClaim.Source.NotNeeded));
    }

    /**
     * Whether the claim is a work item of its own: no pod names or owns it, and no other scheduler has allocated it. Where claims are
     * allocated at once, a finished pod counts as well: Kubernetes' resourceclaim controller clears such an allocation, and the cell would
     * repeat it without end.
     */
    private static boolean standsAlone(State state, ResourceClaim claim, Predicate<ResourceClaim> isOurs) {
        return (claim.allocation().isEmpty() || isOurs.test(claim))
                && claim.meta()
                        .controller()
                        .filter(owner ->
                                owner.kind().equals("Pod") || owner.kind().equals("PodGroup"))
                        .isEmpty()
                && !isNamed(state, claim.key());
    }

    private static boolean isNamed(State state, ObjectKey claim) {
        return Consumers.isAwaited(state, claim)
                ? Consumers.isNamed(state, claim)
                : state.podsOf(claim).stream()
                        .flatMap(pod -> state.pod(pod).stream())
                        .findAny()
                        .isPresent();
    }

    private static Wanted wanted(ItemId item, ClusterObject object, int priority) {
        ObjectMeta meta = object.meta();
        return new Wanted(meta.uid(), new Rank(priority, meta.created().orElse(Instant.EPOCH), meta.sequence(), item));
    }
}
