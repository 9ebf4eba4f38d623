package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Random devices of one generation of a pool, with their shared counters. */
final class RandomDevices {
    private final Dice dice;
    private final Set<ApiArea> areas;
    private final List<String> nodes;
    private final String driver;
    private final String pool;
    private final List<String> counterSets = new ArrayList<>();
    private final List<RandomPools.GeneratedDevice> publishedDevices = new ArrayList<>();
    /** If true, no counter set has the largest possible amount. */
    private final boolean hasNegativeConsumption;

    private final RandomCapacities capacities;
    private int count;
    private boolean isLastShared;
    private SortedMap<String, Tree> lastCapacity = new TreeMap<>();
    private Tree lastAttributes = new Tree.Null();

    RandomDevices(Dice dice, Set<ApiArea> areas, List<String> nodes, String driver, String pool) {
        this.dice = dice;
        this.areas = areas;
        this.nodes = nodes;
        this.driver = driver;
        this.pool = pool;
        this.capacities = new RandomCapacities(dice, areas);
        this.hasNegativeConsumption = areas.contains(ApiArea.ODD_AMOUNTS) && dice.chance(30);
    }

    List<RandomPools.GeneratedDevice> publishedDevices() {
        return publishedDevices;
    }

    // ---- counters
    // -----------------------------------------------------------------------------------------------------------

    /** Returns one or two lists of counter sets, one list per slice. */
    List<Tree> counterSlices() {
        List<Tree> slices = new ArrayList<>();
        int sliceCount = dice.of(1, 1, 2);
        for (int i = 0; i < sliceCount; i++) {
            List<Tree> sets = new ArrayList<>();
            int setCount = dice.between(1, 2);
            for (int j = 0; j < setCount; j++) {
                boolean isDuplicate = !counterSets.isEmpty() && areas.contains(ApiArea.ODD_POOLS) && dice.chance(15);
                String name = isDuplicate ? dice.of(counterSets) : "set-" + counterSets.size();
                counterSets.add(name);
                sets.add(counterSet(name));
            }
            slices.add(new Tree.Sequence(sets));
        }
        return slices;
    }

    private Tree counterSet(String name) {
        return Tree.mapping(fields -> fields.put("name", name).put("counters", Tree.mapping(counters -> {
            counters.put(
                    "memory",
                    value(
                            isOdd()
                                    ? (hasNegativeConsumption
                                            ? dice.of("8E", "7E")
                                            : dice.of("3e30", "8E", "7E", "100E", "1000000000000000000002"))
                                    : dice.of("40Gi", "40Gi", "8", "16", "4", "2500m")));
            if (!areas.contains(ApiArea.ODD_POOLS) || dice.chance(80)) {
                counters.put("slices", value(dice.of("7", "7", "4", "2", "0")));
            }
        })));
    }

    private static Tree value(String quantity) {
        return Tree.mapping(fields -> fields.put("value", quantity));
    }

    private Tree consumption() {
        List<String> sets = counterSets.stream().distinct().toList();
        List<Tree> consumed = new ArrayList<>();
        for (String set : sets.size() == 1 || dice.chance(25)
                ? sets.subList(0, Math.min(2, sets.size()))
                : List.of(dice.of(sets))) {
            consumed.add(consumption(areas.contains(ApiArea.ODD_POOLS) && dice.chance(4) ? "unknown-set" : set));
        }
        return new Tree.Sequence(consumed);
    }

    private Tree consumption(String set) {
        boolean isTwin = areas.contains(ApiArea.TWINS) && dice.chance(80);
        boolean isOfNothing = isTwin && dice.chance(15);
        boolean slices = !isTwin && dice.chance(35);
        return Tree.mapping(fields -> {
            fields.put("counterSet", set);
            fields.put("counters", Tree.mapping(counters -> {
                if (!isOfNothing) {
                    counters.put("memory", value(isTwin ? "1" : consumed()));
                }
                if (slices) {
                    counters.put("slices", value(dice.of("1", "2", "3")));
                }
            }));
            if (areas.contains(ApiArea.COMPATIBILITY) && dice.chance(60)) {
                fields.put("compatibilityGroups", Tree.texts(dice.of(List.of("x"), List.of("y"), List.of("x", "y"))));
            }
        });
    }

