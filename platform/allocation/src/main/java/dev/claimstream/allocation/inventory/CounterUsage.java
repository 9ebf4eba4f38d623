package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The declared and used amounts of a pool's shared counters, by name.
 *
 * <p>Diagnoses use these exact quantities in texts; the search uses the integers of {@link SharedCounters}.
 */
public final class CounterUsage {
    private final SortedMap<String, CounterSet> sets = new TreeMap<>();
    private final List<CounterConsumer> consumers;
    private final Map<String, CounterConsumer> byDevice;

    CounterUsage(Stream<CounterSet> declared, List<CounterConsumer> consumers, Map<String, CounterConsumer> byDevice) {
        declared.forEach(set -> sets.put(set.name(), set));
        this.consumers = consumers;
        this.byDevice = byDevice;
    }

    /** Returns all counters, by set and name. */
    public List<CounterName> counters() {
        return sets.values().stream()
                .flatMap(set -> set.counters().keySet().stream().map(name -> new CounterName(set.name(), name)))
                .toList();
    }

    /** Returns the declared amount of a counter; zero if undeclared. */
    public Quantity declared(CounterName counter) {
        return Optional.ofNullable(sets.get(counter.set()))
                .flatMap(each -> Optional.ofNullable(each.counters().get(counter.name())))
                .orElse(Quantity.of(0));
    }

    /** Returns the amount of a counter that the used devices consume together. */
    public Quantity usedAmount(CounterName counter) {
        return used().flatMap(consumer -> consumer.consumption.stream())
                .filter(each -> each.counterSet().equals(counter.set()))
                .flatMap(each -> Optional.ofNullable(each.counters().get(counter.name())).stream())
                .reduce(Quantity.of(0), Quantity::plus);
    }

    /** Returns the used devices that consume a nonzero amount of a counter. */
    public List<DeviceUsage> usersOfCounter(CounterName counter) {
        return used().filter(consumer -> consumer.consumption.stream()
                        .anyMatch(each -> each.counterSet().equals(counter.set())
                                && Optional.ofNullable(each.counters().get(counter.name()))
                                        .filter(amount -> amount.signum() != 0)
                                        .isPresent()))
                .map(consumer -> consumer.usage)
                .toList();
    }

    /** Returns the used devices that consume a counter set. */
    public List<DeviceUsage> usersOfSet(String set) {
        return used().filter(consumer -> consumer.consumption.stream()
                        .anyMatch(each -> each.counterSet().equals(set)))
                .map(consumer -> consumer.usage)
                .toList();
    }

    /** Returns the compatibility groups of a device in a counter set; empty if it does not consume the set. */
    public List<String> groups(DeviceId device, String set) {
        return Optional.ofNullable(byDevice.get(device.device())).stream()
                .flatMap(consumer -> consumer.consumption.stream())
                .filter(each -> each.counterSet().equals(set))
                .flatMap(each -> each.compatibilityGroups().stream())
                .toList();
    }

    private Stream<CounterConsumer> used() {
        return consumers.stream().filter(consumer -> !consumer.usage.isFree());
    }
}
