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
 * @param topics the topics of the problem; empty if it is not random
 * @param claims {@code NAMESPACE/NAME}, in order
 */
public record Problem(long seed, Set<Topic> topics, FeatureGates features, List<Tree> objects, List<String> claims) {
    public Problem {
        Set<Topic> copy = EnumSet.noneOf(Topic.class);
        copy.addAll(topics);
        topics = Collections.unmodifiableSet(copy);
        objects = List.copyOf(objects);
        claims = List.copyOf(claims);
    }

    /** Returns the problem of a seed. */
    public static Problem of(long seed, Set<Topic> allowed) {
        return new ProblemMaker(seed, new Dice(seed), allowed).make();
    }

    /** Returns the problem that arbitrary bytes choose. */
    public static Problem of(byte[] bytes) {
        return new ProblemMaker(0, Dice.of(bytes), EnumSet.allOf(Topic.class)).make();
    }

    public Problem withObjects(List<Tree> other) {
        return new Problem(seed, topics, features, other, claims);
    }

    public Problem withClaims(List<String> other) {
        return new Problem(seed, topics, features, objects, other);
    }

    public Problem withFeatures(FeatureGates other) {
        return new Problem(seed, topics, other, objects, claims);
    }
}
