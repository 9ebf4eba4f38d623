package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Random specs of pending claims. */
final class RandomClaims {
    private static final List<String> ATTRIBUTES = List.of(
            "a.example.com/model",
            "a.example.com/numa",
            "a.example.com/root",
            "a.example.com/version",
            "a.example.com/ready",
            "b.example.com/root",
            "b.example.com/numa",
            "other.org/rack",
            "resource.kubernetes.io/numaNode",
            "resource.kubernetes.io/pcieRoot");

    private final Dice dice;
    private final Set<ApiArea> areas;
    private final RandomSelectors selectors;
    private final RandomCapacities capacities;
    private final List<String> derived = new ArrayList<>();

    RandomClaims(Dice dice, Set<ApiArea> areas, RandomSelectors selectors) {
        this.dice = dice;
        this.areas = areas;
        this.selectors = selectors;
        this.capacities = new RandomCapacities(dice, areas);
    }

    Tree spec() {
        if (areas.contains(ApiArea.LIMITS) && dice.chance(8)) {
            return overcommittedSpec();
        }
        List<String> names = new ArrayList<>();
        List<Tree> requests = new ArrayList<>();
        derived.clear();
        int count = dice.of(1, 1, 1, 2, 2, 3);
        for (int i = 0; i < count; i++) {
            requests.add(request("req-" + i, names));
        }
        List<Tree> constraints = constraints(names);
        List<Tree> config = config(names);
        return Tree.mapping(fields -> fields.put(
                "devices",
                Tree.mapping(devices -> devices.putList("requests", requests, each -> each)
                        .putList("constraints", constraints, each -> each)
                        .putList("config", config, each -> each))));
    }

    /**
     * Returns a spec whose first alternative leaves too few of the 32 results of an allocation to the next request.
     */
    private Tree overcommittedSpec() {
        Tree many = Tree.mapping(fields -> fields.put("name", "req-0")
                .put(
                        "firstAvailable",
                        new Tree.Sequence(List.of(exactCount("sub-0", dice.of(20, 31)), exactCount("sub-1", 1)))));
        Tree rest = Tree.mapping(fields -> {
            fields.put("name", "req-1");
            if (dice.chance(50)) {
                fields.put("exactly", exactCount("", dice.of(13, 15)));
            } else {
                fields.put(
                        "firstAvailable", new Tree.Sequence(List.of(exactCount("sub-0", 15), exactCount("sub-1", 13))));
            }
        });
        return Tree.mapping(fields -> fields.put(
                "devices", Tree.mapping(devices -> devices.putList("requests", List.of(many, rest), each -> each))));
    }

    private Tree exactCount(String name, int count) {
        return Tree.mapping(fields -> fields.putUnlessEmpty("name", name)
                .put("deviceClassName", dice.of(RandomClasses.NAMES))
                .put("allocationMode", "ExactCount")
                .put("count", count));
    }

    private Tree request(String name, List<String> names) {
        names.add(name);
        boolean isOdd = areas.contains(ApiArea.ODD_REQUESTS) && dice.chance(10);
        if (areas.contains(ApiArea.ALTERNATIVES) && dice.chance(55)) {
            List<Tree> alternatives = new ArrayList<>();
            int count = dice.between(1, 3);
            for (int i = 0; i < count; i++) {
                String alternative = "sub-" + i;
                names.add(name + "/" + alternative);
                alternatives.add(Tree.mapping(fields -> body(fields.put("name", alternative))));
            }
            return Tree.mapping(
                    fields -> fields.put("name", name).put("firstAvailable", new Tree.Sequence(alternatives)));
        }
        return Tree.mapping(fields -> {
            fields.put("name", name);
            if (!isOdd) {
                fields.put("exactly", Tree.mapping(exactly -> {
                    body(exactly);
                    if (areas.contains(ApiArea.ADMIN) && dice.chance(40)) {
                        exactly.put("adminAccess", Tree.of(dice.chance(85)));
                    }
                }));
            }
        });
    }

