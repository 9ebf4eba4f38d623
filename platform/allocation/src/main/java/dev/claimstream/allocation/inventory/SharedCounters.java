package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The shared counters of one pool, their consumption per device, and the amounts that devices in use leave.
 *
 * <p>Counters are numbered by set and name. Amounts are integers of the counter's {@link CounterScale}; arrays of amounts consist of
 * {@link Limbs}. Results are cached until device usage changes.
 *
 * <p>Upstream: {@code checkAvailableCounters} of the structured allocator. A device that several claims share consumes its counters once.
 */
public final class SharedCounters {
    private final List<String> sets = new ArrayList<>();
    private final Limbs limbs;
    private final long[] declared;
    private final SortedMap<String, CounterSet> byName = new TreeMap<>();
    private final boolean hasGroups;
    private final List<CounterConsumer> consumers = new ArrayList<>();
    private final Map<String, CounterConsumer> byDevice = new LinkedHashMap<>();
    private Optional<long[]> remaining = Optional.empty();
    private Optional<int[]> losses = Optional.empty();
    private Optional<List<List<CounterConsumer>>> rivals = Optional.empty();

    /** A device that consumes counters. Instances have identity equality. */
    public static final class CounterConsumer {
        private final DeviceUsage usage;
        private final List<CounterConsumption> consumption;
        private final int number;
        private final int[] counters;
        private final long[] amounts;
        private final int[] setIndexes;
        private final int[][] groups;

        CounterConsumer(
                DeviceUsage usage,
                List<CounterConsumption> consumption,
                int number,
                int[] counters,
                long[] amounts,
                int[] places,
                int[][] groups) {
            this.usage = usage;
            this.consumption = consumption;
            this.number = number;
            this.counters = counters;
            this.amounts = amounts;
            this.setIndexes = places;
            this.groups = groups;
        }

        /** Returns the index in {@link #losses}. */
        public int number() {
            return number;
        }

        /** Returns the limb indexes of the consumed counters, ascending. */
        public int[] counters() {
            return counters.clone();
        }

        /** Returns the consumed amount per limb index. */
        public long[] amounts() {
            return amounts.clone();
        }

        /** Returns the indexes of the consumed counter sets, in the device's order. */
        public int[] setIndexes() {
            return setIndexes.clone();
        }

        /** Returns the indexes of the compatibility groups, ascending, per consumed counter set. */
        public List<int[]> groups() {
            return List.of(groups);
        }
    }

    /**
     * Creates the counters.
     *
     * @param slices the slices of the pool that declare counter sets or list devices
     */
    SharedCounters(List<ResourceSlice> slices, Function<DeviceId, DeviceUsage> usages) {
        Map<String, Map<String, Integer>> numbers = new TreeMap<>();
        List<BigDecimal> values = new ArrayList<>();
        for (ResourceSlice slice : slices) {
            for (CounterSet set : slice.sharedCounters()) {
                Map<String, Integer> ofSet = new TreeMap<>();
                set.counters().forEach((name, value) -> {
                    ofSet.put(name, values.size());
                    values.add(value.amount());
                });
                numbers.put(set.name(), ofSet);
                sets.add(set.name());
                byName.put(set.name(), set);
            }
        }
        List<CounterScale> measures = scales(values, consumptions(slices, numbers, values.size()));
        limbs = Limbs.of(measures.stream().map(each -> each.unit().width()).toList());
        declared = measures.stream()
                .flatMapToLong(each -> Arrays.stream(each.total()))
                .toArray();
        int[] firstLimbs = firstLimbs(measures);
        var groups = new LinkedHashMap<String, Integer>();
        for (ResourceSlice slice : slices) {
            for (Device device : slice.devices()) {
                if (!device.consumesCounters().isEmpty()) {
                    DeviceUsage usage = usages.apply(new DeviceId(slice.driver(), slice.pool(), device.name()));
                    add(consumer(usage, device, numbers, measures, firstLimbs, groups));
                }
            }
        }
        hasGroups = !groups.isEmpty();
    }

    private static int[] firstLimbs(List<CounterScale> measures) {
        int[] first = new int[measures.size()];
        for (int i = 1; i < first.length; i++) {
            first[i] = first[i - 1] + measures.get(i - 1).unit().width();
        }
        return first;
    }

    private void add(CounterConsumer user) {
        consumers.add(user);
        byDevice.putIfAbsent(user.usage.device().device(), user);
    }

