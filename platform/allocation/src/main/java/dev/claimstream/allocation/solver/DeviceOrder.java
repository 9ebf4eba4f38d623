package dev.claimstream.allocation.solver;

import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Orders in which the search tries the devices of a layout for an option. */
final class DeviceOrder {
    private DeviceOrder() {}

    /** The published order, as upstream. */
    static int[] published(NodeLayout layout) {
        return IntStream.range(0, layout.size).toArray();
    }

    /**
     * Order for packing: prefers small devices with low fragmentation cost. Ties go to the smallest sufficient NUMA
     * node, then to the PCIe root with the fewest available devices, so that large groups stay whole. Unavailable
     * devices come last.
     */
    static int[] packing(NodeLayout layout, NodeState state, RequestOption option) {
        long requested = option.isAllDevices() ? layout.size : option.spec().count();
        int[] ofNuma = availableCounts(layout, state, option, layout::numaNode);
        int[] ofRoot = availableCounts(layout, state, option, layout::pcieRoot);
        Comparator<Integer> order = Comparator.comparingInt((Integer i) -> state.isAvailable(i) ? 0 : 1)
                .thenComparingLong(i -> layout.grade(i, option))
                .thenComparingInt(state::cost)
                .thenComparingInt(state::remainingShare)
                .thenComparingInt(i -> ofNuma[i] >= requested ? ofNuma[i] : 2 * layout.size - ofNuma[i])
                .thenComparingInt(layout::numaNode)
                .thenComparingInt(i -> ofRoot[i])
                .thenComparingInt(layout::pcieRoot)
                .thenComparingInt(i -> i);
        return IntStream.range(0, layout.size)
                .boxed()
                .sorted(order)
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Per device, the number of available matching devices with the same value. */
    private static int[] availableCounts(
            NodeLayout layout, NodeState state, RequestOption option, IntUnaryOperator value) {
        SortedMap<Integer, Integer> counts = new TreeMap<>();
        for (int device = 0; device < layout.size; device++) {
            if (state.isAvailable(device) && layout.eligibility(device, option.column()) == DeviceEligibility.YES) {
                counts.merge(value.applyAsInt(device), 1, Integer::sum);
            }
        }
        return IntStream.range(0, layout.size)
                .map(device -> counts.getOrDefault(value.applyAsInt(device), 0))
                .toArray();
    }
}
