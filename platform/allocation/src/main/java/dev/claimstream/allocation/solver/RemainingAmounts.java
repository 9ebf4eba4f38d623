package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Holding;
import dev.claimstream.allocation.inventory.SharedCounters;
import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Quantity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Exact remaining counters and capacities of a node while devices are allocated one by one. Diagnoses use these amounts
 * in texts; the search uses {@link Stock}.
 */
final class RemainingAmounts {
    private final Question question;
    private final boolean countsHolders;
    private final Map<Counter, Quantity> counters = new LinkedHashMap<>();
    private final Map<Capacity, Quantity> capacities = new LinkedHashMap<>();
    private final Map<Members, List<Member>> members = new LinkedHashMap<>();
    private final Set<Holding> shared = new LinkedHashSet<>();
    private final Map<Counter, List<String>> counterUsers = new LinkedHashMap<>();
    private final Map<Capacity, List<String>> capacityUsers = new LinkedHashMap<>();

    /** @param countsHolders whether existing allocations consume their amounts */
    RemainingAmounts(Question question, boolean countsHolders) {
        this.question = question;
        this.countsHolders = countsHolders;
    }

    private record Counter(SharedCounters pool, SharedCounters.CounterName name) {}

    private record Capacity(Slot slot, String name) {}

    private record Members(SharedCounters pool, String set) {}

    private record Member(String device, List<String> groups) {}

    /** Returns the limits that a device exceeds now. */
    List<Shortage> shortages(Want want, Slot slot) {
        List<Shortage> shortages = new ArrayList<>();
        slot.counters().filter(use -> !isPaid(slot)).ifPresent(use -> {
            for (CounterConsumption each : slot.device().consumesCounters()) {
                each.counters().forEach((name, taken) -> {
                    var counter = new Counter(use.pool(), new SharedCounters.CounterName(each.counterSet(), name));
                    if (left(counter).compareTo(taken) < 0) {
                        shortages.add(new Shortage.OfCounter(
                                name(slot), counter.name, taken, left(counter), declared(counter)));
                    }
                });
                clash(use.pool(), each, name(slot)).ifPresent(shortages::add);
            }
        });
        consumed(want, slot).forEach((name, taken) -> {
            var capacity = new Capacity(slot, name);
            if (left(capacity).compareTo(taken) < 0) {
                shortages.add(new Shortage.OfCapacity(
                        demand(want, slot, name, taken), name(slot), left(capacity), value(capacity)));
            }
        });
        return shortages;
    }

    /**
     * Returns a counter of the device's pool that existing allocations exceed; no partition of such a pool is
     * allocated.
     */
    Optional<Shortage> overdrawn(Slot slot) {
        return slot.counters().stream()
                .flatMap(use -> use.pool().counters().stream().map(name -> new Counter(use.pool(), name)))
                .filter(counter -> left(counter).signum() < 0)
                .findFirst()
                .map(counter -> new Shortage.OfCounter(
                        name(slot), counter.name, Quantity.of(0), left(counter), declared(counter)));
    }

    /** Allocates a device, even if too little remains. */
    void take(Want want, Slot slot) {
        slot.counters().filter(use -> !isPaid(slot)).ifPresent(use -> {
            for (CounterConsumption each : slot.device().consumesCounters()) {
                each.counters().forEach((name, taken) -> {
                    var counter = new Counter(use.pool(), new SharedCounters.CounterName(each.counterSet(), name));
                    counters.put(counter, left(counter).minus(taken));
                    if (taken.signum() > 0) {
                        counterUsers
                                .computeIfAbsent(counter, key -> new ArrayList<>())
                                .add(name(slot));
                    }
                });
                members(use.pool(), each.counterSet()).add(new Member(name(slot), each.compatibilityGroups()));
            }
        });
        consumed(want, slot).forEach((name, taken) -> {
            var capacity = new Capacity(slot, name);
            capacities.put(capacity, left(capacity).minus(taken));
            capacityUsers
                    .computeIfAbsent(capacity, key -> new ArrayList<>())
                    .add(demand(want, slot, name, taken).text());
        });
        shared.add(slot.holding());
    }

