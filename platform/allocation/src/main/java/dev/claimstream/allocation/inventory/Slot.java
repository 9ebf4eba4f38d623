package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ResourceSlice;

/**
 * A device at its place in the order in which one node's devices are tried.
 *
 * @param device with the taints of matching rules
 * @param reached whether the device's own node selection matches, where its slice leaves that to the devices
 * @param shared whether other nodes may see it too
 */
public record Slot(Holding holding, Device device, ResourceSlice slice, boolean reached, boolean shared) {
    /** The driver. */
    public String driver() {
        return slice.driver();
    }

    /** Which nodes reach the device. */
    public NodeScope scope() {
        return slice.scope() instanceof NodeScope.PerDevice ? device.scope() : slice.scope();
    }
}
