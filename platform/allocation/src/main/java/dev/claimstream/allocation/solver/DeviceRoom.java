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
 * Checks whether a node can supply the node resources that the devices of a solution consume. As in kube-scheduler,
 * this check does not influence which devices are selected: the node fails if the selected devices do not pass. Nodes
 * of one equivalence class can have different results.
 */
final class DeviceRoom {
    private final Question question;
    private final Accounting accounting;

    DeviceRoom(Question question, Accounting accounting) {
        this.question = question;
        this.accounting = accounting;
    }

    /** Why a node fails the check. */
    sealed interface Against {
        /** The node has too little left; one entry per resource, with amounts. */
        record Full(List<String> lacking) implements Against {}

        /** The pod cannot account for the consumption of the devices. */
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
