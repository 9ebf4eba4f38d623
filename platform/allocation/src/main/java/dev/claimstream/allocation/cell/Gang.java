package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Pods of a group of which too few run for any to start: so many of them are served at once, or none. Once that many have been, each is
 * for itself.
 *
 * @param waiting those that wait, in the order of the queue
 * @param placed how many do not wait: bound, served, or in need of nothing
 */
record Gang(PodGroup group, List<Row.ItemRow> waiting, int placed) {
    /** The gang that an item is in; with several cells nobody knows all of one. */
    static Optional<Gang> of(State state, ItemId item) {
        return item.sort() == ItemId.Sort.POD && state.place().isAlone()
                ? state.pod(item.key())
                        .flatMap(Pod::podGroup)
                        .flatMap(name -> state.podGroup(new ObjectKey(item.key().namespace(), name)))
                        .filter(group -> group.minCount() > 1)
                        .map(group -> of(state, group))
                        .filter(gang -> gang.missing() > 0)
                : Optional.empty();
    }

    /** The group that an item's pod names. */
    static Optional<ObjectKey> group(State state, ItemId item) {
        return item.sort() == ItemId.Sort.POD
                ? state.pod(item.key())
                        .flatMap(Pod::podGroup)
                        .map(name -> new ObjectKey(item.key().namespace(), name))
                : Optional.empty();
    }

    private static Gang of(State state, PodGroup group) {
        List<Row.ItemRow> waiting = new ArrayList<>();
        int placed = 0;
        for (ObjectKey member : state.membersOf(group.key())) {
            Optional<Row.ItemRow> row = state.item(ItemId.pod(member));
            if (row.filter(Row.ItemRow::waits).isPresent()) {
                waiting.add(row.get());
            } else if (row.isPresent()
                    || state.pod(member).filter(Gang::hasStarted).isPresent()) {
                placed++;
            }
        }
        waiting.sort(Comparator.comparing(Row.ItemRow::rank));
        return new Gang(group, List.copyOf(waiting), placed);
    }

    /** A pod that wants nothing of us counts as well, and one that has ended after it ran. */
    private static boolean hasStarted(Pod pod) {
        return pod.nodeName().isPresent()
                || (!pod.finished() && pod.resourceClaims().isEmpty());
    }

    /** How many more have to be served. */
    int missing() {
        return group.minCount() - placed;
    }

    /** That there are fewer than have to start together. */
    Plan.Diagnosis tooFew() {
        return incomplete("%d of the %d pods are there that start together in group %s"
                .formatted(placed + waiting.size(), group.minCount(), group.key()));
    }

    /** That fewer fit at once. */
    Plan.Diagnosis doNotFit(int fitting, Row.ItemRow first) {
        return incomplete("%d of the %d pods fit that start together in group %s; beside them %s does not: %s"
                .formatted(placed + fitting, group.minCount(), group.key(), first.item(), first.message()));
    }

    private static Plan.Diagnosis incomplete(String message) {
        return new Plan.Diagnosis(Reason.GangIncomplete, message, Optional.empty());
    }
}
