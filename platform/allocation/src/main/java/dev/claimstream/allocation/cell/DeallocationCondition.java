package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The condition under which a claim's allocation may be cleared for a pod.
 *
 * <p>It is that of PostFilter in kube-scheduler ({@code pkg/scheduler/framework/plugins/dynamicresources}):
 * {@code reservedFor} is empty or names exactly this pod. A claim may also name the pod's PodGroup while all pods of
 * the group are gated.
 *
 * @param isPending whether the claims of a pod are not all allocated
 */
record DeallocationCondition(ObservedState state, Predicate<Pod> isPending) {
    /** Whether the allocation of a claim may be cleared for its consumer, the pod or the pod's PodGroup. */
    boolean isMet(ResourceClaim claim, Pod pod, ClaimConsumer consumer) {
        return isGated(pod)
                && claim.allocation().isPresent()
                && !ManagedClaims.isUnmanaged(state, claim)
                && ManagedClaims.mixedClassesMessage(state, claim).isEmpty()
                && state.deallocation(claim.meta().uid()).isEmpty()
                && ClaimReservations.of(state, claim).stream()
                        .allMatch(each -> each.uid().equals(consumer.uid()))
                && users(claim, pod, consumer).allMatch(each -> isGated(each) && isPending.test(each));
    }

    /** Whether kube-scheduler does not place the pod yet. */
    private boolean isGated(Pod pod) {
        return pod.nodeName().isEmpty() && (pod.isGated() || !state.settings().kubeScheduler());
    }

    /** Pods that may use the claim without an entry of their own in {@code reservedFor}, and bound pods. */
    private Stream<Pod> users(ResourceClaim claim, Pod pod, ClaimConsumer consumer) {
        return state.podsOf(claim.key()).stream()
                .flatMap(key -> state.pod(key).stream())
                .filter(each -> !each.finished()
                        && (each.nodeName().isPresent()
                                || each.equals(pod)
                                || (consumer.isPodGroup()
                                        && each.podGroup()
                                                .filter(consumer.name()::equals)
                                                .isPresent())));
    }
}
