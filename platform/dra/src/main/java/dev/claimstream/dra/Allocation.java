package dev.claimstream.dra;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * {@code ResourceClaim.status.allocation}: the allocated devices and their node selector.
 *
 * @param nodeSelector the nodes that can access all devices; absent: every node
 */
public record Allocation(
        List<DeviceResult> results,
        List<AllocationConfig> config,
        Optional<NodeSelector> nodeSelector,
        Optional<Instant> allocationTimestamp) {
    public Allocation {
        results = List.copyOf(results);
        config = List.copyOf(config);
    }
}
