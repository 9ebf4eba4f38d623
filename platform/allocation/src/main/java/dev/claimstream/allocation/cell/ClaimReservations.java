package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;

/** The consumers that a claim is reserved for, in its status or by the cell's own decision. */
final class ClaimReservations {
    private ClaimReservations() {}

    /** The consumers of a claim: those in its status, and existing ones of the cell's own decision. */
    static List<ClaimConsumer> of(ObservedState state, ResourceClaim claim) {
        var named = new LinkedHashSet<>(claim.reservedFor());
        var consumers = new LinkedHashSet<ClaimConsumer>();
        decidedConsumers(state, claim)
                .filter(each -> named.contains(each) || exists(state, claim, each))
                .forEach(consumers::add);
        consumers.addAll(claim.reservedFor());
        return List.copyOf(consumers);
    }

    /**
     * Whether a claim is reserved for a consumer. Does not build {@link #of}, because each pod of a shared claim
     * runs this at each change.
     */
    static boolean has(ObservedState state, ResourceClaim claim, ClaimConsumer consumer) {
        return claim.reservedFor().stream().anyMatch(each -> isSame(each, consumer))
                || decidedConsumers(state, claim)
                        .anyMatch(each -> isSame(each, consumer) && exists(state, claim, each));
    }

    private static Stream<ClaimConsumer> decidedConsumers(ObservedState state, ResourceClaim claim) {
        return state.decidedAllocation(claim.meta().uid()).map(ClaimRow.AllocationRow::reservedFor).stream()
                .flatMap(List::stream);
    }

    private static boolean exists(ObservedState state, ResourceClaim claim, ClaimConsumer consumer) {
        var key = new ObjectKey(claim.meta().namespace(), consumer.name());
        if (consumer.isPodGroup()) {
            return state.podGroup(key)
                    .filter(group -> group.meta().uid().equals(consumer.uid()))
                    .isPresent();
        }
        return state.pod(key)
                .filter(pod -> pod.meta().uid().equals(consumer.uid()) && !pod.finished())
                .isPresent();
    }

    /** PodGroups are compared by name: a pod references its group by name only, and so does Kubernetes. */
    private static boolean isSame(ClaimConsumer one, ClaimConsumer other) {
        return (one.isPodGroup() && other.isPodGroup()) ? one.name().equals(other.name()) : one.equals(other);
    }
}
