package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.State;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ResourceSlice;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SortedMap;

/**
 * Computes the label {@code class} of device meters.
 *
 * <p>The label is the name of the managed class that the device satisfies, if there is exactly one. So each device counts once, and there
 * are few label values. Counting blocks the cell, and slices and classes seldom change: the labels of the last count are cached. Not safe
 * for several threads.
 */
final class ClassLabels {
    /** No class has this name: names of classes have no brackets. */
    static final String NONE = "(none)";

    static final String SEVERAL = "(several)";

    private SortedMap<String, DeviceClass> classes = Collections.emptySortedMap();
    private IdentityHashMap<ResourceSlice, List<String>> labelsBySlice = new IdentityHashMap<>();
    private IdentityHashMap<ResourceSlice, List<String>> usedLabels = new IdentityHashMap<>();

    /** Begins a count. The cache keeps only slices of the last count, and nothing after a change of classes. */
    void begin(State state) {
        labelsBySlice = state.classes() == classes ? usedLabels : new IdentityHashMap<>();
        usedLabels = new IdentityHashMap<>();
        classes = state.classes();
    }

    /** The labels of the devices of a slice, in the order of the slice. */
    List<String> of(State state, ResourceSlice slice) {
        return usedLabels.computeIfAbsent(
                slice, _ -> labelsBySlice.computeIfAbsent(slice, each -> compute(state, each)));
    }

    private static List<String> compute(State state, ResourceSlice slice) {
        return slice.devices().stream()
                .map(device -> label(state.classesOf(slice.driver(), device)))
                .toList();
    }

    private static String label(List<String> names) {
        return switch (names.size()) {
            case 0 -> NONE;
            case 1 -> names.getFirst();
            default -> SEVERAL;
        };
    }
}
