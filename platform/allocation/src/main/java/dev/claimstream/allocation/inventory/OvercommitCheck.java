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
final class OvercommitCheck {
    private final List<UsedDevice> usedDevices = new ArrayList<>();
    private final SortedMap<CounterId, Quantity> remaining = new TreeMap<>();

    private record UsedDevice(Device device, DeviceUsage usage) {}

    private record CounterId(String set, String name) implements Comparable<CounterId> {
        @Override
        public int compareTo(CounterId other) {
            int bySet = set.compareTo(other.set);
            return bySet != 0 ? bySet : name.compareTo(other.name);
        }
    }

    /**
     * Creates the check.
     *
     * @param slices all slices of a complete generation
     */
    OvercommitCheck(List<ResourceSlice> slices, Function<DeviceId, Optional<DeviceUsage>> usages) {
        for (ResourceSlice slice : slices) {
            slice.sharedCounters()
                    .forEach(set -> set.counters()
                            .forEach((name, amount) -> remaining.put(new CounterId(set.name(), name), amount)));
            for (Device device : slice.devices()) {
                usages.apply(new DeviceId(slice.driver(), slice.pool(), device.name()))
                        .filter(usage -> !usage.isFree())
                        .ifPresent(usage -> usedDevices.add(new UsedDevice(device, usage)));
            }
        }
        usedDevices.forEach(use -> visitCounters(
                use.device, (counter, amount) -> remaining.computeIfPresent(counter, (_, now) -> now.minus(amount))));
    }

    private static void visitCounters(Device device, BiConsumer<CounterId, Quantity> visitor) {
        device.consumesCounters()
                .forEach(each -> each.counters()
                        .forEach((name, amount) -> visitor.accept(new CounterId(each.counterSet(), name), amount)));
    }

    /** Returns the devices that consume an overcommitted counter or capacity. */
    SortedSet<DeviceId> devices() {
        SortedSet<DeviceId> overdrawn = new TreeSet<>();
        for (UsedDevice use : usedDevices) {
            if (exceedsCounters(use.device) || exceedsCapacity(use)) {
                overdrawn.add(use.usage.device());
            }
        }
        return overdrawn;
    }

    private boolean exceedsCounters(Device device) {
        return device.consumesCounters().stream()
                .anyMatch(each -> each.counters().entrySet().stream()
                        .anyMatch(taken -> taken.getValue().signum() > 0
                                && isOvercommitted(new CounterId(each.counterSet(), taken.getKey()))));
    }

    private boolean isOvercommitted(CounterId counter) {
        Quantity rest = remaining.get(counter);
        return rest != null && rest.signum() < 0;
    }

    private static boolean exceedsCapacity(UsedDevice use) {
        return use.usage.consumed().entrySet().stream()
                .anyMatch(consumed -> Optional.ofNullable(use.device.capacity().get(consumed.getKey()))
                        .filter(all -> all.value().compareTo(consumed.getValue()) < 0)
                        .isPresent());
    }
}
