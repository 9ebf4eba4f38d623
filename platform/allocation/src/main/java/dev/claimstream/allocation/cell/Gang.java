package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A PodGroup with fewer running pods than its minimum; the missing ones are allocated at once or not at all.
 *
 * <p>Once the minimum is reached, each pod is an item of its own.
 *
 * @param pending pending items in queue order
 * @param placed pods that are bound, allocated, or need no claim
 */
record Gang(PodGroup group, List<SchedulingRow.ItemRow> pending, int placed) {
    /** The gang of an item. Empty with several cells: no cell knows all pods. */
    static Optional<Gang> of(State state, ItemId item) {
        return item.kind() == ItemId.ItemKind.POD && state.coordination().observesWholeCluster()
                ? state.pod(item.key())
                        .flatMap(Pod::podGroup)
                        .flatMap(name -> state.podGroup(new ObjectKey(item.key().namespace(), name)))
                        .filter(group -> group.minCount() > 1)
                        .map(group -> of(state, group))
                        .filter(gang -> gang.missing() > 0)
                : Optional.empty();
    }

    /** The PodGroup that an item's pod references. */
    static Optional<ObjectKey> group(State state, ItemId item) {
        return item.kind() == ItemId.ItemKind.POD
                ? state.pod(item.key())
                        .flatMap(Pod::podGroup)
                        .map(name -> new ObjectKey(item.key().namespace(), name))
                : Optional.empty();
    }

    private static Gang of(State state, PodGroup group) {
        List<SchedulingRow.ItemRow> pending = new ArrayList<>();
        int placed = 0;
        for (ObjectKey member : state.podIndex().membersOf(group.key())) {
            Optional<SchedulingRow.ItemRow> row = state.item(ItemId.pod(member));
            if (row.filter(SchedulingRow.ItemRow::isPending).isPresent()) {
                pending.add(row.get());
            } else if (row.isPresent()
                    || state.pod(member).filter(Gang::hasStarted).isPresent()) {
                placed++;
            }
        }
        pending.sort(Comparator.comparing(SchedulingRow.ItemRow::rank));
        return new Gang(group, List.copyOf(pending), placed);
    }

    /** Counts pods without claims, and pods that have run and finished. */
    private static boolean hasStarted(Pod pod) {
        return pod.nodeName().isPresent()
                || (!pod.finished() && pod.resourceClaims().isEmpty());
    }

    /** How many more pods must be allocated. */
    int missing() {
        return group.minCount() - placed;
    }

    /** The diagnosis if the group has fewer pods than its minimum. */
    AllocationPlan.PendingDiagnosis tooFewPods() {
        return incomplete("pod group %s: %d of the %d pods that start together exist"
                .formatted(group.key(), placed + pending.size(), group.minCount()));
    }

    /** The diagnosis if fewer pods than the minimum fit at the same time. */
    AllocationPlan.PendingDiagnosis tooFewFit(int fitting, SchedulingRow.ItemRow first) {
        return incomplete("pod group %s: %d of the %d pods that start together fit; %s does not fit beside them: %s"
                .formatted(group.key(), placed + fitting, group.minCount(), first.item(), first.message()));
    }

    private static AllocationPlan.PendingDiagnosis incomplete(String message) {
        return new AllocationPlan.PendingDiagnosis(Reason.GangIncomplete, message, Optional.empty());
    }
}
