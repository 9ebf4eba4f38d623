package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;

/** Takes items out of their equivalence classes when a row changes that they depend on. */
final class EquivalenceInvalidator {
    private final State state;
    private final SchedulingQueue queue;

    EquivalenceInvalidator(State state, SchedulingQueue queue) {
        this.state = state;
        this.queue = queue;
    }

    /**
     * Invalidates classes before and after a row change. Must cover all input of {@link WorkItemAssembly}; devices and nodes
     * are not part of it.
     */
    void invalidate(Row row) {
        switch (row) {
            case Row.ObjectRow object -> invalidate(object);
            case Row.AllocationRow decided -> separateUsersOf(decided.claim());
            case Row.DeallocationRow deallocation -> separateUsersOf(deallocation.claim());
            case Row.AvoidedNodeRow avoided -> queue.separate(avoided.item());
            case Row.LeaseRow lease -> queue.separate(lease.item());
            case Row.SettingsRow _, Row.RejectionRow _ -> queue.separateAll();
            case Row.ItemRow _,
                    Row.NodeLivenessRow _,
                    Row.SourceRow _,
                    Row.ProbeRow _,
                    Row.CountRow _,
                    Row.RefreshRow _,
                    Row.AlarmRow _,
                    Row.QuarantineRow _,
                    Row.EvaluationRow _,
                    Row.IndexRow _,
                    Row.PreparationRow _,
                    Row.SliceChangesRow _,
                    Row.WorkRow _,
                    Row.BacklogRow _,
                    Row.BudgetRow _,
                    Row.WorkAlarmRow _ -> {}
        }
    }

    private void invalidate(Row.ObjectRow object) {
        switch (object.kind()) {
            case RESOURCE_CLAIM -> separateUsersOf(object.object());
            case POD -> {
                queue.separate(ItemId.pod(object.object()));
                object.content().ifPresent(pod -> ((Pod) pod).claims().forEach(this::separateUsersOf));
            }
            case DEVICE_CLASS, NAMESPACE, POD_GROUP, RESOURCE_CLAIM_TEMPLATE -> queue.separateAll();
            case RESOURCE_SLICE, NODE, DEVICE_TAINT_RULE -> {}
        }
    }

    /** The number of consumers and the allocation of a claim concern all items that use it. */
    private void separateUsersOf(ObjectKey claim) {
        queue.separate(ItemId.claim(claim));
        state.podsOf(claim).forEach(pod -> queue.separate(ItemId.pod(pod)));
    }
}