    /** Formats the exceeded counters. */
    List<String> exceededCounters() {
        return counterUsers.entrySet().stream()
                .filter(each -> left(each.getKey()).signum() < 0)
                .map(each -> "%s take%s %s of counter %s, which has %s"
                        .formatted(
                                Diagnoses.listed(each.getValue()),
                                each.getValue().size() == 1 ? "s" : "",
                                declared(each.getKey()).minus(left(each.getKey())),
                                each.getKey().name.text(),
                                declared(each.getKey())))
                .toList();
    }

    /** Formats the exceeded capacities. */
    List<String> exceededCapacities() {
        return capacityUsers.entrySet().stream()
                .filter(each -> left(each.getKey()).signum() < 0)
                .map(each -> "%s: %s together, and %s has %s"
                        .formatted(
                                Diagnoses.listed(each.getValue()),
                                value(each.getKey()).minus(left(each.getKey())),
                                name(each.getKey().slot()),
                                value(each.getKey())))
                .toList();
    }

    /** Returns the first two devices without a common compatibility group. */
    Optional<Shortage> clash() {
        for (Map.Entry<Members, List<Member>> each : members.entrySet()) {
            for (int i = 1; i < each.getValue().size(); i++) {
                Member last = each.getValue().get(i);
                Optional<Shortage> clash = clash(
                        each.getValue().subList(0, i),
                        last.groups,
                        each.getKey().set(),
                        last.device);
                if (clash.isPresent()) {
                    return clash;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Shortage> clash(SharedCounters pool, CounterConsumption use, String device) {
        return clash(members(pool, use.counterSet()), use.compatibilityGroups(), use.counterSet(), device);
    }

    private static Optional<Shortage> clash(List<Member> before, List<String> groups, String set, String device) {
        for (Member each : before) {
            boolean goTogether = each.groups.isEmpty()
                    ? groups.isEmpty()
                    : each.groups.stream().anyMatch(groups::contains);
            if (!goTogether) {
                return Optional.of(new Shortage.OfGroups(device, groups, set, each.device, each.groups));
            }
        }
        boolean hasCommon = groups.isEmpty()
                || before.isEmpty()
                || groups.stream().anyMatch(group -> before.stream().allMatch(each -> each.groups.contains(group)));
        return hasCommon
                ? Optional.empty()
                : Optional.of(new Shortage.OfGroups(
                        device,
                        groups,
                        set,
                        Diagnoses.listed(before.stream().map(Member::device).toList()),
                        before.stream()
                                .flatMap(each -> each.groups.stream())
                                .distinct()
                                .toList()));
    }

    private List<Member> members(SharedCounters pool, String set) {
        return members.computeIfAbsent(new Members(pool, set), key -> {
            List<Member> held = new ArrayList<>();
            if (countsHolders) {
                pool.heldIn(set)
                        .forEach(each -> held.add(new Member(each.device().device(), pool.groups(each.device(), set))));
            }
            return held;
        });
    }

    /** The first share of a device consumes the counters of the device. */
    private boolean isPaid(Slot slot) {
        return question.isShareable(slot.device())
                && (shared.contains(slot.holding())
                        || (countsHolders && !slot.holding().isFree()));
    }

    private SortedMap<String, Quantity> consumed(Want want, Slot slot) {
        return question.consumed(want, slot.device());
    }

    private static Shortage.CapacityDemand demand(Want want, Slot slot, String name, Quantity taken) {
        return new Shortage.CapacityDemand(
                want.resultName(),
                name,
                Optional.ofNullable(want.spec().capacity().get(name)),
                taken,
                capacity(slot, name).policy().isPresent());
    }

    private static String name(Slot slot) {
        return slot.holding().device().device();
    }

    private Quantity left(Counter counter) {
        return counters.computeIfAbsent(
                counter, key -> countsHolders ? declared(key).minus(key.pool.held(key.name)) : declared(key));
    }

    private static Quantity declared(Counter counter) {
        return counter.pool.declared(counter.name);
    }

    private Quantity left(Capacity capacity) {
        return capacities.computeIfAbsent(capacity, key -> {
            Quantity held = key.slot.holding().consumed().get(key.name);
            return countsHolders && held != null ? value(key).minus(held) : value(key);
        });
    }

    private static Quantity value(Capacity capacity) {
        return capacity(capacity.slot, capacity.name).value();
    }

    private static DeviceCapacity capacity(Slot slot, String name) {
        return Optional.ofNullable(slot.device().capacity().get(name)).orElseThrow();
    }
}
