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
            case ObservedRow.ObjectRow object -> invalidate(object);
            case ClaimRow.AllocationRow decided -> separateUsersOf(decided.claim());
            case ClaimRow.DeallocationRow deallocation -> separateUsersOf(deallocation.claim());
            case SchedulingRow.AvoidedNodeRow avoided -> queue.separate(avoided.item());
            case SchedulingRow.LeaseRow lease -> queue.separate(lease.item());
            case Row.SettingsRow _, ClaimRow.RejectionRow _ -> queue.separateAll();
            case SchedulingRow.ItemRow _,
                    ObservedRow.NodeLivenessRow _,
                    ObservedRow.SourceRow _,
                    Row.ProbeRow _,
                    Row.CountRow _,
                    SchedulingRow.RefreshRow _,
                    Row.AlarmRow _,
                    ClaimRow.QuarantineRow _,
                    WorkBudgetRow.EvaluationRow _,
                    WorkBudgetRow.IndexRow _,
                    WorkBudgetRow.PreparationRow _,
                    WorkBudgetRow.SliceChangesRow _,
                    WorkBudgetRow.WorkRow _,
                    SchedulingRow.BacklogRow _,
                    WorkBudgetRow.BudgetRow _,
                    WorkBudgetRow.WorkAlarmRow _ -> {}
        }
    }

    private void invalidate(ObservedRow.ObjectRow object) {
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
