package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.CounterName;
import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.inventory.SharedCounters;
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
 * in texts; the search uses {@link RemainingCapacity}.
 */
final class RemainingAmounts {
    private final AllocationProblem problem;
    private final boolean countsAllocations;
    private final Map<CounterKey, Quantity> counters = new LinkedHashMap<>();
    private final Map<CapacityKey, Quantity> capacities = new LinkedHashMap<>();
    private final Map<CounterSetKey, List<GroupMember>> members = new LinkedHashMap<>();
    private final Set<DeviceUsage> sharedDevices = new LinkedHashSet<>();
    private final Map<CounterKey, List<String>> counterUsers = new LinkedHashMap<>();
    private final Map<CapacityKey, List<String>> capacityUsers = new LinkedHashMap<>();

    /** @param countsHolders whether existing allocations consume their amounts */
    RemainingAmounts(AllocationProblem problem, boolean countsHolders) {
        this.problem = problem;
        this.countsAllocations = countsHolders;
    }

    private record CounterKey(SharedCounters pool, CounterName name) {}

    private record CapacityKey(DeviceCandidate candidate, String name) {}

    private record CounterSetKey(SharedCounters pool, String set) {}

    private record GroupMember(String device, List<String> groups) {}

    /** Returns the limits that a device exceeds now. */
    List<Shortage> shortages(RequestOption option, DeviceCandidate candidate) {
        List<Shortage> shortages = new ArrayList<>();
        candidate.counters().filter(use -> !hasConsumedCounters(candidate)).ifPresent(use -> {
            for (CounterConsumption each : candidate.device().consumesCounters()) {
                each.counters().forEach((name, allocated) -> {
                    var counter = new CounterKey(use.pool(), new CounterName(each.counterSet(), name));
                    if (remaining(counter).compareTo(allocated) < 0) {
                        shortages.add(new Shortage.CounterShortage(
                                name(candidate), counter.name, allocated, remaining(counter), declared(counter)));
                    }
                });
                groupConflict(use.pool(), each, name(candidate)).ifPresent(shortages::add);
            }
        });
        consumed(option, candidate).forEach((name, allocated) -> {
            var capacity = new CapacityKey(candidate, name);
            if (remaining(capacity).compareTo(allocated) < 0) {
                shortages.add(new Shortage.CapacityShortage(
                        demand(option, candidate, name, allocated),
                        name(candidate),
                        remaining(capacity),
                        value(capacity)));
            }
        });
        return shortages;
    }

    /**
     * Returns a counter of the device's pool that existing allocations exceed; no partition of such a pool is
     * allocated.
     */
    Optional<Shortage> overdrawnCounter(DeviceCandidate candidate) {
        return candidate.counters().stream()
                .flatMap(use -> use.pool().usage().counters().stream().map(name -> new CounterKey(use.pool(), name)))
                .filter(counter -> remaining(counter).signum() < 0)
                .findFirst()
                .map(counter -> new Shortage.CounterShortage(
                        name(candidate), counter.name, Quantity.of(0), remaining(counter), declared(counter)));
    }

    /** Allocates a device, even if too little remains. */
    void allocate(RequestOption option, DeviceCandidate candidate) {
        candidate.counters().filter(use -> !hasConsumedCounters(candidate)).ifPresent(use -> {
            for (CounterConsumption each : candidate.device().consumesCounters()) {
                each.counters().forEach((name, allocated) -> {
                    var counter = new CounterKey(use.pool(), new CounterName(each.counterSet(), name));
                    counters.put(counter, remaining(counter).minus(allocated));
                    if (allocated.signum() > 0) {
                        counterUsers
                                .computeIfAbsent(counter, key -> new ArrayList<>())
                                .add(name(candidate));
                    }
                });
                members(use.pool(), each.counterSet())
                        .add(new GroupMember(name(candidate), each.compatibilityGroups()));
            }
        });
        consumed(option, candidate).forEach((name, allocated) -> {
            var capacity = new CapacityKey(candidate, name);
            capacities.put(capacity, remaining(capacity).minus(allocated));
            capacityUsers
                    .computeIfAbsent(capacity, key -> new ArrayList<>())
                    .add(demand(option, candidate, name, allocated).text());
        });
        sharedDevices.add(candidate.usage());
    }

    /** Formats the exceeded counters. */
    List<String> exceededCounters() {
        return counterUsers.entrySet().stream()
                .filter(each -> remaining(each.getKey()).signum() < 0)
                .map(each -> "%s consume%s %s of counter %s, which has %s"
                        .formatted(
                                Shortage.joinNames(each.getValue()),
                                each.getValue().size() == 1 ? "s" : "",
                                declared(each.getKey()).minus(remaining(each.getKey())),
                                each.getKey().name.text(),
                                declared(each.getKey())))
                .toList();
    }