    private boolean isOdd() {
        return areas.contains(ApiArea.ODD_AMOUNTS) && dice.chance(50);
    }

    private String consumed() {
        return isOdd()
                ? (hasNegativeConsumption
                        ? dice.of("5E", "1", "-1", "-3E")
                        : dice.of("50E", "1e30", "1e21", "5E", "1500u"))
                : dice.of("1", "1", "2", "4", "8", "10Gi", "500m", "0");
    }

    // ---- devices
    // ------------------------------------------------------------------------------------------------------------

    /** Returns the devices of one slice. */
    List<Tree> some(boolean perDevice) {
        List<Tree> devices = new ArrayList<>();
        int size = dice.of(1, 2, 2, 3, 4, 5);
        if (areas.contains(ApiArea.LIMITS) && dice.chance(45)) {
            size = dice.between(12, 36);
        }
        for (int i = 0; i < size; i++) {
            boolean isDuplicate = count > 0 && areas.contains(ApiArea.ODD_POOLS) && dice.chance(4);
            String name = "dev-" + (isDuplicate ? 0 : count);
            count++;
            devices.add(device(name, perDevice));
        }
        return devices;
    }

    private Tree device(String name, boolean perDevice) {
        boolean isTwin = count > 1 && areas.contains(ApiArea.TWINS) && dice.chance(80);
        boolean isAsBefore = isTwin && dice.chance(90);
        boolean isShared = isAsBefore ? isLastShared : areas.contains(ApiArea.CAPACITY) && dice.chance(60);
        var capacity = isTwin && dice.chance(70)
                ? lastCapacity
                : isAsBefore && isShared && dice.chance(50)
                        ? capacities.withOtherPolicies(lastCapacity)
                        : capacities.deviceCapacities(isShared);
        Tree attributes = isTwin ? lastAttributes : RandomAttributes.of(dice, areas);
        isLastShared = isShared;
        lastCapacity = capacity;
        lastAttributes = attributes;
        publishedDevices.add(
                new RandomPools.GeneratedDevice(driver, pool, name, isShared, List.copyOf(capacity.keySet())));
        return Tree.mapping(fields -> {
            fields.put("name", name);
            fields.put("attributes", attributes);
            fields.putMap("capacity", capacity, each -> each);
            if (isShared || (areas.contains(ApiArea.CAPACITY) && dice.chance(10))) {
                fields.put("allowMultipleAllocations", Tree.of(isShared));
            }
            if (!counterSets.isEmpty() && dice.chance(75)) {
                fields.put("consumesCounters", consumption());
            }
            if (perDevice) {
                scope(fields);
            }
            if (areas.contains(ApiArea.TAINTS) && dice.chance(30)) {
                fields.put("taints", taints());
            }
            binding(fields);
        });
    }

    private void scope(TreeFields fields) {
        switch (dice.between(0, 5)) {
            case 0 -> fields.put("allNodes", Tree.of(true));
            case 1, 2 -> fields.put("nodeSelector", ProblemMaker.nodeSelector(dice, nodes));
            default -> fields.put("nodeName", dice.of(nodes));
        }
    }

    private Tree taints() {
        List<Tree> taints = new ArrayList<>();
        int size = dice.of(1, 1, 2);
        for (int i = 0; i < size; i++) {
            taints.add(taint(dice));
        }
        return new Tree.Sequence(taints);
    }

    static Tree taint(Dice dice) {
        return Tree.mapping(fields -> fields.put("key", dice.of("example.com/broken", "old"))
                .putUnlessEmpty("value", dice.of("", "yes", "no"))
                .put("effect", dice.of("NoSchedule", "NoSchedule", "NoExecute", "None", "FutureEffect"))
                .put("timeAdded", "2026-01-01T00:00:00Z"));
    }

    private void binding(TreeFields fields) {
        if (!areas.contains(ApiArea.BINDING)) {
            return;
        }
        if (dice.chance(35)) {
            if (dice.chance(85)) {
                fields.put("bindingConditions", Tree.texts(List.of("ready")));
            }
            fields.put("bindingFailureConditions", Tree.texts(List.of("failed", "lost")));
        }
        if (dice.chance(30)) {
            fields.put("bindsToNode", Tree.of(true));
        }
    }
}
