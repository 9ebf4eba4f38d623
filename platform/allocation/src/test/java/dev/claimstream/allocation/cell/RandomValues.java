package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Draws the values of a {@link HistoryGenerator}. The order of the calls determines the values. */
final class RandomValues {
    private static final String[] CLAIMS = {
        "r: 1 gpu",
        "n: 1 nic",
        "r: 2 gpu",
        "r: 3 gpu",
        "r: all gpu",
        "r: big= 2 gpu | small= 1 gpu",
        "g: 1 gpu; n: 1 nic; match numa",
        "r: 1 gpu admin",
        "r: 1 gpu [fail-on:gpu-1]",
        "r: 1 tpu",
        "r: 2 gpu ~*",
        "r: 33 gpu",
        "r: 2 gpu; distinct numa",
        "r: future-mode gpu",
        "r: 1 gpu [model=none]"
    };

    private final Random random;

    RandomValues(Random random) {
        this.random = random;
    }

    /** Returns true in this percentage of the calls. */
    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /** Returns one of the options. */
    String pick(String... options) {
        return options[random.nextInt(options.length)];
    }

    /** Returns one of the elements; empty if there is none. */
    <T> Optional<T> any(List<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
    }

    /** Returns the text of a claim. */
    String claim() {
        return pick(CLAIMS);
    }

    /** Returns the allocatable resources of a node. */
    ResourceList resources() {
        return chance(40)
                ? ResourceList.none()
                : ItemSentences.parseResources(pick("4 cpu and 3 pods", "2 cpu and 9 pods"));
    }

    /** Returns affinity terms, spread constraints and host ports of a pod. */
    PodTopology topology() {
        return new PodTopology(
                randomTerms(30),
                randomTerms(40),
                chance(40)
                        ? List.of(new TopologySpreadConstraint(
                                pick("zone", "host"),
                                1 + random.nextInt(2),
                                1 + random.nextInt(3),
                                randomSelector("app", "x", "y"),
                                random.nextBoolean(),
                                random.nextBoolean()))
                        : List.of(),
                chance(20)
                        ? List.of(new HostPort(pick(HostPort.ALL_ADDRESSES, "10.0.0.1"), "TCP", 80 + random.nextInt(2)))
                        : List.of(),
                chance(10));
    }

    private List<PodAffinityTerm> randomTerms(int percent) {
        List<PodAffinityTerm> terms = new ArrayList<>();
        while (chance(percent)) {
            terms.add(new PodAffinityTerm(
                    pick("zone", "host"),
                    randomSelector("app", "x", "y"),
                    new TreeSet<>(chance(20) ? List.of(pick(HistoryGenerator.NAMESPACE, "other")) : List.of()),
                    chance(20) ? randomSelector("team", "red", "blue") : Optional.empty()));
        }
        return terms;
    }

    private Optional<LabelSelector> randomSelector(String key, String... values) {
        return chance(10)
                ? Optional.empty()
                : Optional.of(new LabelSelector(List.of(
                        chance(80)
                                ? new NodeSelector.Requirement(key, "In", List.of(pick(values)))
                                : new NodeSelector.Requirement(key, pick("Exists", "DoesNotExist"), List.of()))));
    }

    /** Returns scheduling gates. Half of the pods are gated, some of them by a queue as well. */
    List<String> gates() {
        int percent = random.nextInt(100);
        if (percent >= 50) {
            return List.of();
        }
        return percent < 6 ? List.of("kueue.x-k8s.io/admission", Pod.ALLOCATION_GATE) : List.of(Pod.ALLOCATION_GATE);
    }

    /**
     * Returns settings.
     *
     * @param isBudgeted whether the work budget is small
     */
    CellSettings settings(boolean isBudgeted) {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        if (chance(60)) {
            Arrays.stream(Kind.values())
                    .forEach(kind -> sources.put(kind, new TreeSet<>(List.of(SimulatedApiServer.SOURCE))));
        }
        return CellSettings.builder()
                .policy(any(List.of(PlacementPolicy.values())).orElseThrow())
                .searchStepsMax(chance(80) ? CellSettings.SEARCH_STEPS_DEFAULT : 2 + random.nextInt(3))
                .overtakenMax(chance(70) ? 2 : 64)
                .coolDown(Duration.ofSeconds(chance(50) ? 0 : 1 + random.nextInt(30)))
                .preemption(chance(50))
                .kubeScheduler(chance(50))
                .sources(sources)
                .features(FeatureGates.defaults()
                        .with(Feature.WORKLOAD_RESOURCE_CLAIMS, chance(70))
                        .with(Feature.NODE_ALLOCATABLE_RESOURCES, chance(60)))
                .work(isBudgeted ? smallBudget() : WorkBudget.DEFAULT)
                .engine(isBudgeted && chance(20) ? "another" : "test")
                .build();
    }

    /** A budget from less than one attempt or evaluation up to a few of them. */
    private WorkBudget smallBudget() {
        return new WorkBudget(
                1 + random.nextInt(1_500),
                chance(50) ? 0 : random.nextInt(4_000),
                random.nextInt(500),
                1 + random.nextInt(3_000));
    }
}
