package dev.claimstream.scenarios;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Features;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.scenarios.random.Problem;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A way in which we differ from upstream on purpose. It explains a difference where upstream says of the problem as we see it what we say of
 * the problem. Each has scenarios in {@code src/test/scenarios/deliberate} and a row in {@code DIFFERENCES.md}.
 */
enum KnownDifference {
    /** A device of which a share is held is in use, although it is not published as one for several claims (any more). */
    SHARE_OF_A_DEDICATED_DEVICE {
        @Override
        Problem asWeSeeIt(Problem problem) {
            Set<List<Tree>> dedicated = new HashSet<>();
            problem.objects().forEach(each -> addDedicated(each, dedicated));
            return with(problem, new Rewriting() {
                @Override
                boolean drops(SortedMap<String, Tree> fields, String name) {
                    return name.equals("shareID")
                            && dedicated.contains(
                                    List.of(part(fields, "driver"), part(fields, "pool"), part(fields, "device")));
                }
            });
        }
    },

    /** A request for no capacity, while the gate of capacities is off: an API server would have dropped it. */
    REQUEST_FOR_NO_CAPACITY {
        @Override
        Problem asWeSeeIt(Problem problem) {
            Features features = problem.features();
            return with(problem, new Rewriting() {
                @Override
                boolean drops(SortedMap<String, Tree> fields, String name) {
                    return name.equals("capacity")
                            && fields.containsKey("deviceClassName")
                            && !features.has(Feature.CONSUMABLE_CAPACITY)
                            && asksForNothing(part(fields, name));
                }
            });
        }
    };

    /** The same problem without what we do not heed; equal to it where there is nothing of the kind. */
    abstract Problem asWeSeeIt(Problem problem);

    private static Problem with(Problem problem, Rewriting rewriting) {
        return problem.withObjects(problem.objects().stream().map(rewriting::of).toList());
    }

    private static Tree part(SortedMap<String, Tree> fields, String name) {
        return fields.getOrDefault(name, new Tree.Null());
    }

    private static boolean asksForNothing(Tree capacity) {
        return capacity instanceof Tree.Mapping mapping
                && (!(mapping.fields().get("requests") instanceof Tree.Mapping requests)
                        || requests.fields().isEmpty());
    }

    /** Devices for one claim at a time, by driver, pool and name, of any generation. */
    private static void addDedicated(Tree object, Set<List<Tree>> dedicated) {
        if (object instanceof Tree.Mapping slice
                && slice.fields().get("spec") instanceof Tree.Mapping spec
                && spec.fields().get("pool") instanceof Tree.Mapping pool
                && spec.fields().get("devices") instanceof Tree.Sequence devices) {
            for (Tree each : devices.items()) {
                if (each instanceof Tree.Mapping device
                        && !part(device.fields(), "allowMultipleAllocations").equals(Tree.of(true))) {
                    dedicated.add(List.of(
                            part(spec.fields(), "driver"), part(pool.fields(), "name"), part(device.fields(), "name")));
                }
            }
        }
    }

    /** Drops fields anywhere in a tree. */
    private abstract static class Rewriting {
        abstract boolean drops(SortedMap<String, Tree> fields, String name);

        Tree of(Tree tree) {
            return switch (tree) {
                case Tree.Mapping mapping -> {
                    SortedMap<String, Tree> kept = new TreeMap<>();
                    mapping.fields().forEach((name, value) -> {
                        if (!drops(mapping.fields(), name)) {
                            kept.put(name, of(value));
                        }
                    });
                    yield new Tree.Mapping(kept);
                }
                case Tree.Sequence sequence ->
                    new Tree.Sequence(sequence.items().stream().map(this::of).toList());
                case Tree.Text _, Tree.Numeral _, Tree.Bool _, Tree.Null _ -> tree;
            };
        }
    }
}
