package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.LabelSelector;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The settings of a cell. They are part of its ordered input, so that a replay uses them as well.
 *
 * @param searchStepsMax search budget per node, in steps; if exhausted, the item is undecided
 * @param overtakenMax allocations that may overtake a pending item before a node is earmarked for it
 * @param coolDown quarantine period for devices of a force-deleted pod; zero for none
 * @param preemption whether kube-scheduler evicts pods for a gated pod of higher priority on the node that the pod is
 *     bound to
 * @param kubeScheduler whether kube-scheduler places pods without the allocation gate; if not, every unbound pod counts
 *     as gated
 * @param sources required sources per kind: nothing is allocated before they have synced
 * @param features feature gates of the cluster
 * @param work the work budget of inputs
 * @param observeOnly whether kube-scheduler allocates, and this cell only compares: it publishes no allocation
 * @param nodes labels of the nodes on which devices are allocated; existing allocations on other nodes stay
 * @param engine hash of everything that affects decisions: build, selector library, runtime
 */
public record CellSettings(
        PlacementPolicy policy,
        long searchStepsMax,
        int overtakenMax,
        Duration coolDown,
        boolean preemption,
        boolean kubeScheduler,
        SortedMap<Kind, SortedSet<String>> sources,
        FeatureGates features,
        WorkBudget work,
        boolean observeOnly,
        LabelSelector nodes,
        String engine) {
    /** Factor of the larger search budget, which an undecided item gets once. */
    public static final int THOROUGH_FACTOR = 10;

    /** Default search budget per node, in steps. */
    public static final long SEARCH_STEPS_DEFAULT = 200_000;

    /** Default of {@link #overtakenMax}. */
    public static final int OVERTAKEN_DEFAULT = 64;

    public CellSettings {
        if (coolDown.isNegative()) {
            throw new IllegalArgumentException("cool-down is %s, it cannot be negative".formatted(coolDown));
        }
        var copy = new TreeMap<Kind, SortedSet<String>>();
        sources.forEach((kind, names) -> copy.put(kind, Collections.unmodifiableSortedSet(new TreeSet<>(names))));
        sources = Collections.unmodifiableSortedMap(copy);
    }

    /** Best fit, without required sources. */
    public static CellSettings defaults() {
        return new CellSettings(
                PlacementPolicy.BEST_FIT,
                SEARCH_STEPS_DEFAULT,
                OVERTAKEN_DEFAULT,
                Duration.ZERO,
                false,
                true,
                new TreeMap<>(),
                FeatureGates.defaults(),
                WorkBudget.DEFAULT,
                false,
                LabelSelector.EVERYTHING,
                "");
    }

    /** The larger search budget, in steps. */
    public long thoroughStepsMax() {
        return searchStepsMax > Long.MAX_VALUE / THOROUGH_FACTOR ? Long.MAX_VALUE : searchStepsMax * THOROUGH_FACTOR;
    }

    public CellSettings with(PlacementPolicy other) {
        return new CellSettings(
                other,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                features,
                work,
                observeOnly,
                nodes,
                engine);
    }

    public CellSettings withOvertakenMax(int other) {
        return new CellSettings(
                policy,
                searchStepsMax,
                other,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                features,
                work,
                observeOnly,
                nodes,
                engine);
    }

    public CellSettings withSources(SortedMap<Kind, SortedSet<String>> others) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                others,
                features,
                work,
                observeOnly,
                nodes,
                engine);
    }

    public CellSettings with(FeatureGates others) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                others,
                work,
                observeOnly,
                nodes,
                engine);
    }

    public CellSettings withCoolDown(Duration other) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                other,
                preemption,
                kubeScheduler,
                sources,
                features,
                work,
                observeOnly,
                nodes,
                engine);
    }

    /**
     * Returns a copy with this preemption setting.
     *
     * @param makesRoom whether kube-scheduler evicts pods for gated pods
     */
    public CellSettings withPreemption(boolean makesRoom) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                makesRoom,
                kubeScheduler,
                sources,
                features,
                work,
                observeOnly,
                nodes,
                engine);
    }

    public CellSettings with(WorkBudget other) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                features,
                other,
                observeOnly,
                nodes,
                engine);
    }

    /**
     * Returns a copy with this kube-scheduler setting.
     *
     * @param places whether kube-scheduler places pods without the allocation gate
     */
    public CellSettings withKubeScheduler(boolean places) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                places,
                sources,
                features,
                work,
                observeOnly,
                nodes,
                engine);
    }

    /**
     * Returns a copy with this observe-only setting.
     *
     * @param observes whether kube-scheduler allocates, and the cell only compares
     */
    public CellSettings withObserveOnly(boolean observes) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                features,
                work,
                observes,
                nodes,
                engine);
    }

    /** Returns a copy that allocates devices only on nodes with these labels. */
    public CellSettings withNodes(LabelSelector selected) {
        return new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                coolDown,
                preemption,
                kubeScheduler,
                sources,
                features,
                work,
                observeOnly,
                selected,
                engine);
    }
}
