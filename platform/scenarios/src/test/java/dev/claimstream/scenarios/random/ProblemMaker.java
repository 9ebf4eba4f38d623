package dev.claimstream.scenarios.random;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Creates a small random problem with few names, so that its objects often refer to each other. */
public final class ProblemMaker {
    static final List<String> ZONES = List.of("a", "b");

    private final long seed;
    private final Dice dice;
    private final Set<ApiArea> areas = EnumSet.noneOf(ApiArea.class);

    ProblemMaker(long seed, Dice dice, Set<ApiArea> allowed) {
        this.seed = seed;
        this.dice = dice;
        for (ApiArea area : ApiArea.values()) {
            boolean isDrawn = dice.chance(area.percent());
            if (isDrawn && allowed.contains(area)) {
                areas.add(area);
            }
        }
    }

    Problem make() {
        FeatureGates features = features();
        List<String> nodes = new ArrayList<>();
        List<Tree> objects = new ArrayList<>();
        int count = dice.between(1, areas.contains(ApiArea.PER_DEVICE) ? 3 : 2);
        for (int i = 1; i <= count; i++) {
            nodes.add("node-" + i);
            objects.add(node("node-" + i, i));
        }
        var pools = new RandomPools(dice, areas, nodes);
        objects.addAll(pools.slices());
        var selectors = new RandomSelectors(dice, areas);
        var classes = new RandomClasses(dice, areas, selectors);
        objects.addAll(classes.objects());
        if (areas.contains(ApiArea.TAINT_RULES)) {
            objects.addAll(new RandomTaintRules(dice).objects(pools.publishedDevices()));
        }
        objects.addAll(new AllocatedClaims(dice, areas).objects(pools.publishedDevices()));
        var claims = new RandomClaims(dice, areas, selectors);
        List<String> wanted = new ArrayList<>();
        int claimCount = dice.of(1, 1, 1, 1, 2, 2, 3);
        for (int i = 0; i < claimCount; i++) {
            String namespace = dice.of("default", "default", "team-a");
            objects.add(object(
                    "resource.k8s.io/v1",
                    "ResourceClaim",
                    metadata -> {
                        metadata.put("name", "claim-" + wanted.size());
                        metadata.put("namespace", namespace);
                    },
                    claims.spec()));
            wanted.add(namespace + "/claim-" + i);
        }
        return new Problem(seed, areas, features, objects, wanted);
    }

    /** Returns feature gates that usually enable the areas, and rarely disable one. */
    private FeatureGates features() {
        FeatureGates features = FeatureGates.defaults();
        for (ApiArea area : ApiArea.values()) {
            if (area.feature().isPresent()) {
                boolean isOn = areas.contains(area)
                        ? dice.chance(88)
                        : features.has(area.feature().get());
                features = features.with(area.feature().get(), isOn);
            }
        }
        if (dice.chance(10)) {
            Feature flipped = dice.of(Feature.values());
            features = features.with(flipped, !features.has(flipped));
        }
        return features;
    }

    private Tree node(String name, int number) {
        boolean declares = dice.chance(50);
        Tree.Mapping labels = Tree.mapping(fields -> {
            fields.put("zone", ZONES.get((number - 1) % ZONES.size()));
            fields.put("number", Integer.toString(number));
            if (dice.chance(50)) {
                fields.put("special", "true");
            }
        });
        return Tree.mapping(fields -> {
            fields.put("apiVersion", "v1").put("kind", "Node");
            fields.put(
                    "metadata",
                    Tree.mapping(metadata -> metadata.put("name", name).put("labels", labels)));
            if (areas.contains(ApiArea.NODE_OPERATIONS) && declares) {
                fields.put(
                        "status",
                        Tree.mapping(status ->
                                status.put("declaredFeatures", Tree.texts(List.of("DRAOptionalNodeOperations")))));
            }
        });
    }

    static Tree object(String version, String kind, Consumer<TreeFields> metadata, Tree spec) {
        return Tree.mapping(fields -> fields.put("apiVersion", version)
                .put("kind", kind)
                .put("metadata", Tree.mapping(metadata))
                .put("spec", spec));
    }

    /** Returns a node selector that an API server accepts and upstream cannot parse: the value is not a number. */
    public static Tree unreadableSelector() {
        return selector(Tree.mapping(part -> part.put(
                "matchExpressions", new Tree.Sequence(List.of(requirement("number", "Gt", List.of("many")))))));
    }

    private static Tree selector(Tree term) {
        return Tree.mapping(selector -> selector.put("nodeSelectorTerms", new Tree.Sequence(List.of(term))));
    }

    /** Returns a node selector of one term. */
    static Tree nodeSelector(Dice dice, List<String> nodes) {
        List<Tree> expressions = new ArrayList<>();
        int count = dice.between(1, 2);
        for (int i = 0; i < count; i++) {
            expressions.add(dice.of(
                    requirement("zone", "In", List.of(dice.of(ZONES))),
                    requirement("zone", "In", List.of("b", "a")),
                    requirement("zone", "In", List.of("a", "b")),
                    requirement("zone", "NotIn", List.of(dice.of(ZONES))),
                    requirement("special", "Exists", List.of()),
                    requirement("special", "DoesNotExist", List.of()),
                    requirement("number", "Gt", List.of("1")),
                    requirement("number", "Lt", List.of("3"))));
        }
        boolean byField = dice.chance(15);
        Tree fields = new Tree.Sequence(
                List.of(requirement("metadata.name", dice.of("In", "NotIn"), List.of(dice.of(nodes)))));
        Tree term = Tree.mapping(part -> {
            if (byField) {
                part.put("matchFields", fields);
            } else {
                part.put("matchExpressions", new Tree.Sequence(expressions));
            }
        });
        return selector(term);
    }

    private static Tree requirement(String key, String operator, List<String> values) {
        return Tree.mapping(
                fields -> fields.put("key", key).put("operator", operator).putList("values", values, Tree::of));
    }
}
