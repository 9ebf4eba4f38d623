package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ResourceSlice;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Numbers the shared counters of one pool by set and name, and converts their amounts to integers.
 *
 * <p>The amounts of a counter are integers of its {@link CounterScale}, stored as {@link Limbs}.
 */
final class CounterLayout {
    private final List<String> sets = new ArrayList<>();
    private final Map<String, Map<String, Integer>> numbers = new TreeMap<>();
    private final List<CounterScale> scales = new ArrayList<>();
    private final Limbs limbs;
    private final int[] firstLimbs;
    private final Map<String, Integer> groups = new LinkedHashMap<>();

    /** @param slices the slices of the pool that declare counter sets or list devices */
    CounterLayout(List<ResourceSlice> slices) {
        List<BigDecimal> declared = new ArrayList<>();
        for (ResourceSlice slice : slices) {
            for (CounterSet set : slice.sharedCounters()) {
                Map<String, Integer> ofSet = new TreeMap<>();
                set.counters().forEach((name, value) -> {
                    ofSet.put(name, declared.size());
                    declared.add(value.amount());
                });
                numbers.put(set.name(), ofSet);
                sets.add(set.name());
            }
        }
        List<List<BigDecimal>> consumptions = consumptions(slices, declared.size());
        for (int i = 0; i < declared.size(); i++) {
            scales.add(CounterScale.of(declared.get(i), consumptions.get(i)));
        }
        limbs = Limbs.of(scales.stream().map(each -> each.unit().width()).toList());
        firstLimbs = firstLimbs();
    }

    /** Returns the amounts that the devices consume, per counter. */
    private List<List<BigDecimal>> consumptions(List<ResourceSlice> slices, int counters) {
        List<List<BigDecimal>> consumptions = new ArrayList<>();
        for (int i = 0; i < counters; i++) {
            consumptions.add(new ArrayList<>());
        }
        slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .forEach(device -> consumed(device)
                        .forEach((counter, amount) -> consumptions.get(counter).add(amount)));
        return consumptions;
    }

    /** Returns the amounts that a device consumes, by counter. */
    private SortedMap<Integer, BigDecimal> consumed(Device device) {
        var consumed = new TreeMap<Integer, BigDecimal>();
        for (CounterConsumption each : device.consumesCounters()) {
            Map<String, Integer> ofSet = numbers.getOrDefault(each.counterSet(), new TreeMap<>());
            each.counters()
                    .forEach((name, amount) -> consumed.merge(ofSet.get(name), amount.amount(), BigDecimal::add));
        }
        return consumed;
    }

    private int[] firstLimbs() {
        int[] first = new int[scales.size()];
        for (int i = 1; i < first.length; i++) {
            first[i] = first[i - 1] + scales.get(i - 1).unit().width();
        }
        return first;
    }

    /** Returns the names of the counter sets, by index. */
    List<String> sets() {
        return sets;
    }

    Limbs limbs() {
        return limbs;
    }

    /** Returns the declared amount of each counter. */
    long[] declared() {
        return scales.stream()
                .flatMapToLong(each -> Arrays.stream(each.total()))
                .toArray();
    }

    /** Returns whether a consumer so far names compatibility groups. */
    boolean hasGroups() {
        return !groups.isEmpty();
    }

    /**
     * Creates the consumer of a device.
     *
     * @param number index of the consumer among those of the pool
     */
    CounterConsumer consumer(DeviceUsage usage, Device device, int number) {
        List<CounterConsumption> consumption = device.consumesCounters();
        int[] setIndexes = new int[consumption.size()];
        int[][] groupsOfSets = new int[consumption.size()][];
        for (int i = 0; i < setIndexes.length; i++) {
            CounterConsumption each = consumption.get(i);
            setIndexes[i] = sets.indexOf(each.counterSet());
            groupsOfSets[i] = each.compatibilityGroups().stream()
                    .mapToInt(name -> groups.computeIfAbsent(name, key -> groups.size()))
                    .distinct()
                    .sorted()
                    .toArray();
        }
        SortedMap<Integer, BigDecimal> consumed = consumed(device);
        return new CounterConsumer(
                usage,
                consumption,
                number,
                consumed.keySet().stream().flatMapToInt(this::limbsOf).toArray(),
                consumed.entrySet().stream()
                        .flatMapToLong(
                                each -> Arrays.stream(scales.get(each.getKey()).consumed(each.getValue())))
                        .toArray(),
                setIndexes,
                groupsOfSets);
    }

    private IntStream limbsOf(int counter) {
        return IntStream.range(
                firstLimbs[counter],
                firstLimbs[counter] + scales.get(counter).unit().width());
    }
}
