package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The random slices of all pools of a problem. */
final class Pools {
    static final List<String> DRIVERS = List.of("a.example.com", "b.example.com");

    private final Dice dice;
    private final Set<Topic> topics;
    private final List<String> nodes;
    private final List<Tree> slices = new ArrayList<>();
    private final List<Seen> seen = new ArrayList<>();
    private int sliceCount;

    /** A device in a slice, with the names of its capacities. */
    record Seen(String driver, String pool, String device, boolean isShared, List<String> capacities) {}

    Pools(Dice dice, Set<Topic> topics, List<String> nodes) {
        this.dice = dice;
        this.topics = topics;
        this.nodes = nodes;
        int count = dice.of(1, 1, 2, 2, 3);
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String driver = dice.of(DRIVERS);
            String name = dice.of("pool-1", "pool-1", "pool-2", "east/pool");
            if (!taken.contains(driver + "/" + name)) {
                taken.add(driver + "/" + name);
                pool(driver, name);
            }
        }
    }

    List<Tree> slices() {
        return slices;
    }

    List<Seen> seen() {
        return seen;
    }

    private void pool(String driver, String name) {
        boolean isOdd = topics.contains(Topic.ODD_POOLS) && dice.chance(60);
        long generation = dice.between(1, 2);
        if (isOdd && dice.chance(40)) {
            part(driver, name, generation - dice.of(-1, 1), dice.between(1, 2), isOdd);
        }
        part(driver, name, generation, dice.between(1, 3), isOdd);
    }

    /** Adds the slices of one generation. */
    private void part(String driver, String name, long generation, int deviceSlices, boolean isOdd) {
        var devices = new Devices(dice, topics, nodes, driver, name);
        List<Tree> counters = topics.contains(Topic.COUNTERS) && dice.chance(80) ? devices.counterSlices() : List.of();
        int whole = deviceSlices + counters.size();
        boolean isMiscounted = isOdd && dice.chance(30);
        int declared = isMiscounted ? whole + dice.of(-1, 1, 1) : whole;
        Tree pool = Tree.mapping(
                fields -> fields.put("name", name).put("generation", generation).put("resourceSliceCount", declared));
        String scopeNode = dice.of(nodes);
        Scope common = scope();
        for (Tree set : counters) {
            boolean isElsewhere = dice.chance(20);
            slice(pool, driver, fields -> {
                if (common == Scope.PER_DEVICE) {
                    fields.put("perDeviceNodeSelection", Tree.of(true));
                } else {
                    put(fields, isElsewhere ? scope() : common, scopeNode);
                }
                fields.put("sharedCounters", set);
            });
        }
        for (int i = 0; i < deviceSlices; i++) {
            Scope scope = dice.chance(75) ? common : scope();
            String node = dice.chance(75) ? scopeNode : dice.of(nodes);
            slice(pool, driver, fields -> {
                put(fields, scope, node);
                if (topics.contains(Topic.NODE_OPERATIONS) && dice.chance(40)) {
                    fields.put(
                            "skipNodeOperations", Tree.texts(dice.of(List.of("*"), List.of("NodeUnprepareResources"))));
                }
                fields.put("devices", new Tree.Sequence(devices.some(scope == Scope.PER_DEVICE)));
            });
        }
        seen.addAll(devices.seen());
    }

    /** The node scope of a slice. */
    private enum Scope {
        ONE,
        ALL,
        SELECTED,
        PER_DEVICE
    }

    private Scope scope() {
        if (topics.contains(Topic.PER_DEVICE) && dice.chance(50)) {
            return Scope.PER_DEVICE;
        }
        return dice.of(Scope.ONE, Scope.ONE, Scope.ONE, Scope.ALL, Scope.SELECTED);
    }

    private void put(TreeFields fields, Scope scope, String node) {
        switch (scope) {
            case ONE -> fields.put("nodeName", node);
            case ALL -> fields.put("allNodes", Tree.of(true));
            case SELECTED -> {
                boolean isUnreadable = topics.contains(Topic.ODD_POOLS) && dice.chance(5);
                fields.put(
                        "nodeSelector",
                        isUnreadable ? ProblemMaker.unreadableSelector() : ProblemMaker.nodeSelector(dice, nodes));
            }
            case PER_DEVICE -> fields.put("perDeviceNodeSelection", Tree.of(true));
        }
    }

    private void slice(Tree pool, String driver, Consumer<TreeFields> rest) {
        // the order of names differs from the order in the list
        String name = "slice-%s%d".formatted(dice.of("m", "k", "z"), sliceCount++);
        slices.add(ProblemMaker.object(
                "resource.k8s.io/v1", "ResourceSlice", metadata -> metadata.put("name", name), Tree.mapping(fields -> {
                    fields.put("driver", driver).put("pool", pool);
                    rest.accept(fields);
                })));
    }
}