    /** Formats the exceeded capacities. */
    List<String> exceededCapacities() {
        return capacityUsers.entrySet().stream()
                .filter(each -> remaining(each.getKey()).signum() < 0)
                .map(each -> "%s: %s together, and %s has %s"
                        .formatted(
                                Shortage.joinNames(each.getValue()),
                                value(each.getKey()).minus(remaining(each.getKey())),
                                name(each.getKey().candidate()),
                                value(each.getKey())))
                .toList();
    }

    /** Returns the first two devices without a common compatibility group. */
    Optional<Shortage> groupConflict() {
        for (Map.Entry<CounterSetKey, List<GroupMember>> each : members.entrySet()) {
            for (int i = 1; i < each.getValue().size(); i++) {
                GroupMember last = each.getValue().get(i);
                Optional<Shortage> clash = groupConflict(
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

    private Optional<Shortage> groupConflict(SharedCounters pool, CounterConsumption use, String device) {
        return groupConflict(members(pool, use.counterSet()), use.compatibilityGroups(), use.counterSet(), device);
    }

    private static Optional<Shortage> groupConflict(
            List<GroupMember> before, List<String> groups, String set, String device) {
        for (GroupMember each : before) {
            boolean goTogether = each.groups.isEmpty()
                    ? groups.isEmpty()
                    : each.groups.stream().anyMatch(groups::contains);
            if (!goTogether) {
                return Optional.of(new Shortage.GroupConflict(device, groups, set, each.device, each.groups));
            }
        }
        boolean hasCommon = groups.isEmpty()
                || before.isEmpty()
                || groups.stream().anyMatch(group -> before.stream().allMatch(each -> each.groups.contains(group)));
        return hasCommon
                ? Optional.empty()
                : Optional.of(new Shortage.GroupConflict(
                        device,
                        groups,
                        set,
                        Shortage.joinNames(
                                before.stream().map(GroupMember::device).toList()),
                        before.stream()
                                .flatMap(each -> each.groups.stream())
                                .distinct()
                                .toList()));
    }

    private List<GroupMember> members(SharedCounters pool, String set) {
        return members.computeIfAbsent(new CounterSetKey(pool, set), key -> {
            List<GroupMember> groupMembers = new ArrayList<>();
            if (countsAllocations) {
                pool.usage()
                        .usersOfSet(set)
                        .forEach(each -> groupMembers.add(new GroupMember(
                                each.device().device(), pool.usage().groups(each.device(), set))));
            }
            return groupMembers;
        });
    }

    /** The first share of a device consumes the counters of the device. */
    private boolean hasConsumedCounters(DeviceCandidate candidate) {
        return problem.isShareable(candidate.device())
                && (sharedDevices.contains(candidate.usage())
                        || (countsAllocations && !candidate.usage().isFree()));
    }

    private SortedMap<String, Quantity> consumed(RequestOption option, DeviceCandidate candidate) {
        return problem.consumed(option, candidate.device());
    }

    private static Shortage.CapacityDemand demand(
            RequestOption option, DeviceCandidate candidate, String name, Quantity allocated) {
        return new Shortage.CapacityDemand(
                option.resultName(),
                name,
                Optional.ofNullable(option.spec().capacity().get(name)),
                allocated,
                capacity(candidate, name).policy().isPresent());
    }

    private static String name(DeviceCandidate candidate) {
        return candidate.usage().device().device();
    }

    private Quantity remaining(CounterKey counter) {
        return counters.computeIfAbsent(
                counter,
                key -> countsAllocations ? declared(key).minus(key.pool.usage().usedAmount(key.name)) : declared(key));
    }

    private static Quantity declared(CounterKey counter) {
        return counter.pool.usage().declared(counter.name);
    }

    private Quantity remaining(CapacityKey capacity) {
        return capacities.computeIfAbsent(capacity, key -> {
            Quantity consumed = key.candidate.usage().consumed().get(key.name);
            return countsAllocations && consumed != null ? value(key).minus(consumed) : value(key);
        });
    }

    private static Quantity value(CapacityKey capacity) {
        return capacity(capacity.candidate, capacity.name).value();
    }

    private static DeviceCapacity capacity(DeviceCandidate candidate, String name) {
        return Optional.ofNullable(candidate.device().capacity().get(name)).orElseThrow();
    }
}
