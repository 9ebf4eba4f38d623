package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Node;

/** Passes nodes, their liveness and device taint rules to the inventory. */
final class NodeIndex implements RowIndex {
    private final DeviceInventory inventory;

    NodeIndex(DeviceInventory inventory) {
        this.inventory = inventory;
    }

    @Override
    public void add(Row row) {
        switch (row) {
            case ObservedRow.NodeLivenessRow liveness -> inventory.setSilent(liveness.node(), liveness.silent());
            case ObservedRow.ObjectRow object -> {
                switch (object.content().orElse(null)) {
                    case Node node -> inventory.put(node);
                    case DeviceTaintRule rule -> inventory.put(rule);
                    case null, default -> {}
                }
            }
            default -> {}
        }
    }

    @Override
    public void remove(Row row) {
        switch (row) {
            case ObservedRow.NodeLivenessRow liveness -> inventory.setSilent(liveness.node(), false);
            case ObservedRow.ObjectRow object -> {
                switch (object.content().orElse(null)) {
                    case Node node -> inventory.removeNode(node.meta().name());
                    case DeviceTaintRule rule ->
                        inventory.removeTaintRule(rule.meta().name());
                    case null, default -> {}
                }
            }
            default -> {}
        }
    }
}