    private CounterConsumer consumer(
            DeviceUsage usage,
            Device device,
            Map<String, Map<String, Integer>> numbers,
            List<CounterScale> measures,
            int[] firstLimbs,
            Map<String, Integer> groups) {
        List<CounterConsumption> consumption = device.consumesCounters();
        int[] places = new int[consumption.size()];
        int[][] groupsAt = new int[consumption.size()][];
        for (int i = 0; i < places.length; i++) {
            CounterConsumption each = consumption.get(i);
            places[i] = sets.indexOf(each.counterSet());
            groupsAt[i] = each.compatibilityGroups().stream()
                    .mapToInt(name -> groups.computeIfAbsent(name, key -> groups.size()))
                    .distinct()
                    .sorted()
                    .toArray();
        }
        SortedMap<Integer, BigDecimal> taken = consumed(device, numbers);
        return new CounterConsumer(
                usage,
                consumption,
                consumers.size(),
                taken.keySet().stream()
                        .flatMapToInt(each -> IntStream.range(
                                firstLimbs[each],
                                firstLimbs[each] + measures.get(each).unit().width()))
                        .toArray(),
                taken.entrySet().stream()
                        .flatMapToLong(each ->
                                Arrays.stream(measures.get(each.getKey()).consumed(each.getValue())))
                        .toArray(),
                places,
                groupsAt);
    }

    /** Returns the amounts that a device consumes, by counter index. */
    private static SortedMap<Integer, BigDecimal> consumed(Device device, Map<String, Map<String, Integer>> numbers) {
        var taken = new TreeMap<Integer, BigDecimal>();
        for (CounterConsumption each : device.consumesCounters()) {
            Map<String, Integer> ofSet = numbers.getOrDefault(each.counterSet(), new TreeMap<>());
            each.counters().forEach((name, amount) -> taken.merge(ofSet.get(name), amount.amount(), BigDecimal::add));
        }
        return taken;
    }

    /** Returns the amounts that the devices consume, per counter index. */
    private static List<List<BigDecimal>> consumptions(
            List<ResourceSlice> slices, Map<String, Map<String, Integer>> numbers, int counters) {
        List<List<BigDecimal>> takings = new ArrayList<>();
        for (int i = 0; i < counters; i++) {
            takings.add(new ArrayList<>());
        }
        slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .forEach(device -> consumed(device, numbers)
                        .forEach((counter, amount) -> takings.get(counter).add(amount)));
        return takings;
    }

