package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ResourceSlice;

/** Checks which slices and devices a node can access. */
record NodeReach(Node node) {
    boolean reaches(ResourceSlice slice) {
        return slice.scope() instanceof NodeScope.PerDevice
                ? slice.devices().stream().anyMatch(this::reaches)
                : matches(slice.scope());
    }

    boolean reaches(Device device) {
        return matches(device.scope());
    }

    private boolean matches(NodeScope scope) {
        return switch (scope) {
            case NodeScope.SingleNode on -> on.node().equals(node.meta().name());
            case NodeScope.AllNodes all -> true;
            case NodeScope.MatchingNodes matching ->
                matching.selector().matches(node.meta().name(), node.meta().labels());
            case NodeScope.PerDevice perDevice -> false;
            case NodeScope.UnknownScope unset -> false;
        };
    }
}
