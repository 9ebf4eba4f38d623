package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ResourceSlice;
import java.util.Optional;

/**
 * A device at its place in the order in which one node's devices are tried.
 *
 * @param device with the taints of matching rules
 * @param reached whether the device's own node selection matches, where its slice leaves that to the devices
 * @param shared whether other nodes may see it too
 * @param counters what it takes of the counters of its pool, where it takes some and that is served
 */
public record Slot(
        Holding holding,
        Device device,
        ResourceSlice slice,
        boolean reached,
        boolean shared,
        Optional<CounterUse> counters) {
    /** A device among the users of its pool's counters. */
    public record CounterUse(SharedCounters pool, SharedCounters.User user) {}

    /** The driver. */
    public String driver() {
        return slice.driver();
    }

    /** Which nodes reach the device. */
    public NodeScope scope() {
        return slice.scope() instanceof NodeScope.PerDevice ? device.scope() : slice.scope();
    }
}