    private static List<CounterScale> scales(List<BigDecimal> values, List<List<BigDecimal>> takings) {
        List<CounterScale> measures = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            measures.add(CounterScale.of(values.get(i), takings.get(i)));
        }
        return measures;
    }

    /** Returns whether all consumed counters are declared and no counter set is declared twice. */
    static boolean isConsistent(List<ResourceSlice> slices) {
        Map<String, CounterSet> sets = new TreeMap<>();
        for (ResourceSlice slice : slices) {
            for (CounterSet set : slice.sharedCounters()) {
                if (sets.put(set.name(), set) != null) {
                    return false;
                }
            }
        }
        return slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .flatMap(device -> device.consumesCounters().stream())
                .allMatch(each -> {
                    CounterSet set = sets.get(each.counterSet());
                    return set != null
                            && set.counters()
                                    .keySet()
                                    .containsAll(each.counters().keySet());
                });
    }

    // ---- reads

    /**
     * Returns the counter consumption of a device.
     *
     * @throws IllegalStateException if the device consumes no counters
     */
    public CounterConsumer consumer(String device) {
        CounterConsumer user = byDevice.get(device);
        if (user == null) {
            throw new IllegalStateException("device %s takes no counters".formatted(device));
        }
        return user;
    }

    /** Returns the limb layout of all counters. */
    public Limbs limbs() {
        return limbs;
    }

    /** Returns the number of counter sets. */
    public int setCount() {
        return sets.size();
    }

    /** Returns the declared amount of each counter. Callers must not modify the array. */
    public long[] declared() {
        return declared;
    }

    /** Returns the remaining amount of each counter; negative if overcommitted. Callers must not modify the array. */
    public long[] remaining() {
        if (remaining.isEmpty()) {
            long[] now = declared.clone();
            consumers.stream().filter(user -> !user.usage.isFree()).forEach(user -> subtract(user, now));
            remaining = Optional.of(now);
        }
        return remaining.get();
    }

    /**
     * Returns per consumer the weight of the devices that its allocation would make unallocatable. Best fit prefers low values.
     *
     * <p>Each device that is free and fits now, and no longer fits afterwards, counts once per counter limb that it consumes. Callers must
     * not modify the array.
     */
    public int[] losses() {
        if (losses.isEmpty()) {
            losses = Optional.of(consumers.stream().mapToInt(this::loss).toArray());
        }
        return losses.get();
    }

    /** Returns whether any device names compatibility groups. */
    public boolean hasGroups() {
        return hasGroups;
    }

    /** Returns, per counter set, the compatibility groups of each used device that consumes it. */
    public List<List<int[]>> usedGroups() {
        List<List<int[]>> used = new ArrayList<>();
        sets.forEach(set -> used.add(new ArrayList<>()));
        for (CounterConsumer user : consumers) {
            for (int i = 0; i < user.setIndexes.length && !user.usage.isFree(); i++) {
                used.get(user.setIndexes[i]).add(user.groups[i]);
            }
        }
        return Collections.unmodifiableList(used);
    }

    /** Returns the used devices that consume a counter set. */
    public List<DeviceUsage> usersOfSet(String set) {
        return consumers.stream()
                .filter(user -> !user.usage.isFree()
                        && user.consumption.stream()
                                .anyMatch(each -> each.counterSet().equals(set)))
                .map(user -> user.usage)
                .toList();
    }

    /** Returns the used devices that consume a nonzero amount of a counter. */
    public List<DeviceUsage> usersOfCounter(CounterName counter) {
        return consumers.stream()
                .filter(user -> !user.usage.isFree())
                .filter(user -> user.consumption.stream()
                        .anyMatch(each -> each.counterSet().equals(counter.set)
                                && Optional.ofNullable(each.counters().get(counter.name))
                                        .filter(amount -> amount.signum() != 0)
                                        .isPresent()))
                .map(user -> user.usage)
                .toList();
    }

    /** The name of a counter in its set. */
    public record CounterName(String set, String name) {
        /** Returns {@code set/name} for messages. */
        public String text() {
            return set + "/" + name;
        }
    }

    /** Returns all counters, by set and name. */
    public List<CounterName> counters() {
        return byName.values().stream()
                .flatMap(set -> set.counters().keySet().stream().map(name -> new CounterName(set.name(), name)))
                .toList();
    }

    /** Returns the declared amount of a counter; zero if undeclared. */
    public Quantity declared(CounterName counter) {
        return Optional.ofNullable(byName.get(counter.set))
                .flatMap(each -> Optional.ofNullable(each.counters().get(counter.name)))
                .orElse(Quantity.of(0));
    }

    /** Returns the amount of a counter that the used devices consume together. */
    public Quantity usedAmount(CounterName counter) {
        return consumers.stream()
                .filter(user -> !user.usage.isFree())
                .flatMap(user -> user.consumption.stream())
                .filter(each -> each.counterSet().equals(counter.set))
                .flatMap(each -> Optional.ofNullable(each.counters().get(counter.name)).stream())
                .reduce(Quantity.of(0), Quantity::plus);
    }

    /** Returns the compatibility groups of a device in a counter set. */
    public List<String> groups(DeviceId device, String set) {
        return consumer(device.device()).consumption.stream()
                .filter(each -> each.counterSet().equals(set))
                .flatMap(each -> each.compatibilityGroups().stream())
                .toList();
    }

    /** Discards cached results after the usage of a device in the pool has changed. */
    void invalidate() {
        remaining = Optional.empty();
        losses = Optional.empty();
    }

    private int loss(CounterConsumer user) {
        long[] now = remaining();
        if (!isAllocatable(user, now)) {
            return 0;
        }
        long[] after = now.clone();
        subtract(user, after);
        int lost = 0;
        for (CounterConsumer rival : rivals().get(user.number)) {
            lost += isAllocatable(rival, now) && !fits(rival, after) ? rival.counters.length : 0;
        }
        return lost;
    }

    /** Returns, per consumer, the other consumers with a common counter. */
    private List<List<CounterConsumer>> rivals() {
        if (rivals.isEmpty()) {
            List<Set<CounterConsumer>> byCounter = new ArrayList<>();
            Arrays.stream(declared).forEach(each -> byCounter.add(new LinkedHashSet<>()));
            consumers.forEach(user -> Arrays.stream(user.counters)
                    .forEach(counter -> byCounter.get(counter).add(user)));
            rivals = Optional.of(consumers.stream()
                    .map(user -> Arrays.stream(user.counters)
                            .mapToObj(byCounter::get)
                            .flatMap(Set::stream)
                            .filter(other -> other != user)
                            .distinct()
                            .toList())
                    .toList());
        }
        return rivals.get();
    }

    private boolean isAllocatable(CounterConsumer user, long[] left) {
        return user.usage.isFree() && fits(user, left);
    }

    private void subtract(CounterConsumer user, long[] left) {
        limbs.subtract(left, user.counters, user.amounts);
    }

    private boolean fits(CounterConsumer user, long[] left) {
        return limbs.covers(left, user.counters, user.amounts);
    }
}
