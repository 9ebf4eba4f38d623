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
 * The counters that the devices of one pool share, what each device takes of them, and what is left beside the devices that somebody
 * holds. Counters are numbered by set and name; amounts are numbers of each counter's {@link Measure}, and arrays of them hold
 * {@link Limbs}.
 *
 * <p>Upstream: {@code checkAvailableCounters} of the structured allocator. A device that several claims share pays once.
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

    /** A device that takes from counters. Each is equal to itself alone. */
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

        /** Its place in {@link #losses}. */
        public int number() {
            return number;
        }

        /** The places of the limbs of the counters that it takes from, ascending. */
        public int[] counters() {
            return counters.clone();
        }

        /** What it takes of each of them. */
        public long[] amounts() {
            return amounts.clone();
        }

        /** The numbers of the counter sets that it takes from, in its order. */
        public int[] places() {
            return places.clone();
        }

        /** Per counter set that it takes from, the numbers of its compatibility groups there, ascending. */
        public List<int[]> groups() {
            return List.of(groups);
        }
    }

    /** @param slices all slices of the pool that count: those with counter sets and those with devices */
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

    /** What a device takes, by the number of the counter. */
    private static SortedMap<Integer, BigDecimal> taken(Device device, Map<String, Map<String, Integer>> numbers) {
        var taken = new TreeMap<Integer, BigDecimal>();
        for (CounterConsumption each : device.consumesCounters()) {
            Map<String, Integer> ofSet = numbers.getOrDefault(each.counterSet(), new TreeMap<>());
            each.counters().forEach((name, amount) -> taken.merge(ofSet.get(name), amount.amount(), BigDecimal::add));
        }
        return taken;
    }

    /** Per counter, what each device takes of it. */
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

    /** Whether every set and counter that a device names is declared, and no set twice. */
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

    // ---- what reads it
    // ---------------------------------------------------------------------------------------------------------

    /** What a device of the pool takes; ask only for devices that take something. */
    public User user(String device) {
        User user = byDevice.get(device);
        if (user == null) {
            throw new IllegalStateException("device %s takes no counters".formatted(device));
        }
        return user;
    }

    /** The limbs of all counters, in their order. */
    public Limbs limbs() {
        return limbs;
    }

    /** How many counter sets there are. */
    public int setCount() {
        return sets.size();
    }

    /** The amount of each counter while no device is allocated. Not to be changed. */
    public long[] declared() {
        return declared;
    }

    /** What is left of each counter; less than nothing where more is held than there is. Not to be changed. */
    public long[] left() {
        if (left.isEmpty()) {
            long[] now = declared.clone();
            users.stream().filter(user -> !user.holding.isFree()).forEach(user -> take(user, now));
            left = Optional.of(now);
        }
        return left.get();
    }

    /**
     * Per user, how much of what could be given now could no longer be given after it: devices, each as often as it takes counters.
     * Not to be changed.
     */
    public int[] losses() {
        if (losses.isEmpty()) {
            losses = Optional.of(users.stream().mapToInt(this::loss).toArray());
        }
        return losses.get();
    }

    /** Whether any device names compatibility groups. */
    public boolean hasGroups() {
        return hasGroups;
    }

    /** Per counter set, the compatibility groups of each held device that takes from it. */
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

    /** The held devices that take from a counter set. */
    public List<Holding> heldIn(String set) {
        return users.stream()
                .filter(user -> !user.holding.isFree()
                        && user.consumption.stream()
                                .anyMatch(each -> each.counterSet().equals(set)))
                .map(user -> user.holding)
                .toList();
    }

    /** The held devices that take an amount of a counter. */
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

    /** A counter of a set. */
    public record CounterName(String set, String name) {
        /** Set and name, for messages. */
        public String text() {
            return set + "/" + name;
        }
    }

    /** All counters, by set and name. */
    public List<CounterName> counters() {
        return byName.values().stream()
                .flatMap(set -> set.counters().keySet().stream().map(name -> new CounterName(set.name(), name)))
                .toList();
    }

    /** The amount that a slice declares of a counter; zero where none does. */
    public Quantity declared(CounterName counter) {
        return Optional.ofNullable(byName.get(counter.set))
                .flatMap(each -> Optional.ofNullable(each.counters().get(counter.name)))
                .orElse(Quantity.of(0));
    }

    /** The amount of a counter that the held devices of the pool take together. */
    public Quantity held(CounterName counter) {
        return users.stream()
                .filter(user -> !user.holding.isFree())
                .flatMap(user -> user.consumption.stream())
                .filter(each -> each.counterSet().equals(counter.set))
                .flatMap(each -> Optional.ofNullable(each.counters().get(counter.name)).stream())
                .reduce(Quantity.of(0), Quantity::plus);
    }

    /** The compatibility groups of a device in a counter set. */
    public List<String> groups(DeviceId device, String set) {
        return user(device.device()).consumption.stream()
                .filter(each -> each.counterSet().equals(set))
                .flatMap(each -> each.compatibilityGroups().stream())
                .toList();
    }

    /** Says that somebody took or gave back a device of the pool. */
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

    /** Per user, the others that take from a counter of its. */
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
