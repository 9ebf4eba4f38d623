package dev.claimstream.history;

import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Checks that the devices in use do not consume more than the counters of their pool, for example two partitions of one GPU that need the
 * same memory. Not safe for several threads.
 */
final class CounterCheck {
    private final OpenIntervals intervals;

    /** The slices with counters, by pool. */
    private final Map<String, SortedMap<String, CounterFact>> slices = new HashMap<>();

    /** The merged counters of the slices of each pool, computed on demand. */
    private final Map<String, MergedCounters> pools = new HashMap<>();

    CounterCheck(OpenIntervals intervals) {
        this.intervals = intervals;
    }

    /**
     * The counters of a pool.
     *
     * @param sets amount per counter, by counter set
     * @param consumption consumed amount per counter, by device and counter set
     * @param consumers names of the devices that consume from a counter set
     */
    private record MergedCounters(
            SortedMap<String, Map<String, String>> sets,
            Map<String, Map<String, Map<String, String>>> consumption,
            Map<String, List<String>> consumers) {}

    /**
     * Counters that are exceeded.
     *
     * @param other an interval of another claim that consumes from them; empty if one claim exceeds them alone
     * @param reason the exceeded counter, as one line
     */
    record CounterOverdraft(Optional<Interval> other, String reason) {}

    void put(CounterFact fact) {
        slices.computeIfAbsent(fact.poolKey(), _ -> new TreeMap<>()).put(fact.uid(), fact);
        pools.remove(fact.poolKey());
    }

    void remove(CounterFact fact) {
        slices.computeIfPresent(fact.poolKey(), (_, all) -> {
            all.remove(fact.uid());
            return all.isEmpty() ? null : all;
        });
        pools.remove(fact.poolKey());
    }

    /** The first counter that an open interval exceeds together with the others of its pool. */
    Optional<CounterOverdraft> overdraft(Interval interval) {
        String key = interval.driver() + "/" + interval.pool();
        if (!slices.containsKey(key)) {
            return Optional.empty();
        }
        MergedCounters pool = pools.computeIfAbsent(key, this::merged);
        return pool.consumption().getOrDefault(interval.device(), Map.of()).keySet().stream()
                .sorted()
                .flatMap(set -> overdraft(pool, set, interval).stream())
                .findFirst();
    }

    /** Of two slices with the same set or device, that of the higher generation counts. */
    private MergedCounters merged(String key) {
        var pool = new MergedCounters(new TreeMap<>(), new HashMap<>(), new HashMap<>());
        slices.getOrDefault(key, new TreeMap<>()).values().stream()
                .map(CounterFact::counters)
                .sorted(Comparator.comparingLong(SliceCounters::generation))
                .forEach(counters -> {
                    pool.sets().putAll(counters.sets());
                    pool.consumption().putAll(counters.consumption());
                });
        pool.consumption()
                .forEach((device, consumed) -> consumed.keySet()
                        .forEach(set -> pool.consumers()
                                .computeIfAbsent(set, _ -> new ArrayList<>())
                                .add(device)));
        return pool;
    }

    private Optional<CounterOverdraft> overdraft(MergedCounters pool, String set, Interval interval) {
        List<Interval> users = pool.consumers().getOrDefault(set, List.of()).stream()
                .flatMap(
                        device -> intervals.ofDevice(interval.driver() + "/" + interval.pool() + "/" + device).stream())
                .filter(each -> !each.adminAccess())
                .sorted(Comparator.comparing(Interval::id))
                .toList();
        return new TreeMap<>(pool.sets().getOrDefault(set, Map.of()))
                .entrySet().stream()
                        .filter(counter ->
                                consumed(pool, set, counter.getKey(), users).compareTo(amount(counter.getValue())) > 0)
                        .findFirst()
                        .map(counter -> new CounterOverdraft(
                                users.stream()
                                        .filter(each -> !each.claimUid().equals(interval.claimUid()))
                                        .findFirst(),
                                "the devices consume more %s of the counter set %s than its %s"
                                        .formatted(counter.getKey(), set, counter.getValue())));
    }

    /** A device that claims share consumes once. */
    private static BigDecimal consumed(MergedCounters pool, String set, String counter, List<Interval> users) {
        return users.stream()
                .map(Interval::device)
                .distinct()
                .flatMap(device -> Stream.ofNullable(pool.consumption()
                        .getOrDefault(device, Map.of())
                        .getOrDefault(set, Map.of())
                        .get(counter)))
                .map(CounterCheck::amount)
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    private static BigDecimal amount(String quantity) {
        return Quantity.parse(quantity).amount();
    }
}
