package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Checks shared counters and compatibility groups. */
final class CounterChecks {
    private final PublishedPools published;
    private final AllocatedDevices allocated;
    private final ViolationCollector findings;
    private final boolean hasCounters;
    private final boolean hasGroups;
    private final Set<DeviceId> shared = new HashSet<>();
    /**
     * The devices that consume counters in the new allocations, by pool. A device that occurs twice counts twice,
     * unless it is shared.
     */
    private final Map<ReachablePool, List<ReachablePool.Offer>> consumingOffers =
            new TreeMap<>(java.util.Comparator.comparing(ReachablePool::id));

    CounterChecks(
            FeatureGates features, PublishedPools published, AllocatedDevices allocated, ViolationCollector findings) {
        this.published = published;
        this.allocated = allocated;
        this.findings = findings;
        this.hasCounters = features.has(Feature.PARTITIONABLE_DEVICES);
        this.hasGroups = features.has(Feature.DEVICE_COMPATIBILITY_GROUPS);
    }

    void add(ReachablePool.Offer offer) {
        boolean takes = !offer.device().consumesCounters().isEmpty();
        findings.expect(hasCounters || !takes, Rule.FEATURE_GATE, offer.id(), "takes counters and the gate is off");
        boolean isPaid = published.isShareable(offer.device())
                && (!allocated.shares(offer.id()).isEmpty() || !shared.add(offer.id()));
        if (takes && hasCounters && !isPaid) {
            consumingOffers
                    .computeIfAbsent(offer.pool(), _ -> new ArrayList<>())
                    .add(offer);
        }
    }

    void checkCounters() {
        consumingOffers.forEach(this::check);
    }

    private void check(ReachablePool pool, List<ReachablePool.Offer> given) {
        List<CounterConsumption> before = pool.allOffers().stream()
                .filter(offer -> allocated.isAllocated(offer.id()))
                .flatMap(offer -> offer.device().consumesCounters().stream())
                .toList();
        List<CounterConsumption> here = given.stream()
                .flatMap(offer -> offer.device().consumesCounters().stream())
                .toList();
        pool.counterSets().forEach(set -> checkCounterSet(pool, set, before, here));
        if (hasGroups) {
            pool.counterSets().forEach(set -> checkGroups(pool, set.name(), before, here));
        }
    }

    private void checkCounterSet(
            ReachablePool pool, CounterSet set, List<CounterConsumption> before, List<CounterConsumption> here) {
        set.counters().forEach((counter, declared) -> {
            BigDecimal taken = Stream.concat(before.stream(), here.stream())
                    .filter(each -> each.counterSet().equals(set.name()))
                    .map(each -> each.counters().getOrDefault(counter, Quantity.of(0)))
                    .map(Quantity::amount)
                    .reduce(BigDecimal.ZERO, BigDecimal::add);
            findings.expect(
                    taken.compareTo(declared.amount()) <= 0,
                    Rule.COUNTERS,
                    "%s %s/%s".formatted(pool.id(), set.name(), counter),
                    "%s of %s".formatted(taken.toPlainString(), declared));
        });
    }

    /** Skips the check if the devices that were allocated before are already incompatible. */
    private void checkGroups(
            ReachablePool pool, String set, List<CounterConsumption> before, List<CounterConsumption> here) {
        List<List<String>> old = ofSet(set, before);
        List<List<String>> added = ofSet(set, here);
        List<List<String>> all = Stream.concat(old.stream(), added.stream()).toList();
        findings.expect(
                added.isEmpty() || !areCompatible(old) || areCompatible(all),
                Rule.COMPATIBILITY_GROUPS,
                pool.id() + " " + set,
                "%s beside %s".formatted(added, old));
    }

    /** Returns whether no device has a group, or all devices have one in common. */
    private static boolean areCompatible(List<List<String>> groups) {
        Set<String> common = new HashSet<>(groups.isEmpty() ? List.of() : groups.getFirst());
        groups.forEach(common::retainAll);
        return !common.isEmpty() || groups.stream().allMatch(List::isEmpty);
    }

    private static List<List<String>> ofSet(String set, List<CounterConsumption> taken) {
        return taken.stream()
                .filter(each -> each.counterSet().equals(set))
                .map(CounterConsumption::compatibilityGroups)
                .toList();
    }
}
