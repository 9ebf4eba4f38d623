package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The random slices of all pools of a problem. */
final class RandomPools {
    static final List<String> DRIVERS = List.of("a.example.com", "b.example.com");

    private final Dice dice;
    private final Set<ApiArea> areas;
    private final List<String> nodes;
    private final List<Tree> slices = new ArrayList<>();
    private final List<GeneratedDevice> publishedDevices = new ArrayList<>();
    private int sliceCount;

    /** A device in a slice, with the names of its capacities. */
    record GeneratedDevice(String driver, String pool, String device, boolean isShared, List<String> capacities) {}

    RandomPools(Dice dice, Set<ApiArea> areas, List<String> nodes) {
        this.dice = dice;
        this.areas = areas;
        this.nodes = nodes;
        int count = dice.of(1, 1, 2, 2, 3);
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String driver = dice.of(DRIVERS);
            String name = dice.of("pool-1", "pool-1", "pool-2", "east/pool");
            if (!taken.contains(driver + "/" + name)) {
                taken.add(driver + "/" + name);
                addPool(driver, name);
            }
        }
    }

    List<Tree> slices() {
        return slices;
    }

    List<GeneratedDevice> publishedDevices() {
        return publishedDevices;
    }

    private void addPool(String driver, String name) {
        boolean isOdd = areas.contains(ApiArea.ODD_POOLS) && dice.chance(60);
        long generation = dice.between(1, 2);
        if (isOdd && dice.chance(40)) {
            addGeneration(driver, name, generation - dice.of(-1, 1), dice.between(1, 2), isOdd);
        }
        addGeneration(driver, name, generation, dice.between(1, 3), isOdd);
    }

    /** Adds the slices of one generation. */
    private void addGeneration(String driver, String name, long generation, int deviceSlices, boolean isOdd) {
        var devices = new RandomDevices(dice, areas, nodes, driver, name);
        List<Tree> counters = areas.contains(ApiArea.COUNTERS) && dice.chance(80) ? devices.counterSlices() : List.of();
        int whole = deviceSlices + counters.size();
        boolean isMiscounted = isOdd && dice.chance(30);
        int declared = isMiscounted ? whole + dice.of(-1, 1, 1) : whole;
        Tree pool = Tree.mapping(
                fields -> fields.put("name", name).put("generation", generation).put("resourceSliceCount", declared));
        String scopeNode = dice.of(nodes);
        RandomSliceScope common = randomScope();
        for (Tree set : counters) {
            boolean isElsewhere = dice.chance(20);
            addSlice(pool, driver, fields -> {
                if (common == RandomSliceScope.PER_DEVICE) {
                    fields.put("perDeviceNodeSelection", Tree.of(true));
                } else {
                    putScope(fields, isElsewhere ? randomScope() : common, scopeNode);
                }
                fields.put("sharedCounters", set);
            });
        }
        for (int i = 0; i < deviceSlices; i++) {
            RandomSliceScope scope = dice.chance(75) ? common : randomScope();
            String node = dice.chance(75) ? scopeNode : dice.of(nodes);
            addSlice(pool, driver, fields -> {
                putScope(fields, scope, node);
                if (areas.contains(ApiArea.NODE_OPERATIONS) && dice.chance(40)) {
                    fields.put(
                            "skipNodeOperations", Tree.texts(dice.of(List.of("*"), List.of("NodeUnprepareResources"))));
                }
                fields.put("devices", new Tree.Sequence(devices.some(scope == RandomSliceScope.PER_DEVICE)));
            });
        }
        publishedDevices.addAll(devices.publishedDevices());
    }

    /** The node scope of a slice. */
    private enum RandomSliceScope {
        ONE,
        ALL,
        SELECTED,
        PER_DEVICE
    }

    private RandomSliceScope randomScope() {
        if (areas.contains(ApiArea.PER_DEVICE) && dice.chance(50)) {
            return RandomSliceScope.PER_DEVICE;
        }
        return dice.of(
                RandomSliceScope.ONE,
                RandomSliceScope.ONE,
                RandomSliceScope.ONE,
                RandomSliceScope.ALL,
                RandomSliceScope.SELECTED);
    }

    private void putScope(TreeFields fields, RandomSliceScope scope, String node) {
        switch (scope) {
            case ONE -> fields.put("nodeName", node);
            case ALL -> fields.put("allNodes", Tree.of(true));
            case SELECTED -> {
                boolean isUnreadable = areas.contains(ApiArea.ODD_POOLS) && dice.chance(5);
                fields.put(
                        "nodeSelector",
                        isUnreadable ? ProblemMaker.unreadableSelector() : ProblemMaker.nodeSelector(dice, nodes));
            }
            case PER_DEVICE -> fields.put("perDeviceNodeSelection", Tree.of(true));
        }
    }

    private void addSlice(Tree pool, String driver, Consumer<TreeFields> rest) {
        // the order of names differs from the order in the list
        String name = "slice-%s%d".formatted(dice.of("m", "k", "z"), sliceCount++);
        slices.add(ProblemMaker.object(
                "resource.k8s.io/v1", "ResourceSlice", metadata -> metadata.put("name", name), Tree.mapping(fields -> {
                    fields.put("driver", driver).put("pool", pool);
                    rest.accept(fields);
                })));
    }
}
