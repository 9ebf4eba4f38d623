package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Determines why no node fits. The analyses of the possible causes run in a fixed order, and the first cause found is
 * the reason.
 */
final class InfeasibilityAnalysis {
    private final AllocationProblem problem;
    private final NodeClassIndex index;
    private final DeviceInventory inventory;
    private final long stepsMax;
    private final WorkMeter meter;
    private final RelaxationAnalysis relaxation;
    private final ReachabilityAnalysis reachability;

    InfeasibilityAnalysis(
            AllocationProblem problem,
            NodeClassIndex index,
            DeviceInventory inventory,
            long stepsMax,
            WorkMeter meter) {
        this.problem = problem;
        this.index = index;
        this.inventory = inventory;
        this.stepsMax = stepsMax;
        this.meter = meter;
        this.relaxation = new RelaxationAnalysis(problem, index, inventory, stepsMax, meter);
        this.reachability = new ReachabilityAnalysis(problem, index, inventory, meter);
    }

    AllocationPlan.PendingDiagnosis of(NodeRanking ranking) {
        if (ranking.hasEarmarkedNode()) {
            return AllocationPlan.PendingDiagnosis.of(
                    Reason.Earmarked, "the nodes that fit are earmarked for an older item");
        }
        if (ranking.isBudgetExhausted()) {
            return AllocationPlan.PendingDiagnosis.of(
                    Reason.SearchBudgetExhausted,
                    "search budget exhausted: no result within %,d steps on a node".formatted(stepsMax));
        }
        if (ranking.failedNode().isPresent()) {
            return ofFailure(ranking, ranking.failedNode().get());
        }
        if (index.classes().isEmpty()) {
            return noNode();
        }
        var candidates = new CandidateAnalysis(problem, index, meter);
        return relaxation
                .withoutAllocations()
                .or(relaxation::withoutAllocationsAndTaints)
                .or(candidates::noMatch)
                .or(() -> new CapacityAnalysis(problem, index, meter).diagnosis())
                .or(reachability::diagnosis)
                .or(candidates::tooFewOnOneNode)
                .or(() -> new JointLimitAnalysis(problem, index, stepsMax, meter).diagnosis(problem.requestedText()))
                .orElseGet(() -> AllocationPlan.PendingDiagnosis.of(
                        Reason.DoesNotFit, "no node has all requested devices together"));
    }

    /**
     * Diagnoses a failure on a node. If the failure is a constraint on all devices, another node may only lack
     * unallocated devices; the reason is then that these devices are in use.
     */
    private AllocationPlan.PendingDiagnosis ofFailure(NodeRanking ranking, NodeRanking.FailedNode failedNode) {
        Optional<AllocationPlan.PendingDiagnosis> onOtherNodes =
                failedNode.failure() instanceof SearchOutcome.SearchFailure.ConstraintViolation
                        ? relaxation.withoutAllocationsOnOtherNodes(ranking.policy())
                        : Optional.empty();
        return onOtherNodes.orElseGet(() -> new FailureAnalysis(problem, reachability).diagnosis(failedNode));
    }

    /** Charges the first analysis without diagnosing, for a reason that is known already. */
    void chargeFirstRelaxation() {
        relaxation.charge();
    }

    // ---- nodes

    /** Diagnoses a pod that fits on a node except for the node resources that its devices consume. */
    static AllocationPlan.PendingDiagnosis nodeFull(NodeRanking.FullNode found) {
        String node = found.node().name();
        return switch (found.obstacle()) {
            case NodeResourceCheck.NodeResourceObstacle.InsufficientResources(var lacking) -> {
                String nearest = "%s has the devices and, with their node resources, too little of %s"
                        .formatted(node, String.join(" and ", lacking));
                yield new AllocationPlan.PendingDiagnosis(
                        Reason.NodeFull,
                        "no node with the devices has room for the pod and for the node resources of its devices,"
                                + " nearest: "
                                + nearest,
                        Optional.of(new AllocationPlan.NearestNode(node, nearest, List.of())));
            }
            case NodeResourceCheck.NodeResourceObstacle.UnaccountableDevice(String message) ->
                new AllocationPlan.PendingDiagnosis(
                        Reason.NodeResourcesUnknown,
                        message,
                        Optional.of(new AllocationPlan.NearestNode(node, message, List.of())));
        };
    }

    /** Diagnoses a pod for which a node has the devices, but not the resources that the pod itself requests. */
    static AllocationPlan.PendingDiagnosis nodeFull(NodeDeviceView node, ResourceList requests) {
        String nearest = "%s has the devices and too little of %s"
                .formatted(node.name(), String.join(" and ", node.insufficientResources(requests)));
        return new AllocationPlan.PendingDiagnosis(
                Reason.NodeFull,
                "no node with the devices has room for the pod, nearest: " + nearest,
                Optional.of(new AllocationPlan.NearestNode(node.name(), nearest, List.of())));
    }

    private AllocationPlan.PendingDiagnosis noNode() {
        SortedMap<String, Node> nodes = inventory.nodes();
        Optional<String> only = problem.shape().rules().onlyNode();
        String message = only.map(name ->
                        "node %s, the only one for the pod or its other claims, %s".formatted(name, state(name)))
                .orElseGet(() -> nodes.size() == 1
                        ? "the only node %s %s".formatted(nodes.firstKey(), state(nodes.firstKey()))
                        : "none of %d nodes is usable and allowed for the pod".formatted(nodes.size()));
        return AllocationPlan.PendingDiagnosis.of(Reason.NoUsableNode, message);
    }

    private String state(String name) {
        Node node = inventory.nodes().get(name);
        if (node == null) {
            return "is not known";
        }
        return problem.shape()
                .rules()
                .obstacle(node)
                .map(against -> "is not usable: " + against.text())
                .orElse("sends no heartbeats");
    }
}
