package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Node;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Nodes that are closed to one item, and not to others that ask for the same.
 *
 * @param refused those that have not taken it a short while ago
 * @param near what other pods keep it from
 */
record Closed(List<Row.AvoidRow> refused, Nearness near) {
    static final Closed NOTHING = new Closed(List.of(), Nearness.NONE);

    static Closed to(State state, Row.ItemRow row) {
        return new Closed(state.avoided(row.item(), row.uid()), near(state, row.item()));
    }

    /** A pod that is bound has been let to its node. */
    private static Nearness near(State state, ItemId item) {
        return item.sort() == ItemId.Sort.CLAIM
                ? Nearness.NONE
                : state.pod(item.key())
                        .filter(pod -> pod.nodeName().isEmpty())
                        .map(pod -> state.neighbours().nearness(pod))
                        .orElse(Nearness.NONE);
    }

    boolean isNone() {
        return refused.isEmpty() && near.isNone();
    }

    /** Whether a usable node is closed. */
    boolean has(NodeView node) {
        return refusal(node.name()).isPresent() || near.against(node.node()).isPresent();
    }

    private Optional<Row.AvoidRow> refusal(String node) {
        return refused.stream().filter(each -> each.node().equals(node)).findFirst();
    }

    /** That it would fit on a node that is closed. What other pods do may open a node before a refusal is over, so they are the reason. */
    Plan.Diagnosis because(Node node) {
        String name = node.meta().name();
        String nearest = near.against(node)
                .map(against -> "%s has the devices, and %s".formatted(name, against.get()))
                .or(() -> refusal(name)
                        .map(row ->
                                "%s has the devices, and did not take the pod: what it was given there was cleared before it was bound; not tried again before %s"
                                        .formatted(name, row.until().truncatedTo(ChronoUnit.SECONDS))))
                .orElse("%s has the devices".formatted(name));
        var nearestMiss = Optional.of(new Plan.NearestMiss(name, nearest, List.of()));
        return near.isNone()
                ? new Plan.Diagnosis(
                        Reason.NodeRefused,
                        "only nodes that have just refused the pod have what it needs, nearest: " + nearest,
                        nearestMiss)
                : new Plan.Diagnosis(
                        Reason.OtherPods,
                        "only nodes that other pods keep it from have what it needs, nearest: " + nearest,
                        nearestMiss);
    }
}
