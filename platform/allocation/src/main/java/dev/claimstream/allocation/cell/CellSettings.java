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
        return builder().build();
    }

    /** The larger search budget, in steps. */
    public long thoroughStepsMax() {
        return searchStepsMax > Long.MAX_VALUE / THOROUGH_FACTOR ? Long.MAX_VALUE : searchStepsMax * THOROUGH_FACTOR;
    }

    /** A builder with the components of this record. */
    public Builder toBuilder() {
        return builder()
                .policy(policy)
                .searchStepsMax(searchStepsMax)
                .overtakenMax(overtakenMax)
                .coolDown(coolDown)
                .preemption(preemption)
                .kubeScheduler(kubeScheduler)
                .sources(sources)
                .features(features)
                .work(work)
                .observeOnly(observeOnly)
                .nodes(nodes)
                .engine(engine);
    }

    /** A builder of settings that are like {@link #defaults()} where nothing else is set. Not thread-safe. */
    public static Builder builder() {
        return new Builder();
    }

    /** Sets the components by name. */
    public static final class Builder {
        private PlacementPolicy policy = PlacementPolicy.BEST_FIT;
        private long searchStepsMax = SEARCH_STEPS_DEFAULT;
        private int overtakenMax = OVERTAKEN_DEFAULT;
        private Duration coolDown = Duration.ZERO;
        private boolean preemption;
        private boolean kubeScheduler = true;
        private SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        private FeatureGates features = FeatureGates.defaults();
        private WorkBudget work = WorkBudget.DEFAULT;
        private boolean observeOnly;
        private LabelSelector nodes = LabelSelector.EVERYTHING;
        private String engine = "";

        private Builder() {}

        public Builder policy(PlacementPolicy value) {
            policy = value;
            return this;
        }

        public Builder searchStepsMax(long value) {
            searchStepsMax = value;
            return this;
        }

        public Builder overtakenMax(int value) {
            overtakenMax = value;
            return this;
        }

        public Builder coolDown(Duration value) {
            coolDown = value;
            return this;
        }

        public Builder preemption(boolean value) {
            preemption = value;
            return this;
        }

        public Builder kubeScheduler(boolean value) {
            kubeScheduler = value;
            return this;
        }

        public Builder sources(SortedMap<Kind, SortedSet<String>> value) {
            sources = value;
            return this;
        }

        public Builder features(FeatureGates value) {
            features = value;
            return this;
        }

        public Builder work(WorkBudget value) {
            work = value;
            return this;
        }

        public Builder observeOnly(boolean value) {
            observeOnly = value;
            return this;
        }

        public Builder nodes(LabelSelector value) {
            nodes = value;
            return this;
        }

        public Builder engine(String value) {
            engine = value;
            return this;
        }

        /** Throws IllegalArgumentException where the cool-down is negative. */
        public CellSettings build() {
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
                    nodes,
                    engine);
        }
    }
}
