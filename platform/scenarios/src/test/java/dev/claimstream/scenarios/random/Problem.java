package dev.claimstream.scenarios.random;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.tree.Tree;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A cluster, and the claims to allocate in it.
 *
 * @param areas the areas of the problem; empty if it is not random
 * @param claims {@code NAMESPACE/NAME}, in order
 */
public record Problem(long seed, Set<ApiArea> areas, FeatureGates features, List<Tree> objects, List<String> claims) {
    public Problem {
        Set<ApiArea> copy = EnumSet.noneOf(ApiArea.class);
        copy.addAll(areas);
        areas = Collections.unmodifiableSet(copy);
        objects = List.copyOf(objects);
        claims = List.copyOf(claims);
    }

    /** Returns the problem of a seed. */
    public static Problem of(long seed, Set<ApiArea> allowed) {
        return new ProblemMaker(seed, new Dice(seed), allowed).make();
    }

    /** Returns the problem that arbitrary bytes choose. */
    public static Problem of(byte[] bytes) {
        return new ProblemMaker(0, Dice.of(bytes), EnumSet.allOf(ApiArea.class)).make();
    }

    public Problem withObjects(List<Tree> other) {
        return new Problem(seed, areas, features, other, claims);
    }

    public Problem withClaims(List<String> other) {
        return new Problem(seed, areas, features, objects, other);
    }

    public Problem withFeatures(FeatureGates other) {
        return new Problem(seed, areas, other, objects, claims);
    }
}
