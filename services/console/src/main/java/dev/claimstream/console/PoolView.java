package dev.claimstream.console;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The newest generation of a pool.
 *
 * @param slices of that generation, by name
 */
record PoolView(PoolId id, long generation, List<ResourceSlice> slices) {
    PoolView {
        slices = List.copyOf(slices);
    }

    enum PoolViewState {
        COMPLETE("complete"),
        /** Fewer or more slices than the generation's slice count. */
        INCOMPLETE("incomplete"),
        /** Two devices have the same name. */
        INVALID("invalid");

        private final String text;

        PoolViewState(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * Returns the newest generation.
     *
     * @param all all slices of one pool, by name
     */
    static PoolView of(PoolId id, List<ResourceSlice> all) {
        long newest = all.stream().mapToLong(ResourceSlice::generation).max().orElse(0);
        return new PoolView(
                id,
                newest,
                all.stream().filter(slice -> slice.generation() == newest).toList());
    }

    /** Returns the slice count that the slices state. */
    long expected() {
        return slices.getFirst().resourceSliceCount();
    }

    PoolViewState state() {
        if (slices.size() != expected()) {
            return PoolViewState.INCOMPLETE;
        }
        Set<String> names = new HashSet<>();
        boolean isUnique = slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .map(Device::name)
                .allMatch(names::add);
        return isUnique ? PoolViewState.COMPLETE : PoolViewState.INVALID;
    }
}
