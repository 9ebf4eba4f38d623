package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason.RetryTrigger;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The effects of an object change on allocations, quarantines and items. */
final class ObjectEffects {
    /** How long a pod avoids a node on which its claims were cleared. */
    static final Duration AVOID_PERIOD = Duration.ofSeconds(30);

    private final ObservedState state;
    private final StateChange change;
    private final Instant at;

    /** Why an object differs from its last observation. */
    private enum ChangeCause {
        UPDATE,
        /** The cluster was restored from a backup: the object has an earlier state again. */
        RESTORE
    }

    ObjectEffects(ObservedState state, StateChange change, Instant at) {
        this.state = state;
        this.change = change;
        this.at = at;
    }

    /**
     * Adds the effects of an object change to the state change.
     *
     * @param version version of the object now, or at its deletion
     */
    void apply(Kind kind, ObjectKey key, Optional<ClusterObject> before, Optional<ClusterObject> after, long version) {
        apply(kind, key, before, after, version, ChangeCause.UPDATE);
    }

    private void apply(
            Kind kind,
            ObjectKey key,
            Optional<ClusterObject> before,
            Optional<ClusterObject> after,
            long version,
            ChangeCause cause) {
        switch (kind) {
            case RESOURCE_SLICE, NODE, DEVICE_TAINT_RULE -> change.retryTriggers.add(RetryTrigger.CAPACITY);
            case DEVICE_CLASS -> {
                if (isUnmanaged(before) || isUnmanaged(after)) {
                    state.rows(SchedulingRow.ItemRow.ALL)
                            .forEach(row -> change.touched.add(row.item())); // unmanaged claims may be managed now
                }
                change.retryTriggers.add(RetryTrigger.CLASSES);
                change.retryTriggers.add(RetryTrigger.CAPACITY);
            }
            case NAMESPACE -> change.retryTriggers.add(RetryTrigger.NAMESPACES);
            case POD_GROUP -> groupChanged(key, before.map(PodGroup.class::cast), after.map(PodGroup.class::cast));
            case RESOURCE_CLAIM_TEMPLATE -> change.retryTriggers.add(RetryTrigger.CLAIMS);
            case POD -> podChanged(key, before.map(Pod.class::cast), after.map(Pod.class::cast));
            case RESOURCE_CLAIM ->
                claimChanged(
                        key,
                        before.map(ResourceClaim.class::cast),
                        after.map(ResourceClaim.class::cast),
                        version,
                        cause);
        }
    }

    /**
     * Adds the effects of an object that has an earlier state again, because the cluster was restored from a backup.
     *
     * <p>Versions of the history that was replaced are not compared with those of the restored one. An allocation that
     * the writer has committed, and that the claim does not have, is lost.
     */
    void applyRestored(Kind kind, ObjectKey key, Optional<ClusterObject> before, ClusterObject after, long version) {
        if (after instanceof ResourceClaim claim) {
            before.filter(each -> hasSameUid(each, after)).ifPresent(each -> restoreClaim((ResourceClaim) each, claim));
        }
        apply(kind, key, before, Optional.of(after), version, ChangeCause.RESTORE);
    }

    private static boolean hasSameUid(ClusterObject before, ClusterObject after) {
        return before.meta().uid().equals(after.meta().uid());
    }

    private void restoreClaim(ResourceClaim before, ResourceClaim after) {
        if (before.allocation().isEmpty() && after.allocation().isEmpty()) {
            state.decidedAllocation(after.meta().uid())
                    .filter(decided -> decided.commitState() == ClaimRow.AllocationRow.CommitState.COMMITTED)
                    .ifPresent(decided -> {
                        change.release(decided, state);
                        var committed = new ResourceClaim(
                                after.meta(), after.spec(), Optional.of(decided.allocation()), decided.reservedFor());
                        if (isUsed(committed)) {
                            coolDown(committed);
                        }
                    });
        }
    }

    private static boolean isUnmanaged(Optional<ClusterObject> found) {
        return found.orElse(null) instanceof DeviceClass each && each.allocator() == DeviceClass.ClassAllocator.OTHERS;
    }

    private void groupChanged(ObjectKey key, Optional<PodGroup> before, Optional<PodGroup> after) {
        state.podIndex().membersOf(key).forEach(pod -> change.touched.add(ItemId.pod(pod)));
        Stream.concat(before.stream(), after.stream())
                .flatMap(group -> group.claims().stream())
                .forEach(claim -> change.touched.add(ItemId.claim(claim)));
    }

