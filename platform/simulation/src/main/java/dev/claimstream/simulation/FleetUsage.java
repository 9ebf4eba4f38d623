package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.DeviceId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Utilisation and fragmentation of the devices of all usable nodes. A shared device counts once, and as used if a claim
 * uses a part of it.
 *
 * @param nodes usable nodes that are not cordoned
 * @param devices devices of these nodes
 * @param used devices that a claim holds
 * @param largestFree the largest number of free devices on one node
 * @param scattered free devices on nodes where another device is in use
 * @param pending pending items
 */
public record FleetUsage(long nodes, long devices, long used, long largestFree, long scattered, long pending) {
    private static final int PERCENT = 100;

    /** Counts the devices of all cells. The cost grows with the number of devices; it is paid per simulation. */
    public static FleetUsage of(List<State> cells) {
        Set<DeviceId> counted = new HashSet<>();
        long nodes = 0;
        long devices = 0;
        long used = 0;
        long largest = 0;
        long scattered = 0;
        for (State state : cells) {
            for (NodeDeviceView view : state.inventory().views()) {
                if (!view.isUsable() || view.node().unschedulable()) {
                    continue;
                }
                nodes++;
                long free = 0;
                long usedHere = 0;
                for (DeviceCandidate candidate : view.candidates()) {
                    if (!candidate.isShared() || counted.add(candidate.usage().device())) {
                        devices++;
                        usedHere += candidate.usage().isFree() ? 0 : 1;
                        free += candidate.usage().isFree() ? 1 : 0;
                    }
                }
                used += usedHere;
                largest = Math.max(largest, free);
                scattered += usedHere > 0 ? free : 0;
            }
        }
        return new FleetUsage(nodes, devices, used, largest, scattered, pending(cells));
    }

    /** An item that several cells have returned is pending in each of them, and for a while after another cell has allocated it. */
    private static long pending(List<State> cells) {
        return cells.size() == 1
                ? cells.getFirst().pending().size()
                : cells.stream()
                        .flatMap(state -> state.pending().values().stream())
                        .distinct()
                        .filter(item -> cells.stream()
                                .flatMap(state -> state.item(item).stream())
                                .allMatch(row -> row.isPending()))
                        .count();
    }

    /** Used devices in percent of all, rounded down. */
    public long usedPercent() {
        return devices == 0 ? 0 : PERCENT * used / devices;
    }

    /** Free devices on nodes where another device is in use, in percent of the free devices, rounded down. */
    public long fragmentationPercent() {
        return devices == used ? 0 : PERCENT * scattered / (devices - used);
    }
}
