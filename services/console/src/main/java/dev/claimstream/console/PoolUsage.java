package dev.claimstream.console;

import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What allocations leave of the counters and of the shared devices of a pool. */
final class PoolUsage {
    private final PoolId pool;
    private final Map<DeviceId, List<DeviceResult>> results;

    /** Remaining amounts, by {@code COUNTERSET/COUNTER}. */
    private final SortedMap<String, Quantity> counters = new TreeMap<>();

    /** @param results the allocations of each device, without those with admin access */
    PoolUsage(PoolView view, Map<DeviceId, List<DeviceResult>> results) {
        this.pool = view.id();
        this.results = results;
        view.slices().stream()
                .flatMap(slice -> slice.sharedCounters().stream())
                .forEach(set ->
                        set.counters().forEach((name, amount) -> counters.put(counter(set.name(), name), amount)));
        view.slices().stream()
                .flatMap(slice -> slice.devices().stream())
                .filter(device -> !resultsOf(device).isEmpty())
                .flatMap(device -> device.consumesCounters().stream())
                .forEach(this::subtract);
    }

    private void subtract(CounterConsumption consumption) {
        consumption
                .counters()
                .forEach((name, amount) -> counters.computeIfPresent(
                        counter(consumption.counterSet(), name), (_, remaining) -> remaining.minus(amount)));
    }

    private static String counter(String set, String name) {
        return set + "/" + name;
    }

    private List<DeviceResult> resultsOf(Device device) {
        return results.getOrDefault(new DeviceId(pool.driver(), pool.pool(), device.name()), List.of());
    }

    /**
     * Remaining capacity of a device for further allocations.
     *
     * @param capacity of a device that several claims share; empty for other devices
     * @param counters of the counters that the device consumes, by {@code COUNTERSET/COUNTER}
     * @param shortage why counters do not suffice for a first allocation; empty if they do
     */
    record DeviceRemainder(
            SortedMap<String, Quantity> capacity, SortedMap<String, Quantity> counters, Optional<String> shortage) {
        static final DeviceRemainder NONE = new DeviceRemainder(new TreeMap<>(), new TreeMap<>(), Optional.empty());
    }

    DeviceRemainder of(Device device) {
        SortedMap<String, Quantity> remaining = new TreeMap<>();
        Optional<String> shortage = Optional.empty();
        for (CounterConsumption consumption : device.consumesCounters()) {
            for (Map.Entry<String, Quantity> each : consumption.counters().entrySet()) {
                String name = counter(consumption.counterSet(), each.getKey());
                Optional<Quantity> amount = Optional.ofNullable(counters.get(name));
                amount.ifPresent(quantity -> remaining.put(name, quantity));
                if (resultsOf(device).isEmpty()) {
                    shortage = shortage.or(() -> shortage(name, each.getValue(), amount));
                }
            }
        }
        return new DeviceRemainder(capacity(device), remaining, shortage);
    }

    private static Optional<String> shortage(String counter, Quantity needed, Optional<Quantity> remaining) {
        return remaining
                .filter(amount -> amount.compareTo(needed) < 0)
                .map(amount -> "it consumes %s of counter %s, of which %s is left".formatted(needed, counter, amount));
    }

    private SortedMap<String, Quantity> capacity(Device device) {
        SortedMap<String, Quantity> remaining = new TreeMap<>();
        if (device.allowMultipleAllocations()) {
            device.capacity().forEach((name, capacity) -> remaining.put(name, capacity.value()));
            resultsOf(device)
                    .forEach(result -> result.consumedCapacity()
                            .forEach((name, amount) ->
                                    remaining.computeIfPresent(name, (_, previous) -> previous.minus(amount))));
        }
        return remaining;
    }
}
