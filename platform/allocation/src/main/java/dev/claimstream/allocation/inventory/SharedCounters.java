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
 * <p>Counters are numbered by set and name. Amounts are integers of the counter's {@link Measure}; arrays of amounts consist of
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
    private final List<User> users = new ArrayList<>();
    private final Map<String, User> byDevice = new LinkedHashMap<>();
    private Optional<long[]> left = Optional.empty();
    private Optional<int[]> losses = Optional.empty();
    private Optional<List<List<User>>> rivals = Optional.empty();

    /** A device that consumes counters. Instances have identity equality. */
    public static final class User {
        private final Holding holding;
        private final List<CounterConsumption> consumption;
        private final int number;
        private final int[] counters;
        private final long[] amounts;
        private final int[] places;
        private final int[][] groups;

        User(
                Holding holding,
                List<CounterConsumption> consumption,
                int number,
                int[] counters,
                long[] amounts,
                int[] places,
                int[][] groups) {
            this.holding = holding;
            this.consumption = consumption;
            this.number = number;
            this.counters = counters;
            this.amounts = amounts;
            this.places = places;
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
        public int[] places() {
            return places.clone();
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
    SharedCounters(List<ResourceSlice> slices, Function<DeviceId, Holding> holdings) {
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
        List<Measure> measures = measures(values, takings(slices, numbers, values.size()));
        limbs = Limbs.of(measures.stream().map(each -> each.unit().width()).toList());
        declared = measures.stream()
                .flatMapToLong(each -> Arrays.stream(each.all()))
                .toArray();
        int[] firstLimbs = firstLimbs(measures);
        var groups = new LinkedHashMap<String, Integer>();
        for (ResourceSlice slice : slices) {
            for (Device device : slice.devices()) {
                if (!device.consumesCounters().isEmpty()) {
                    Holding holding = holdings.apply(new DeviceId(slice.driver(), slice.pool(), device.name()));
                    add(user(holding, device, numbers, measures, firstLimbs, groups));
                }
            }
        }
        hasGroups = !groups.isEmpty();
    }

    private static int[] firstLimbs(List<Measure> measures) {
        int[] first = new int[measures.size()];
        for (int i = 1; i < first.length; i++) {
            first[i] = first[i - 1] + measures.get(i - 1).unit().width();
        }
        return first;
    }

    private void add(User user) {
        users.add(user);
        byDevice.putIfAbsent(user.holding.device().device(), user);
    }

    private User user(
            Holding holding,
            Device device,
            Map<String, Map<String, Integer>> numbers,
            List<Measure> measures,
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
        SortedMap<Integer, BigDecimal> taken = taken(device, numbers);
        return new User(
                holding,
                consumption,
                users.size(),
                taken.keySet().stream()
                        .flatMapToInt(each -> IntStream.range(
                                firstLimbs[each],
                                firstLimbs[each] + measures.get(each).unit().width()))
                        .toArray(),
                taken.entrySet().stream()
                        .flatMapToLong(each ->
                                Arrays.stream(measures.get(each.getKey()).taken(each.getValue())))
                        .toArray(),
                places,
                groupsAt);
    }

    /** Returns the amounts that a device consumes, by counter index. */
    private static SortedMap<Integer, BigDecimal> taken(Device device, Map<String, Map<String, Integer>> numbers) {
        var taken = new TreeMap<Integer, BigDecimal>();
        for (CounterConsumption each : device.consumesCounters()) {
            Map<String, Integer> ofSet = numbers.getOrDefault(each.counterSet(), new TreeMap<>());
            each.counters().forEach((name, amount) -> taken.merge(ofSet.get(name), amount.amount(), BigDecimal::add));
        }
        return taken;
    }

    /** Returns the amounts that the devices consume, per counter index. */
    private static List<List<BigDecimal>> takings(
            List<ResourceSlice> slices, Map<String, Map<String, Integer>> numbers, int counters) {
        List<List<BigDecimal>> takings = new ArrayList<>();
        for (int i = 0; i < counters; i++) {
            takings.add(new ArrayList<>());
        }
        slices.stream()
                .flatMap(slice -> slice.devices().stream())
                .forEach(device -> taken(device, numbers)
                        .forEach((counter, amount) -> takings.get(counter).add(amount)));
        return takings;
    }

    private static List<Measure> measures(List<BigDecimal> values, List<List<BigDecimal>> takings) {
        List<Measure> measures = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            measures.add(Measure.of(values.get(i), takings.get(i)));
        }
        return measures;
    }

    /** Returns whether all consumed counters are declared and no counter set is declared twice. */
    static boolean agree(List<ResourceSlice> slices) {
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
    public User user(String device) {
        User user = byDevice.get(device);
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
    public long[] left() {
        if (left.isEmpty()) {
            long[] now = declared.clone();
            users.stream().filter(user -> !user.holding.isFree()).forEach(user -> take(user, now));
            left = Optional.of(now);
        }
        return left.get();
    }

    /**
     * Returns per consumer the weight of the devices that its allocation would make unallocatable. Best fit prefers low values.
     *
     * <p>Each device that is free and fits now, and no longer fits afterwards, counts once per counter limb that it consumes. Callers must
     * not modify the array.
     */
    public int[] losses() {
        if (losses.isEmpty()) {
            losses = Optional.of(users.stream().mapToInt(this::loss).toArray());
        }
        return losses.get();
    }

    /** Returns whether any device names compatibility groups. */
    public boolean hasGroups() {
        return hasGroups;
    }

    /** Returns, per counter set, the compatibility groups of each used device that consumes it. */
    public List<List<int[]>> heldGroups() {
        List<List<int[]>> held = new ArrayList<>();
        sets.forEach(set -> held.add(new ArrayList<>()));
        for (User user : users) {
            for (int i = 0; i < user.places.length && !user.holding.isFree(); i++) {
                held.get(user.places[i]).add(user.groups[i]);
            }
        }
        return Collections.unmodifiableList(held);
    }

    /** Returns the used devices that consume a counter set. */
    public List<Holding> heldIn(String set) {
        return users.stream()
                .filter(user -> !user.holding.isFree()
                        && user.consumption.stream()
                                .anyMatch(each -> each.counterSet().equals(set)))
                .map(user -> user.holding)
                .toList();
    }

    /** Returns the used devices that consume a nonzero amount of a counter. */
    public List<Holding> heldBy(CounterName counter) {
        return users.stream()
                .filter(user -> !user.holding.isFree())
                .filter(user -> user.consumption.stream()
                        .anyMatch(each -> each.counterSet().equals(counter.set)
                                && Optional.ofNullable(each.counters().get(counter.name))
                                        .filter(amount -> amount.signum() != 0)
                                        .isPresent()))
                .map(user -> user.holding)
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
    public Quantity held(CounterName counter) {
        return users.stream()
                .filter(user -> !user.holding.isFree())
                .flatMap(user -> user.consumption.stream())
                .filter(each -> each.counterSet().equals(counter.set))
                .flatMap(each -> Optional.ofNullable(each.counters().get(counter.name)).stream())
                .reduce(Quantity.of(0), Quantity::plus);
    }

    /** Returns the compatibility groups of a device in a counter set. */
    public List<String> groups(DeviceId device, String set) {
        return user(device.device()).consumption.stream()
                .filter(each -> each.counterSet().equals(set))
                .flatMap(each -> each.compatibilityGroups().stream())
                .toList();
    }

    /** Discards cached results after the usage of a device in the pool has changed. */
    void holdersChanged() {
        left = Optional.empty();
        losses = Optional.empty();
    }

    private int loss(User user) {
        long[] now = left();
        if (!isOpen(user, now)) {
            return 0;
        }
        long[] after = now.clone();
        take(user, after);
        int lost = 0;
        for (User rival : rivals().get(user.number)) {
            lost += isOpen(rival, now) && !fits(rival, after) ? rival.counters.length : 0;
        }
        return lost;
    }

    /** Returns, per consumer, the other consumers with a common counter. */
    private List<List<User>> rivals() {
        if (rivals.isEmpty()) {
            List<Set<User>> byCounter = new ArrayList<>();
            Arrays.stream(declared).forEach(each -> byCounter.add(new LinkedHashSet<>()));
            users.forEach(user -> Arrays.stream(user.counters)
                    .forEach(counter -> byCounter.get(counter).add(user)));
            rivals = Optional.of(users.stream()
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

    private boolean isOpen(User user, long[] left) {
        return user.holding.isFree() && fits(user, left);
    }

    private void take(User user, long[] left) {
        limbs.subtract(left, user.counters, user.amounts);
    }

    private boolean fits(User user, long[] left) {
        return limbs.cover(left, user.counters, user.amounts);
    }
}
