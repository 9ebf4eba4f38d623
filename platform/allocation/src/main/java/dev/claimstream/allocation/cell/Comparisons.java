package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Compares the decisions of observe-only mode with the allocations by kube-scheduler.
 *
 * <p>An allocation in the status of a claim replaces the decision, so that the cell always decides for the cluster as
 * kube-scheduler leaves it.
 */
final class Comparisons {
    /** Reasons of items whose claims have not been evaluated yet. */
    private static final Set<Reason> UNEVALUATED = Collections.unmodifiableSet(EnumSet.of(
            Reason.SourcesNotSynced,
            Reason.ClassMissing,
            Reason.ClaimMissing,
            Reason.TemplateMissing,
            Reason.ClaimNotCreated,
            Reason.PodGroupMissing,
            Reason.NoConsumer,
            Reason.EvaluationPending));

    private Comparisons() {}

    /** The pending decision that is published for an allocation of observe-only mode. */
    static Decision.DecisionResult.Pending pending(ClaimRow.AllocationRow observed) {
        return new Decision.DecisionResult.Pending(
                Reason.ObserveOnly,
                "Claimstream would allocate %s on node %s; it only observes, and kube-scheduler has not allocated the claim yet"
                        .formatted(
                                ClaimDevices.devicesOf(observed.allocation()).stream()
                                        .map(DeviceId::toString)
                                        .collect(Collectors.joining(", ")),
                                observed.node()));
    }

    /** The comparison after a decision. */
    static Comparison decided(ObservedState state, ClaimRow.AllocationRow observed) {
        return new Comparison(
                observed.claim(),
                observed.claimUid(),
                observed.item(),
                since(state, observed.claim()),
                Optional.of(compared(observed)),
                Optional.empty(),
                Optional.empty());
    }

    /** The comparison after a decision was withdrawn, because its devices are gone. The claim is evaluated again. */
    static Comparison withdrawn(ObservedState state, ClaimRow.AllocationRow observed) {
        return new Comparison(
                observed.claim(),
                observed.claimUid(),
                observed.item(),
                since(state, observed.claim()),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /**
     * The comparison of a claim that kube-scheduler has just allocated.
     *
     * <p>Empty if the claim is not new to this cell as an allocated one, and for claims that the first list shows as
     * allocated.
     */
    static Optional<Comparison> observed(
            ObservedState state, Optional<ResourceClaim> before, ResourceClaim claim, Instant at) {
        boolean wasAllocated = before.filter(
                        known -> known.meta().uid().equals(claim.meta().uid()))
                .flatMap(ResourceClaim::allocation)
                .isPresent();
        boolean isListed = before.isEmpty() && !state.isSynced();
        if (claim.allocation().isEmpty() || wasAllocated || isListed || ManagedClaims.isUnmanaged(state, claim)) {
            return Optional.empty();
        }
        Optional<ClaimRow.AllocationRow> decided =
                state.decidedAllocation(claim.meta().uid()).filter(ClaimRow.AllocationRow::isObserved);
        Optional<SchedulingRow.ItemRow> item = item(state, claim.key());
        return Optional.of(new Comparison(
                claim.key(),
                claim.meta().uid(),
                decided.map(ClaimRow.AllocationRow::item)
                        .or(() -> item.map(SchedulingRow.ItemRow::item))
                        .orElse(ItemId.claim(claim.key())),
                since(state, claim.key()),
                decided.map(Comparisons::compared),
                decided.isPresent()
                        ? Optional.empty()
                        : item.flatMap(SchedulingRow.ItemRow::reason).filter(reason -> !UNEVALUATED.contains(reason)),
                claim.allocation().map(allocation -> compared(allocation, at))));
    }

    /** The work item of a claim: the first pod that uses it, else the claim. */
    private static Optional<SchedulingRow.ItemRow> item(ObservedState state, ObjectKey claim) {
        return state.podsOf(claim).stream()
                .flatMap(pod -> state.row(SchedulingRow.ItemRow.key(ItemId.pod(pod))).stream())
                .findFirst()
                .or(() -> state.row(SchedulingRow.ItemRow.key(ItemId.claim(claim))));
    }

    private static Optional<Instant> since(ObservedState state, ObjectKey claim) {
        return state.podsOf(claim).stream()
                .flatMap(pod -> state.pod(pod).stream())
                .filter(pod -> !pod.finished())
                .flatMap((Pod pod) -> pod.meta().created().stream())
                .min(Instant::compareTo)
                .or(() -> state.claim(claim).map(ClusterObject::meta).flatMap(meta -> meta.created()));
    }

    private static Comparison.ComparedAllocation compared(ClaimRow.AllocationRow observed) {
        return new Comparison.ComparedAllocation(
                observed.node(),
                devices(observed.allocation()),
                observed.allocation().allocationTimestamp().orElse(Instant.EPOCH));
    }

    private static Comparison.ComparedAllocation compared(Allocation allocation, Instant at) {
        return new Comparison.ComparedAllocation(
                allocation.nodeSelector().flatMap(NodeSelector::onlyNode).orElse(""),
                devices(allocation),
                at.truncatedTo(ChronoUnit.SECONDS));
    }

    private static SortedSet<DeviceId> devices(Allocation allocation) {
        return allocation.results().stream().map(DeviceResult::device).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Withdraws decisions whose devices, counters or capacity the cluster has allocated to another claim. */
    static StateChange withdrawDisplaced(State state, Collection<DeviceId> suspects) {
        var displaced = new TreeMap<String, ClaimRow.AllocationRow>();
        for (DeviceId device : suspects) {
            Optional<DeviceUsage> usage = state.inventory().usages().find(device);
            boolean isTaken = usage.filter(DeviceUsage::isContested).isPresent()
                    || state.inventory().overcommitted(device.poolId()).contains(device);
            usage.filter(_ -> isTaken).stream()
                    .flatMap(each -> each.entries().stream())
                    .flatMap(holder -> state.decidedAllocation(holder.uid()).stream())
                    .filter(ClaimRow.AllocationRow::isObserved)
                    .forEach(row -> displaced.put(row.claimUid(), row));
        }
        var change = new StateChange();
        displaced.values().forEach(row -> change.withdraw(row, state));
        return change;
    }
}
