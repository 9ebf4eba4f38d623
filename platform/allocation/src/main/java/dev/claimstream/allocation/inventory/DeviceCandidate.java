package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ResourceSlice;
import java.util.Optional;

/**
 * A device of one node at its position in the search order.
 *
 * @param usage the current usage of the device
 * @param device the device with the taints of matching taint rules
 * @param isReachable false if the slice has per-device node selection and the device's selection does not match the node
 * @param isShared whether other nodes may access the device
 * @param optionalOperations whether the node's kubelet supports {@code skipNodeOperations}
 * @param counters the counter consumption; absent if the device consumes no counters or the feature is off
 */
public record DeviceCandidate(
        DeviceUsage usage,
        Device device,
        ResourceSlice slice,
        boolean isReachable,
        boolean isShared,
        boolean optionalOperations,
        Optional<CounterUse> counters) {
    /** The counters that a device consumes, and the pool that has them. */
    public record CounterUse(SharedCounters pool, CounterConsumer consumer) {}

    /** Returns the driver name. */
    public String driver() {
        return slice.driver();
    }

    /** Returns the node selection of the device, or that of its slice. */
    public NodeScope scope() {
        return slice.scope() instanceof NodeScope.PerDevice ? device.scope() : slice.scope();
    }
}
