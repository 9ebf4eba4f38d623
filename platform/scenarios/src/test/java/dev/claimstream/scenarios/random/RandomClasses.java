package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Random device classes: one for all devices, one for a driver, one with random selectors. */
final class RandomClasses {
    /** A selector without an expression. */
    static final List<Tree> EMPTY_SELECTORS = List.of(Tree.mapping(_ -> {}));

    static final List<String> NAMES = List.of("any", "any", "any", "any", "of-a", "by-chance");

    private final Dice dice;
    private final Set<ApiArea> areas;
    private final RandomSelectors selectors;

    RandomClasses(Dice dice, Set<ApiArea> areas, RandomSelectors selectors) {
        this.dice = dice;
        this.areas = areas;
        this.selectors = selectors;
    }

    List<Tree> objects() {
        Tree ofA = Tree.mapping(fields ->
                fields.put("cel", Tree.mapping(cel -> cel.put("expression", "device.driver == \"a.example.com\""))));
        return List.of(
                deviceClass("any", List.of()),
                deviceClass("of-a", List.of(ofA)),
                deviceClass("by-chance", selectors.some(50)));
    }

    private Tree deviceClass(String name, List<Tree> taken) {
        return ProblemMaker.object(
                "resource.k8s.io/v1",
                "DeviceClass",
                metadata -> metadata.put("name", name),
                Tree.mapping(fields -> fields.putList("selectors", taken, each -> each)
                        .putList("config", config(name), each -> each)));
    }

    private List<Tree> config(String name) {
        List<Tree> config = new ArrayList<>();
        while (areas.contains(ApiArea.CONFIG) && config.size() < 2 && dice.chance(60)) {
            config.add(opaque(List.of(), name + config.size()));
        }
        return config;
    }

    static Tree opaque(List<String> requests, String text) {
        return Tree.mapping(fields -> fields.putList("requests", requests, Tree::of)
                .put(
                        "opaque",
                        Tree.mapping(opaque -> opaque.put("driver", RandomPools.DRIVERS.getFirst())
                                .put("parameters", Tree.mapping(parameters -> parameters.put("text", text))))));
    }
}
