package dev.claimstream.scenarios;

import dev.claimstream.dra.Feature;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.scenarios.random.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Shrinks a problem part by part while it still reproduces the difference. */
final class ProblemShrinker {
    private static final int TRIES_MAX = 4000;
    /** Fields that an object cannot be read without. */
    private static final Set<String> REQUIRED_FIELDS = Set.of(
            "apiVersion",
            "kind",
            "metadata",
            "name",
            "namespace",
            "driver",
            "pool",
            "generation",
            "resourceSliceCount",
            "device",
            "request",
            "value",
            "deviceClassName",
            "expression",
            "key",
            "operator",
            "effect",
            "counterSet");

    private final Predicate<Problem> reproduces;
    private int tries;

    private ProblemShrinker(Predicate<Problem> shows) {
        this.reproduces = shows;
    }

    /** Returns the smallest problem that was found. */
    static Problem shrink(Problem problem, Predicate<Problem> shows) {
        var shrinking = new ProblemShrinker(shows);
        Problem smallest = problem;
        Problem before;
        do {
            before = smallest;
            smallest = shrinking.shrinkOnce(before);
        } while (!smallest.equals(before));
        return smallest;
    }

    /** Does one pass over all parts. Returns an equal problem if no part could be removed. */
    private Problem shrinkOnce(Problem problem) {
        Problem kept = problem;
        for (Feature feature : Feature.values()) {
            boolean byDefault = dev.claimstream.dra.FeatureGates.defaults().has(feature);
            if (kept.features().has(feature) != byDefault) {
                kept = keepIfReproduced(kept, kept.withFeatures(kept.features().with(feature, byDefault)));
            }
        }
        for (int i = kept.claims().size() - 1; i >= 0; i--) {
            kept = keepIfReproduced(kept, kept.withClaims(without(kept.claims(), i)));
        }
        for (int i = kept.objects().size() - 1; i >= 0; i--) {
            kept = keepIfReproduced(kept, kept.withObjects(without(kept.objects(), i)));
        }
        for (int i = 0; i < kept.objects().size(); i++) {
            kept = shrinkObject(kept, i);
        }
        return kept;
    }

    private Problem keepIfReproduced(Problem before, Problem after) {
        return tries++ < TRIES_MAX && reproduces.test(after) ? after : before;
    }

    private static <T> List<T> without(List<T> list, int index) {
        List<T> rest = new ArrayList<>(list);
        rest.remove(index);
        return rest;
    }

    /** Tries to remove each part of one object. After a success the positions of the parts are counted again. */
    private Problem shrinkObject(Problem problem, int object) {
        Problem kept = problem;
        int position = 0;
        while (true) {
            Optional<Tree> cut = new TreeCutter(position).cut(kept.objects().get(object));
            if (cut.isEmpty()) {
                return kept;
            }
            List<Tree> objects = new ArrayList<>(kept.objects());
            objects.set(object, cut.get());
            Problem tried = keepIfReproduced(kept, kept.withObjects(objects));
            if (tried.equals(kept)) {
                position++;
            }
            kept = tried;
        }
    }

    /** Removes the part at a position from a tree. Positions count all parts in depth-first order. */
    private static final class TreeCutter {
        private int remaining;

        TreeCutter(int position) {
            this.remaining = position;
        }

        /** Returns empty if the tree has no such position. */
        Optional<Tree> cut(Tree tree) {
            return switch (tree) {
                case Tree.Mapping mapping -> cutMapping(mapping);
                case Tree.Sequence sequence -> cutSequence(sequence);
                case Tree.Text _, Tree.Numeral _, Tree.Bool _, Tree.Null _ -> Optional.empty();
            };
        }

        private Optional<Tree> cutMapping(Tree.Mapping mapping) {
            SortedMap<String, Tree> fields = new TreeMap<>(mapping.fields());
            for (var field : mapping.fields().entrySet()) {
                if (!REQUIRED_FIELDS.contains(field.getKey()) && remaining-- == 0) {
                    fields.remove(field.getKey());
                    return Optional.of(new Tree.Mapping(fields));
                }
                Optional<Tree> inner = cut(field.getValue());
                if (inner.isPresent()) {
                    fields.put(field.getKey(), inner.get());
                    return Optional.of(new Tree.Mapping(fields));
                }
            }
            return Optional.empty();
        }

        private Optional<Tree> cutSequence(Tree.Sequence sequence) {
            for (int i = 0; i < sequence.items().size(); i++) {
                if (remaining-- == 0) {
                    return Optional.of(new Tree.Sequence(without(sequence.items(), i)));
                }
                Optional<Tree> inner = cut(sequence.items().get(i));
                if (inner.isPresent()) {
                    List<Tree> items = new ArrayList<>(sequence.items());
                    items.set(i, inner.get());
                    return Optional.of(new Tree.Sequence(items));
                }
            }
            return Optional.empty();
        }
    }
}
