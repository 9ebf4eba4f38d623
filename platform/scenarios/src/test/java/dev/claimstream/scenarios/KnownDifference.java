package dev.claimstream.scenarios;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.scenarios.random.Problem;
import dev.claimstream.scenarios.random.ProblemMaker;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A deliberate difference from upstream. It explains a difference if upstream's outcome for the rewritten problem is
 * Claimstream's outcome for the original problem. Each constant has scenarios in {@code src/test/scenarios/deliberate}
 * and a row in {@code DIFFERENCES.md}.
 */
enum KnownDifference {
    /** A device with an allocated share is in use, even if its slice no longer allows multiple allocations. */
    SHARE_OF_A_DEDICATED_DEVICE {
        @Override
        Problem rewrite(Problem problem) {
            Set<List<Tree>> dedicated = new HashSet<>();
            problem.objects().forEach(each -> addDedicated(each, dedicated));
            return rewriteFields(problem, (fields, name, value) -> {
                boolean isShareOfThose = name.equals("shareID")
                        && dedicated.contains(List.of(
                                fieldOrNull(fields, "driver"),
                                fieldOrNull(fields, "pool"),
                                fieldOrNull(fields, "device")));
                return isShareOfThose ? Optional.empty() : Optional.of(value);
            });
        }
    },

    /**
     * Negative amounts. A device that consumes a negative amount of a counter never fits. A claim that consumes a
     * negative capacity has the whole device.
     */
    LESS_THAN_NOTHING {
        @Override
        Problem rewrite(Problem problem) {
            Problem withoutShares = rewriteFields(problem, (fields, name, value) -> {
                boolean isOfShare = name.equals("shareID") || name.equals("consumedCapacity");
                boolean isNegative = isOfShare && hasNegatives(fieldOrNull(fields, "consumedCapacity"));
                return isNegative ? Optional.empty() : Optional.of(value);
            });
            return rewriteFields(
                    withoutShares,
                    (_, name, value) -> Optional.of(name.equals("consumesCounters") ? withoutNegatives(value) : value));
        }
    },

    /** A slice whose node selector cannot be parsed reaches no node. */
    UNREADABLE_NODE_SELECTOR {
        @Override
        Problem rewrite(Problem problem) {
            Tree nowhere = Tree.mapping(fields -> fields.put("nodeSelectorTerms", new Tree.Sequence(List.of())));
            return rewriteFields(
                    problem,
                    (_, _, value) -> Optional.of(value.equals(ProblemMaker.unreadableSelector()) ? nowhere : value));
        }
    },

    /** An empty capacity of a request is ignored while the gate is off. An API server would have dropped the field. */
    REQUEST_FOR_NO_CAPACITY {
        @Override
        Problem rewrite(Problem problem) {
            FeatureGates features = problem.features();
            return rewriteFields(problem, (fields, name, value) -> {
                boolean isForNothing = name.equals("capacity")
                        && fields.containsKey("deviceClassName")
                        && !features.has(Feature.CONSUMABLE_CAPACITY)
                        && isEmptyRequest(value);
                return isForNothing ? Optional.empty() : Optional.of(value);
            });
        }
    };

    /** Returns the problem without the parts that Claimstream ignores; an equal problem if there are none. */
    abstract Problem rewrite(Problem problem);

    /** Returns the problem after the rewrites of all constants. */
    static Problem rewriteAll(Problem problem) {
        Problem rewritten = problem;
        for (KnownDifference each : values()) {
            rewritten = each.rewrite(rewritten);
        }
        return rewritten;
    }

    private static Problem rewriteFields(Problem problem, FieldRewriter rewriting) {
        return problem.withObjects(problem.objects().stream()
                .map(each -> rewriteTree(each, rewriting))
                .toList());
    }

    private static Tree fieldOrNull(SortedMap<String, Tree> fields, String name) {
        return fields.getOrDefault(name, new Tree.Null());
    }

    private static boolean isEmptyRequest(Tree capacity) {
        return capacity instanceof Tree.Mapping mapping
                && (!(mapping.fields().get("requests") instanceof Tree.Mapping requests)
                        || requests.fields().isEmpty());
    }

    /** Adds the devices of any generation that are allocated to one claim at a time, as driver, pool and name. */
    private static void addDedicated(Tree object, Set<List<Tree>> dedicated) {
        if (object instanceof Tree.Mapping slice
                && slice.fields().get("spec") instanceof Tree.Mapping spec
                && spec.fields().get("pool") instanceof Tree.Mapping pool
                && spec.fields().get("devices") instanceof Tree.Sequence devices) {
            for (Tree each : devices.items()) {
                if (each instanceof Tree.Mapping device
                        && !fieldOrNull(device.fields(), "allowMultipleAllocations")
                                .equals(Tree.of(true))) {
                    dedicated.add(List.of(
                            fieldOrNull(spec.fields(), "driver"),
                            fieldOrNull(pool.fields(), "name"),
                            fieldOrNull(device.fields(), "name")));
                }
            }
        }
    }

    /** The largest amount. Counter sets with random negative consumption have less. */
    private static final String LARGEST_AMOUNT = Long.toString(Long.MAX_VALUE);

    private static boolean hasNegatives(Tree tree) {
        return !withoutNegatives(tree).equals(tree);
    }

    private static Tree withoutNegatives(Tree tree) {
        return switch (tree) {
            case Tree.Mapping mapping -> {
                SortedMap<String, Tree> changed = new TreeMap<>(mapping.fields());
                changed.replaceAll((_, value) -> withoutNegatives(value));
                yield new Tree.Mapping(changed);
            }
            case Tree.Sequence sequence ->
                new Tree.Sequence(sequence.items().stream()
                        .map(KnownDifference::withoutNegatives)
                        .toList());
            case Tree.Text(String text) when text.startsWith("-") -> Tree.of(LARGEST_AMOUNT);
            case Tree.Text _, Tree.Numeral _, Tree.Bool _, Tree.Null _ -> tree;
        };
    }

    /** Rewrites the fields of a tree at any depth. */
    private interface FieldRewriter {
        /** Returns the new value of a field; empty to remove the field. */
        Optional<Tree> rewriteField(SortedMap<String, Tree> fields, String name, Tree value);
    }

    private static Tree rewriteTree(Tree tree, FieldRewriter rewriting) {
        return switch (tree) {
            case Tree.Mapping mapping -> {
                SortedMap<String, Tree> kept = new TreeMap<>();
                mapping.fields()
                        .forEach((name, value) -> rewriting
                                .rewriteField(mapping.fields(), name, value)
                                .ifPresent(each -> kept.put(name, rewriteTree(each, rewriting))));
                yield new Tree.Mapping(kept);
            }
            case Tree.Sequence sequence ->
                new Tree.Sequence(sequence.items().stream()
                        .map(each -> rewriteTree(each, rewriting))
                        .toList());
            case Tree.Text _, Tree.Numeral _, Tree.Bool _, Tree.Null _ -> tree;
        };
    }
}
