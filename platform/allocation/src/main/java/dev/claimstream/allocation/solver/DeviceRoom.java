package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Whether a node has room for what the devices of a fit take of its own resources. As in Kubernetes this does not influence which
 * devices are chosen: where the chosen ones do not find room, the node does not do. Nodes of one class may differ in it.
 */
final class DeviceRoom {
    private final Question question;
    private final Accounting accounting;

    DeviceRoom(Question question, Accounting accounting) {
        this.question = question;
        this.accounting = accounting;
    }

    /** What stands against a node. */
    sealed interface Against {
        /** What there is too little of, a line each. */
        record Full(List<String> lacking) implements Against {}

        /** It cannot be accounted for. */
        record Unaccountable(String message) implements Against {}
    }

    Optional<Against> against(NodeView node, NodeClass nodeClass, Outcome.Fits fits) {
        var demand = new NodeDemand();
        boolean takes = false;
        for (int i = 0; i < fits.columns().length; i++) {
            Slot slot = node.slots().get(nodeClass.layout.positions[fits.devices()[i]]);
            Device device = slot.device();
            if (!device.nodeAllocatable().isEmpty()) {
                Want want = question.wants().get(fits.columns()[i]);
                SortedMap<String, Quantity> consumed = question.consumed(want, device);
                int containers = accounting.containers().get(want.claim());
                var unknown = NodeDemand.unknown(device, consumed);
                if (unknown.isPresent()) {
                    return unaccountable(
                            "%s takes of node %s by what is consumed of its capacity %s, and it cannot be shared"
                                    .formatted(slot.holding().device(), node.name(), unknown.get()));
                }
                demand.add(device, consumed, containers);
                takes = true;
            }
        }
        return takes ? room(node, demand.amounts()) : Optional.empty();
    }

    private static Optional<Against> unaccountable(String message) {
        return Optional.of(new Against.Unaccountable(message));
    }

    private Optional<Against> room(NodeView node, ResourceList taken) {
        var exceeded = accounting.exceeded(taken);
        if (exceeded.isPresent()) {
            return unaccountable("on node %s %s".formatted(node.name(), exceeded.get()));
        }
        ResourceList asked = question.shape().rules().requests().plus(Accounting.beside(accounting.spare(), taken));
        return node.hasRoom(asked) ? Optional.empty() : Optional.of(new Against.Full(node.lacking(asked)));
    }
}