    private void podChanged(ObjectKey key, Optional<Pod> before, Optional<Pod> after) {
        change.touched.add(ItemId.pod(key));
        if (!DeallocationCandidates.hasSamePlacement(before, after)) {
            before.ifPresent(this::allowDeallocation);
        }
        before.ifPresent(this::touchClaims);
        after.ifPresent(this::touchClaims);
        if (after.filter(pod -> !pod.finished()).isEmpty()) {
            change.retryTriggers.add(RetryTrigger.CLAIMS);
        }
        if (before.filter(pod -> freesNodeResources(pod, after)).isPresent()) {
            change.retryTriggers.add(RetryTrigger.NODE_RESOURCES);
        }
        before.filter(pod -> mayRun(pod) && (isDeleted(pod, after) || isUnbound(pod, after)))
                .ifPresent(this::coolDown);
        before.filter(pod -> stopsUsingClaims(pod, after))
                .ifPresent(pod -> pod.claims().forEach(claim -> change.touchUsersOf(claim, state)));
    }

    /** Whether a claim of the pod may now be deallocated for another pod. */
    private static boolean stopsUsingClaims(Pod before, Optional<Pod> after) {
        return !before.finished()
                && (isDeleted(before, after) || after.orElseThrow().finished());
    }

    /** Allows another deallocation after one was rejected for the previous state of the pod. */
    private void allowDeallocation(Pod before) {
        before.claims().stream()
                .flatMap(claim -> state.claim(claim).stream())
                .flatMap(claim -> state.deallocation(claim.meta().uid()).stream())
                .filter(row ->
                        !row.isActive() && row.podUid().equals(before.meta().uid()))
                .forEach(row -> change.drop(row));
    }

    private static boolean isDeleted(Pod before, Optional<Pod> after) {
        return after.filter(pod -> pod.meta().uid().equals(before.meta().uid())).isEmpty();
    }

    /** Whether a pod is not on its node any more. That happens only if the cluster was restored from a backup. */
    private static boolean isUnbound(Pod before, Optional<Pod> after) {
        return after.filter(pod -> pod.nodeName().equals(before.nodeName())).isEmpty();
    }

    /**
     * Whether the pod's containers may still run. A kubelet reports the end of a pod before it deletes the pod; a
     * force-deleted pod may run on.
     */
    private static boolean mayRun(Pod pod) {
        return pod.nodeName().isPresent() && !pod.finished();
    }

    private void coolDown(Pod pod) {
        for (ObjectKey key : pod.claims()) {
            state.claim(key).filter(claim -> isReservedFor(claim, pod)).ifPresent(this::coolDown);
        }
    }

    private static boolean isReservedFor(ResourceClaim claim, Pod pod) {
        return claim.reservedFor().stream()
                .anyMatch(consumer -> consumer.isPodGroup()
                        ? pod.podGroup().equals(Optional.of(consumer.name()))
                        : consumer.uid().equals(pod.meta().uid()));
    }

    /** Puts the devices of a claim into quarantine, because a force-deleted pod may still use them. */
    private void coolDown(ResourceClaim claim) {
        Duration time = state.settings().coolDown();
        if (time.isPositive()) {
            claim.allocation()
                    .ifPresent(allocation -> change.put(new ClaimRow.QuarantineRow(
                            claim.key(), claim.meta().uid(), withQuarantined(allocation, claim), at.plus(time))));
        }
    }

    /** Adds devices of the claim that are still in quarantine. */
    private Allocation withQuarantined(Allocation allocation, ResourceClaim claim) {
        List<DeviceResult> results = new ArrayList<>(allocation.results());
        state.row(ClaimRow.QuarantineRow.key(claim.meta().uid()))
                .ifPresent(row -> row.allocation().results().stream()
                        .filter(rest -> !results.contains(rest))
                        .forEach(results::add));
        return new Allocation(
                results, allocation.config(), allocation.nodeSelector(), allocation.allocationTimestamp());
    }

    private static boolean freesNodeResources(Pod before, Optional<Pod> after) {
        return !before.finished()
                && after.filter(pod -> !pod.finished()
                                && pod.nodeName().equals(before.nodeName())
                                && pod.requests().equals(before.requests()))
                        .isEmpty();
    }

    private void touchClaims(Pod pod) {
        pod.claims().forEach(claim -> change.touched.add(ItemId.claim(claim)));
    }