    private void body(TreeFields fields) {
        boolean isOdd = areas.contains(ApiArea.ODD_REQUESTS) && dice.chance(20);
        boolean isOfNoClass = isOdd && dice.chance(50);
        fields.put("deviceClassName", isOfNoClass ? dice.of("unknown", "") : dice.of(RandomClasses.NAMES));
        fields.putList(
                "selectors",
                isOdd && !isOfNoClass && dice.chance(40) ? RandomClasses.EMPTY_SELECTORS : selectors.some(18),
                each -> each);
        if (areas.contains(ApiArea.ALL_DEVICES) && dice.chance(45)) {
            fields.put("allocationMode", "All");
        } else if (isOdd && dice.chance(30)) {
            fields.put("allocationMode", "Future");
        } else {
            count(fields);
        }
        if ((areas.contains(ApiArea.TAINTS) || areas.contains(ApiArea.TAINT_RULES)) && dice.chance(45)) {
            fields.put("tolerations", tolerations());
        }
        if (areas.contains(ApiArea.CAPACITY) && dice.chance(60)) {
            fields.put("capacity", capacities.request());
        }
        if (areas.contains(ApiArea.DERIVED) && dice.chance(60)) {
            String name = dice.of("derived.org/x", "a.example.com/root");
            derived.add(name);
            fields.put(
                    "derivedAttributes",
                    new Tree.Sequence(List.of(Tree.mapping(
                            attribute -> attribute.put("name", name).put("expression", selectors.derived())))));
        }
    }

    private void count(TreeFields fields) {
        if (dice.chance(60)) {
            boolean isMany = areas.contains(ApiArea.LIMITS) && dice.chance(60);
            fields.put("count", isMany ? dice.of(12, 16, 16, 20, 20, 31, 32, 33, 4096) : dice.of(1, 1, 1, 2, 2, 3));
            fields.put("allocationMode", "ExactCount");
        }
    }

    private Tree tolerations() {
        List<Tree> tolerations = new ArrayList<>();
        int count = dice.of(1, 1, 2);
        for (int i = 0; i < count; i++) {
            boolean exists = dice.chance(50);
            tolerations.add(Tree.mapping(fields -> {
                fields.putUnlessEmpty("key", dice.of("example.com/broken", "old", ""));
                fields.put("operator", exists ? "Exists" : "Equal");
                if (!exists) {
                    fields.putUnlessEmpty("value", dice.of("", "yes", "no"));
                }
                fields.putUnlessEmpty("effect", dice.of("", "NoSchedule", "NoExecute", "None"));
                if (dice.chance(15)) {
                    fields.put("tolerationSeconds", 60);
                }
            }));
        }
        return new Tree.Sequence(tolerations);
    }

    private List<Tree> constraints(List<String> names) {
        List<Tree> constraints = new ArrayList<>();
        if (areas.contains(ApiArea.MATCH)) {
            constraints.add(constraint("matchAttribute", names));
        }
        if (areas.contains(ApiArea.DISTINCT)) {
            constraints.add(constraint("distinctAttribute", names));
        }
        if (!constraints.isEmpty() && dice.chance(20)) {
            constraints.add(constraint(dice.of("matchAttribute", "distinctAttribute"), names));
        }
        derived.forEach(_ -> constraints.add(constraint(dice.of("matchAttribute", "distinctAttribute"), names)));
        if (areas.contains(ApiArea.ODD_REQUESTS) && dice.chance(10)) {
            constraints.add(Tree.mapping(fields -> fields.put("requests", Tree.texts(List.of(names.getFirst())))));
        }
        return constraints;
    }

    private Tree constraint(String sort, List<String> names) {
        String attribute = !derived.isEmpty() && dice.chance(70)
                ? dice.of(derived)
                : areas.contains(ApiArea.LISTS) && dice.chance(50) ? "a.example.com/links" : plainAttribute();
        return Tree.mapping(
                fields -> fields.putList("requests", dice.chance(55) ? List.of() : dice.some(names, 60), Tree::of)
                        .put(sort, attribute));
    }

    private String plainAttribute() {
        return areas.contains(ApiArea.ODD_SELECTORS) && dice.chance(20) ? "a.example.com/future" : dice.of(ATTRIBUTES);
    }

    private List<Tree> config(List<String> names) {
        List<Tree> config = new ArrayList<>();
        while (areas.contains(ApiArea.CONFIG) && config.size() < 3 && dice.chance(65)) {
            List<String> requests = dice.chance(30) ? List.of() : dice.some(names, 50);
            config.add(RandomClasses.opaque(requests, "claim" + config.size()));
        }
        return config;
    }
}
