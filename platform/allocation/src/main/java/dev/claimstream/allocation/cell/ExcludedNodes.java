package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Node;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Nodes that are excluded for one item but not for others of its shape.
 *
 * @param avoidedRows nodes that the item avoids for a while
 * @param podConstraints constraints by other pods
 */
record ExcludedNodes(List<SchedulingRow.AvoidedNodeRow> avoidedRows, InterPodConstraints podConstraints) {
    static final ExcludedNodes NOTHING = new ExcludedNodes(List.of(), InterPodConstraints.NONE);

    static ExcludedNodes to(State state, SchedulingRow.ItemRow row) {
        return new ExcludedNodes(avoidedRows(state, row), podConstraints(state, row.item()));
    }

    private static List<SchedulingRow.AvoidedNodeRow> avoidedRows(State state, SchedulingRow.ItemRow row) {
        return state.rows(SchedulingRow.AvoidedNodeRow.allOf(row.item())).stream()
                .filter(avoided -> avoided.uid().equals(row.uid()))
                .toList();
    }

    /** A bound pod has already passed these constraints. */
    private static InterPodConstraints podConstraints(State state, ItemId item) {
        return item.kind() == ItemId.ItemKind.CLAIM
                ? InterPodConstraints.NONE
                : state.pod(item.key())
                        .filter(pod -> pod.nodeName().isEmpty())
                        .map(pod -> state.podAffinity().constraintsFor(pod))
                        .orElse(InterPodConstraints.NONE);
    }

    boolean isNone() {
        return avoidedRows.isEmpty() && podConstraints.isNone();
    }

    /** Whether a usable node is excluded. */
    boolean contains(NodeDeviceView node) {
        return avoidedRow(node.name()).isPresent()
                || podConstraints.violation(node.node()).isPresent();
    }

    /** Why a usable node is excluded. */
    Optional<String> obstacle(NodeDeviceView node) {
        return avoidedRow(node.name())
                .map(row -> "it rejected the pod; no retry before %s".formatted(row.until()))
                .or(() -> podConstraints.violation(node.node()).map(Supplier::get));
    }

    private Optional<SchedulingRow.AvoidedNodeRow> avoidedRow(String node) {
        return avoidedRows.stream().filter(each -> each.node().equals(node)).findFirst();
    }

    /**
     * The diagnosis of an item that fits only on excluded nodes. Other pods are named first: they may leave before an
     * avoidance expires.
     */
    AllocationPlan.PendingDiagnosis diagnosis(Node node) {
        String name = node.meta().name();
        String nearest = podConstraints
                .violation(node)
                .map(against -> "%s has the devices, and %s".formatted(name, against.get()))
                .or(() -> avoidedRow(name)
                        .map(row ->
                                "%s has the devices, but rejected the pod: the allocation there was cleared before the pod was bound; no retry before %s"
                                        .formatted(name, row.until().truncatedTo(ChronoUnit.SECONDS))))
                .orElse("%s has the devices".formatted(name));
        var nearestMiss = Optional.of(new AllocationPlan.NearestNode(name, nearest, List.of()));
        return podConstraints.isNone()
                ? new AllocationPlan.PendingDiagnosis(
                        Reason.NodeRejected,
                        "only nodes that recently rejected the pod have what it needs, nearest: " + nearest,
                        nearestMiss)
                : new AllocationPlan.PendingDiagnosis(
                        Reason.InterPodConstraints,
                        "only nodes that other pods exclude have what it needs, nearest: " + nearest,
                        nearestMiss);
    }
}
