package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Finds used devices of a pool that together or alone exceed declared counters or capacity.
 *
 * <p>Claimstream never allocates in this way. The cause is a slice that was reduced after allocation, or another allocator.
 */
final class Overdrafts {
    private final List<Use> uses = new ArrayList<>();
    private final SortedMap<Counter, Quantity> left = new TreeMap<>();

    private record Use(Device device, Holding holding) {}

    private record Counter(String set, String name) implements Comparable<Counter> {
        @Override
        public int compareTo(Counter other) {
            int bySet = set.compareTo(other.set);
            return bySet != 0 ? bySet : name.compareTo(other.name);
        }
    }

    /**
     * Creates the check.
     *
     * @param slices all slices of a complete generation
     */
    Overdrafts(List<ResourceSlice> slices, Function<DeviceId, Optional<Holding>> holdings) {
        for (ResourceSlice slice : slices) {
            slice.sharedCounters()
                    .forEach(set ->
                            set.counters().forEach((name, amount) -> left.put(new Counter(set.name(), name), amount)));
            for (Device device : slice.devices()) {
                holdings.apply(new DeviceId(slice.driver(), slice.pool(), device.name()))
                        .filter(holding -> !holding.isFree())
                        .ifPresent(holding -> uses.add(new Use(device, holding)));
            }
        }
        uses.forEach(use -> visitCounters(
                use.device, (counter, amount) -> left.computeIfPresent(counter, (_, now) -> now.minus(amount))));
    }

    private static void visitCounters(Device device, BiConsumer<Counter, Quantity> visitor) {
        device.consumesCounters()
                .forEach(each -> each.counters()
                        .forEach((name, amount) -> visitor.accept(new Counter(each.counterSet(), name), amount)));
    }

    /** Returns the devices that consume an overcommitted counter or capacity. */
    SortedSet<DeviceId> devices() {
        SortedSet<DeviceId> overdrawn = new TreeSet<>();
        for (Use use : uses) {
            if (lacksCounters(use.device) || lacksCapacity(use)) {
                overdrawn.add(use.holding.device());
            }
        }
        return overdrawn;
    }

    private boolean lacksCounters(Device device) {
        return device.consumesCounters().stream()
                .anyMatch(each -> each.counters().entrySet().stream()
                        .anyMatch(taken -> taken.getValue().signum() > 0
                                && isOverdrawn(new Counter(each.counterSet(), taken.getKey()))));
    }

    private boolean isOverdrawn(Counter counter) {
        Quantity rest = left.get(counter);
        return rest != null && rest.signum() < 0;
    }

    private static boolean lacksCapacity(Use use) {
        return use.holding.consumed().entrySet().stream()
                .anyMatch(consumed -> Optional.ofNullable(use.device.capacity().get(consumed.getKey()))
                        .filter(all -> all.value().compareTo(consumed.getValue()) < 0)
                        .isPresent());
    }
}
