package dev.claimstream.allocation.solver;

import java.util.Comparator;
import java.util.stream.IntStream;

/** In which order the devices of a layout are tried for a want. */
final class Order {
    private Order() {}

    /** As published: upstream's. */
    static int[] published(Layout layout) {
        return IntStream.range(0, layout.size).toArray();
    }

    /**
     * The smallest devices first; among equals those that take the least from others, then those of the smallest NUMA node that has
     * enough, then those of the PCIe root with the fewest free devices, so that large groups stay whole. Devices in use come last.
     */
    static int[] packing(Layout layout, NodeState state, Want want) {
        long wanted = want.all() ? layout.size : want.spec().count();
        int[] ofNuma = new int[layout.size];
        int[] ofRoot = new int[layout.size];
        for (int i = 0; i < layout.size; i++) {
            for (int j = 0; j < layout.size; j++) {
                if (state.isOpen(j) && layout.verdict(j, want.column()) == Verdict.YES) {
                    ofNuma[i] += layout.numaNode(i) == layout.numaNode(j) ? 1 : 0;
                    ofRoot[i] += layout.pcieRoot(i) == layout.pcieRoot(j) ? 1 : 0;
                }
            }
        }
        Comparator<Integer> order = Comparator.comparingInt((Integer i) -> state.isOpen(i) ? 0 : 1)
                .thenComparingLong(i -> layout.grade(i, want))
                .thenComparingInt(state::cost)
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
}
