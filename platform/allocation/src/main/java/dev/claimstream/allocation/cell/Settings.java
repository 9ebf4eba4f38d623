package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.dra.Features;
import dev.claimstream.dra.Kind;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a cell is told besides what there is; part of its ordered input, so that a replay has it too.
 *
 * @param searchStepsMax effort on one node before an item is undecided
 * @param overtakenMax grants that may pass a waiting item before a node is kept for it
 * @param coolDown how long the devices of a pod that went by force are given to nobody; zero for not at all
 * @param preemption whether kube-scheduler makes room for a gated pod of higher priority on the node that the pod is bound to
 * @param kubeScheduler whether kube-scheduler places pods without the allocation gate; if not, every unbound pod counts as gated
 * @param sources per kind, who must have listed it before anything is granted
 * @param features the gates of the cluster
 * @param work how much work an input may cause
 * @param engine the hash of what decides: our build, the selector library, the runtime
 */
public record Settings(
        Policy policy,
        long searchStepsMax,
        int overtakenMax,
        Duration coolDown,
        boolean preemption,
        boolean kubeScheduler,
        SortedMap<Kind, SortedSet<String>> sources,
        Features features,
        WorkBudget work,
        String engine) {
    /** How much more effort an undecided item gets, once. */
    public static final int THOROUGH_FACTOR = 10;

    /** Effort on one node by default. */
    public static final long SEARCH_STEPS_DEFAULT = 200_000;

    /** Grants that may pass a waiting item by default. */
    public static final int OVERTAKEN_DEFAULT = 64;

    public Settings {
        if (coolDown.isNegative()) {
            throw new IllegalArgumentException("cool-down is %s, it cannot be negative".formatted(coolDown));
        }
        var copy = new TreeMap<Kind, SortedSet<String>>();
        sources.forEach((kind, names) -> copy.put(kind, Collections.unmodifiableSortedSet(new TreeSet<>(names))));
        sources = Collections.unmodifiableSortedMap(copy);
    }

    /** Packing, with no source to wait for. */
    public static Settings defaults() {
        return new Settings(
                Policy.BEST_FIT,
                SEARCH_STEPS_DEFAULT,
                OVERTAKEN_DEFAULT,
                Duration.ZERO,
                false,
                true,
                new TreeMap<>(),
                Features.defaults(),
                WorkBudget.DEFAULT,
                "");
    }

    /** The larger effort. */
    public long thoroughStepsMax() {
        return searchStepsMax > Long.MAX_VALUE / THOROUGH_FACTOR ? Long.MAX_VALUE : searchStepsMax * THOROUGH_FACTOR;
    }

    /** The same with another policy. */
    public Settings with(Policy other) {
        return new Settings(
                other,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                features,
                work,
                engine);
    }

    /** The same where so many have to be served past an item before a node is kept for it. */
    public Settings withOvertakenMax(int other) {
        return new Settings(
                policy, searchStepsMax, other, coolDown, preemption, kubeScheduler, sources, features, work, engine);
    }

    /** The same with sources to wait for. */
    public Settings withSources(SortedMap<Kind, SortedSet<String>> others) {
        return new Settings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                others,
                features,
                work,
                engine);
    }

    /** The same with other gates. */
    public Settings with(Features others) {
        return new Settings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                others,
                work,
                engine);
    }

    /** The same with another cool-down. */
    public Settings withCoolDown(Duration other) {
        return new Settings(
                policy,
                searchStepsMax,
                overtakenMax,
                other,
                preemption,
                kubeScheduler,
                sources,
                features,
                work,
                engine);
    }

    /** The same where kube-scheduler makes room, or not. */
    public Settings withPreemption(boolean makesRoom) {
        return new Settings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                makesRoom,
                kubeScheduler,
                sources,
                features,
                work,
                engine);
    }

    /** The same with another budget of work. */
    public Settings with(WorkBudget other) {
        return new Settings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                features,
                other,
                engine);
    }

    /** The same where kube-scheduler places pods without the allocation gate, or not. */
    public Settings withKubeScheduler(boolean places) {
        return new Settings(
                policy, searchStepsMax, overtakenMax, coolDown, preemption, places, sources, features, work, engine);
    }
}
