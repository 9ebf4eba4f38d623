package dev.claimstream.allocation.solver;

import java.util.Comparator;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Orders in which the search tries the devices of a layout for an option. */
final class Order {
    private Order() {}

    /** The published order, as upstream. */
    static int[] published(Layout layout) {
        return IntStream.range(0, layout.size).toArray();
    }

    /**
     * Order for packing: prefers small devices with low fragmentation cost. Ties go to the smallest sufficient NUMA
     * node, then to the PCIe root with the fewest available devices, so that large groups stay whole. Unavailable
     * devices come last.
     */
    static int[] packing(Layout layout, NodeState state, Want want) {
        long wanted = want.all() ? layout.size : want.spec().count();
        int[] ofNuma = openOf(layout, state, want, layout::numaNode);
        int[] ofRoot = openOf(layout, state, want, layout::pcieRoot);
        Comparator<Integer> order = Comparator.comparingInt((Integer i) -> state.isOpen(i) ? 0 : 1)
                .thenComparingLong(i -> layout.grade(i, want))
                .thenComparingInt(state::cost)
                .thenComparingInt(state::room)
                .thenComparingInt(i -> ofNuma[i] >= wanted ? ofNuma[i] : 2 * layout.size - ofNuma[i])
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
    private static int[] openOf(Layout layout, NodeState state, Want want, IntUnaryOperator value) {
        SortedMap<Integer, Integer> counts = new TreeMap<>();
        for (int device = 0; device < layout.size; device++) {
            if (state.isOpen(device) && layout.verdict(device, want.column()) == Verdict.YES) {
                counts.merge(value.applyAsInt(device), 1, Integer::sum);
            }
        }
        return IntStream.range(0, layout.size)
                .map(device -> counts.getOrDefault(value.applyAsInt(device), 0))
                .toArray();
    }
}
