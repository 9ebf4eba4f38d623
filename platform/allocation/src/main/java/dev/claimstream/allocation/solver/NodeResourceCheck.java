package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Checks whether a node can supply the node resources that the devices of a solution consume. As in kube-scheduler,
 * this check does not influence which devices are selected: the node fails if the selected devices do not pass. Nodes
 * of one equivalence class can have different results.
 */
final class NodeResourceCheck {
    private final AllocationProblem problem;
    private final Accounting accounting;

    NodeResourceCheck(AllocationProblem problem, Accounting accounting) {
        this.problem = problem;
        this.accounting = accounting;
    }

    /** Why a node fails the check. */
    sealed interface NodeResourceObstacle {
        /** The node has too little left; one entry per resource, with amounts. */
        record InsufficientResources(List<String> resources) implements NodeResourceObstacle {}

        /** The pod cannot account for the consumption of the devices. */
        record UnaccountableDevice(String message) implements NodeResourceObstacle {}
    }

    Optional<NodeResourceObstacle> obstacle(
            NodeDeviceView node, NodeEquivalenceClass nodeClass, SearchOutcome.Solution fits) {
        var demand = new NodeDemand();
        boolean consumesResources = false;
        for (int i = 0; i < fits.columns().length; i++) {
            DeviceCandidate candidate = nodeClass.candidate(node, fits.devices()[i]);
            Device device = candidate.device();
            if (!device.nodeAllocatable().isEmpty()) {
                RequestOption option = problem.options().get(fits.columns()[i]);
                SortedMap<String, Quantity> consumed = problem.consumed(option, device);
                int containers = accounting.containers().get(option.claim());
                var unknown = NodeDemand.unresolvedCapacity(device, consumed);
                if (unknown.isPresent()) {
                    return unaccountable(
                            "%s maps its consumed capacity %s to resources of node %s, but the device cannot be shared"
                                    .formatted(candidate.usage().device(), unknown.get(), node.name()));
                }
                demand.add(device, consumed, containers);
                consumesResources = true;
            }
        }
        return consumesResources ? checkResources(node, demand.amounts()) : Optional.empty();
    }

    private static Optional<NodeResourceObstacle> unaccountable(String message) {
        return Optional.of(new NodeResourceObstacle.UnaccountableDevice(message));
    }

    private Optional<NodeResourceObstacle> checkResources(NodeDeviceView node, ResourceList allocated) {
        var exceeded = accounting.overcommitted(allocated);
        if (exceeded.isPresent()) {
            return unaccountable("on node %s %s".formatted(node.name(), exceeded.get()));
        }
        ResourceList requests =
                problem.shape().rules().requests().plus(Accounting.excess(accounting.spare(), allocated));
        return node.hasCapacityFor(requests)
                ? Optional.empty()
                : Optional.of(new NodeResourceObstacle.InsufficientResources(node.insufficientResources(requests)));
    }
}
