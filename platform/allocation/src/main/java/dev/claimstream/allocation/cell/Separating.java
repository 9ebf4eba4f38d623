package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;

/** Takes items out of their equivalence classes when a row changes that they depend on. */
final class Separating {
    private final State state;
    private final Queue queue;

    Separating(State state, Queue queue) {
        this.state = state;
        this.queue = queue;
    }

    /**
     * Invalidates classes before and after a row change. Must cover all input of {@link Assembly}; devices and nodes
     * are not part of it.
     */
    void note(Row row) {
        switch (row) {
            case Row.ObjectRow object -> note(object);
            case Row.GrantRow grant -> usersOf(grant.claim());
            case Row.DeallocationRow deallocation -> usersOf(deallocation.claim());
            case Row.AvoidRow avoid -> queue.separate(avoid.item());
            case Row.LeaseRow lease -> queue.separate(lease.item());
            case Row.SettingsRow _, Row.RefusedRow _ -> queue.separateAll();
            case Row.ItemRow _,
                    Row.HeardRow _,
                    Row.SourceRow _,
                    Row.ProbeRow _,
                    Row.CountRow _,
                    Row.RefreshRow _,
                    Row.AlarmRow _,
                    Row.CoolRow _,
                    Row.EvaluationRow _,
                    Row.IndexRow _,
                    Row.PreparationRow _,
                    Row.SlicesRow _,
                    Row.WorkRow _,
                    Row.BacklogRow _,
                    Row.BudgetRow _,
                    Row.WorkAlarmRow _ -> {}
        }
    }

    private void note(Row.ObjectRow object) {
        switch (object.kind()) {
            case RESOURCE_CLAIM -> usersOf(object.object());
            case POD -> {
                queue.separate(ItemId.pod(object.object()));
                object.content().ifPresent(pod -> ((Pod) pod).claims().forEach(this::usersOf));
            }
            case DEVICE_CLASS, NAMESPACE, POD_GROUP, RESOURCE_CLAIM_TEMPLATE -> queue.separateAll();
            case RESOURCE_SLICE, NODE, DEVICE_TAINT_RULE -> {}
        }
    }

    /** The number of consumers and the allocation of a claim concern all items that use it. */
    private void usersOf(ObjectKey claim) {
        queue.separate(ItemId.claim(claim));
        state.podsOf(claim).forEach(pod -> queue.separate(ItemId.pod(pod)));
    }
}
