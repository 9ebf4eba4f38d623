package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Node;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * Nodes that are excluded for one item but not for others of its shape.
 *
 * @param refused nodes that the item avoids for a while
 * @param near constraints by other pods
 */
record Closed(List<Row.AvoidRow> refused, Nearness near) {
    static final Closed NOTHING = new Closed(List.of(), Nearness.NONE);

    static Closed to(State state, Row.ItemRow row) {
        return new Closed(state.avoided(row.item(), row.uid()), near(state, row.item()));
    }

    /** A bound pod has already passed these constraints. */
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

    /** Whether a usable node is excluded. */
    boolean has(NodeView node) {
        return refusal(node.name()).isPresent() || near.against(node.node()).isPresent();
    }

    private Optional<Row.AvoidRow> refusal(String node) {
        return refused.stream().filter(each -> each.node().equals(node)).findFirst();
    }

    /**
     * The diagnosis of an item that fits only on excluded nodes. Other pods are named first: they may leave before an
     * avoidance expires.
     */
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
