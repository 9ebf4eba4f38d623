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
 * @param slices those of that generation that were seen, by name
 */
record PoolView(PoolId id, long generation, List<ResourceSlice> slices) {
    PoolView {
        slices = List.copyOf(slices);
    }

    /** What can be done with it. */
    enum State {
        COMPLETE("complete"),
        /** Slices are missing, or there are too many. */
        INCOMPLETE("incomplete"),
        /** Two devices have one name. */
        INVALID("invalid");

        private final String text;

        State(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** @param all every slice of one pool, by name */
    static PoolView of(PoolId id, List<ResourceSlice> all) {
        long newest = all.stream().mapToLong(ResourceSlice::generation).max().orElse(0);
        return new PoolView(
                id,
                newest,
                all.stream().filter(slice -> slice.generation() == newest).toList());
    }

    /** How many slices the generation has, as its slices say. */
    long expected() {
        return slices.getFirst().resourceSliceCount();
    }

    State state() {
        if (slices.size() != expected()) {
            return State.INCOMPLETE;
        }
        Set<String> names = new HashSet<>();
        boolean isUnique = slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .map(Device::name)
                .allMatch(names::add);
        return isUnique ? State.COMPLETE : State.INVALID;
    }
}