    private void claimChanged(
            ObjectKey key,
            Optional<ResourceClaim> before,
            Optional<ResourceClaim> after,
            long version,
            ChangeCause cause) {
        change.touchUsersOf(key, state);
        change.retryTriggers.add(RetryTrigger.CLAIMS);
        before.ifPresent(claim -> {
            boolean replaced = after.isEmpty()
                    || !after.get().meta().uid().equals(claim.meta().uid());
            boolean cleared = claim.allocation().isPresent()
                    && after.flatMap(ResourceClaim::allocation).isEmpty();
            Optional<ClaimRow.DeallocationRow> deallocation =
                    state.deallocation(claim.meta().uid());
            if (cleared && !replaced) {
                renewSearchBudgets(key);
            }
            boolean isRestored = cause == ChangeCause.RESTORE;
            if (cleared && !replaced && !isRestored && deallocation.isEmpty()) {
                state.decidedAllocation(claim.meta().uid()).ifPresent(decided -> avoidNode(decided, version));
            }
            if (replaced || cleared) {
                release(claim);
                if (isUsed(claim)) {
                    coolDown(claim);
                }
            }
            deallocation
                    .filter(row -> replaced || cleared || isRestored || isChangedSince(row, version))
                    .ifPresent(row -> change.drop(row));
            if (replaced) {
                change.outputs.addAll(
                        state.coordination().claimDeleted(claim.meta().uid()));
            }
            state.row(ClaimRow.RejectionRow.key(claim.meta().uid()))
                    .filter(rejection -> replaced || isRestored || !rejection.appliesTo(version))
                    .ifPresent(rejection -> change.drop(rejection));
        });
        after.ifPresent(this::releaseIfAllocatedOtherwise);
        if (state.settings().observeOnly()) {
            after.flatMap(claim -> Comparisons.observed(state, before, claim, at))
                    .ifPresent(comparison -> change.outputs.add(new Output.ClaimCompared(comparison)));
        }
        Optional<Allocation> decided = after.flatMap(ResourceClaim::allocation);
        change.hasAllocated |= decided.isPresent() && !decided.equals(before.flatMap(ResourceClaim::allocation));
    }

    /**
     * Renews the larger search budget of pods that a cell has leased. Their searches before the clear had to fit beside
     * the allocation.
     *
     * <p>The router may have cleared the claim for a proposal of this cell. In a single cell the decision renews it.
     */
    private void renewSearchBudgets(ObjectKey claim) {
        for (ObjectKey pod : state.podsOf(claim)) {
            ItemId item = ItemId.pod(pod);
            state.row(SchedulingRow.ItemRow.key(item))
                    .filter(row -> row.isPending() && row.thorough())
                    .filter(_ -> state.row(SchedulingRow.LeaseRow.key(item)).isPresent())
                    .ifPresent(row -> change.put(row.withoutThoroughSearch()));
        }
    }

    /**
     * Whether a rejected deallocation may be decided again. Before the rejection the writer itself changes the claim.
     */
    private static boolean isChangedSince(ClaimRow.DeallocationRow row, long version) {
        return !row.isActive() && version > row.claimVersion();
    }

    /**
     * Avoids the node of an allocation that was cleared without a decision, for pods that are not bound yet.
     *
     * <p>Either kube-scheduler found that the node does not fit, or the writer cleared the claim. The version tells the
     * two apart, see {@link CommitOutcomeReducer#clearAvoidedNodes}.
     */
    private void avoidNode(ClaimRow.AllocationRow decided, long version) {
        for (ClaimConsumer consumer : decided.reservedFor()) {
            var key = new ObjectKey(decided.claim().namespace(), consumer.name());
            state.pod(key)
                    .filter(pod -> pod.meta().uid().equals(consumer.uid()) && isToBeBound(pod))
                    .filter(_ -> !isReturned(ItemId.pod(key)))
                    .ifPresent(pod -> change.put(new SchedulingRow.AvoidedNodeRow(
                            ItemId.pod(key), consumer.uid(), decided.node(), at.plus(AVOID_PERIOD), version)));
        }
    }

    /** Whether the item is at the router, which may have deallocated the claim. That rejects no node. */
    private boolean isReturned(ItemId item) {
        return state.row(SchedulingRow.LeaseRow.key(item))
                .filter(lease -> !lease.isActive())
                .isPresent();
    }

    /** Whether a known pod may still use the claim. The deletion of a pod can arrive after the change of its claim. */
    private boolean isUsed(ResourceClaim claim) {
        return state.podsOf(claim.key()).stream()
                .flatMap(key -> state.pod(key).stream())
                .anyMatch(pod -> mayRun(pod) && isReservedFor(claim, pod));
    }

    private static boolean isToBeBound(Pod pod) {
        return !pod.finished() && !pod.meta().deleting() && pod.nodeName().isEmpty();
    }

    private void release(ResourceClaim claim) {
        change.retryTriggers.add(RetryTrigger.CAPACITY);
        state.decidedAllocation(claim.meta().uid()).ifPresent(decided -> change.release(decided, state));
    }

    /**
     * Releases the cell's own decision if the claim's status has other devices: an allocation in the status is
     * immutable. A decision of observe-only mode ends with any allocation in the status.
     */
    private void releaseIfAllocatedOtherwise(ResourceClaim claim) {
        if (claim.allocation().isEmpty()) {
            return;
        }
        state.decidedAllocation(claim.meta().uid())
                .filter(decided -> decided.isObserved()
                        || !ClaimDevices.devicesOf(decided.allocation())
                                .equals(ClaimDevices.devicesOf(
                                        claim.allocation().get())))
                .ifPresent(decided -> change.release(decided, state));
    }
}
