package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.State;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ResourceSlice;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.SortedMap;

/**
 * What the figures say of the class of a device: its name where the device satisfies exactly one of our classes, so that every device
 * counts once and there are hardly more values than classes. Slices and classes seldom change, and a cell waits while it is counted: what
 * was found out is kept from one count to the next.
 */
final class ClassLabels {
    /** No name of a class has brackets. */
    static final String NONE = "(none)";

    static final String SEVERAL = "(several)";

    private SortedMap<String, DeviceClass> classes = Collections.emptySortedMap();
    private IdentityHashMap<ResourceSlice, List<String>> known = new IdentityHashMap<>();
    private IdentityHashMap<ResourceSlice, List<String>> asked = new IdentityHashMap<>();

    /** A count begins: of slices that the last one did not ask for nothing is kept. */
    void begin(State state) {
        known = state.classes() == classes ? asked : new IdentityHashMap<>();
        asked = new IdentityHashMap<>();
        classes = state.classes();
    }

    /** The labels of the devices of a slice, in their order. */
    List<String> of(State state, ResourceSlice slice) {
        return asked.computeIfAbsent(slice, _ -> known.computeIfAbsent(slice, each -> found(state, each)));
    }

    private static List<String> found(State state, ResourceSlice slice) {
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
