package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason.RetryTrigger;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Applies the router's commands in a {@link RoutedCell}. */
final class RouterCommands {
    private final State state;
    private final StateChange change;

    RouterCommands(State state, StateChange change) {
        this.state = state;
        this.change = change;
    }

    void assign(Observation.ItemAssigned assigned) {
        Optional<SchedulingRow.LeaseRow> known = state.lease(assigned.item());
        if (known.filter(lease -> lease.attempt() >= assigned.attempt()).isPresent()) {
            return;
        }
        boolean isOffered = known.filter(SchedulingRow.LeaseRow::hasOpenOffer).isPresent();
        change.put(SchedulingRow.LeaseRow.active(assigned, isOffered));
        if (!assigned.deallocatable().isEmpty()) {
            renewSearchBudget(assigned);
        }
        Row.CountRow count = state.count();
        if (assigned.number() > count.decisions()) {
            change.put(count.withDecisions(assigned.number()));
        }
        change.touched.add(assigned.item());
    }

    /**
     * Renews the larger search budget of an item that has used it. The searches without the allocations of its claims
     * are others than those of the first round; a single cell has one budget for both.
     */
    private void renewSearchBudget(Observation.ItemAssigned assigned) {
        state.item(assigned.item())
                .filter(row -> row.isPending() && row.thorough() && row.uid().equals(assigned.uid()))
                .ifPresent(row -> change.put(row.beforeNewConditions()));
    }

    /** Drops a declined item, unless it was leased again meanwhile. */
    void decline(Observation.OfferDeclined declined) {
        state.lease(declined.item())
                .filter(lease -> lease.hasOpenOffer() && lease.uid().equals(declined.uid()))
                .ifPresent(lease -> {
                    change.drop(SchedulingRow.ItemRow.key(declined.item()));
                    change.drop(lease);
                });
    }

    /** Moves a node with its slices and liveness to another cell, unless a device of it is allocated or shared. */
    void transferNode(Observation.NodeHandover handover) {
        List<ResourceSlice> slices = state.inventory().slices().on(handover.node());
        boolean isRetained = slices.stream()
                .map(ResourceSlice::poolId)
                .distinct()
                .anyMatch(pool -> !state.inventory().usages().usedDevices(pool).isEmpty()
                        || !state.inventory().slices().isOnlyOn(pool, handover.node()));
        if (isRetained) {
            change.report(new CellReport.NodeRetained(handover.node(), handover.transfer()));
            return;
        }
        List<Observation> content = new ArrayList<>();
        state.object(Kind.NODE, ObjectKey.cluster(handover.node())).ifPresent(row -> move(row, content));
        slices.forEach(slice -> state.object(Kind.RESOURCE_SLICE, slice.key()).ifPresent(row -> move(row, content)));
        state.row(ObservedRow.NodeLivenessRow.key(handover.node())).ifPresent(row -> {
            change.drop(row);
            content.add(new Observation.NodeLiveness(row.stamp(), row.node(), row.silent()));
        });
        change.retryTriggers.add(RetryTrigger.CAPACITY);
        change.report(new CellReport.NodeTransferred(handover.node(), handover.transfer(), content));
    }

    private void move(ObservedRow.ObjectRow row, List<Observation> content) {
        change.drop(row);
        content.add(row.content()
                .<Observation>map(object -> new Observation.ObjectUpserted(row.stamp(), object))
                .orElseGet(() -> new Observation.ObjectDeleted(row.stamp(), row.kind(), row.object(), row.uid())));
    }
}
