package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.Selectors;
import java.util.Optional;

/**
 * Runs scenarios. Instances can be reused; runs share only the compiled selectors.
 *
 * @param features the gates that a scenario does not set
 * @param policy used if a scenario sets none
 * @param stepsMax search budget per node, in counted steps; if it is exhausted, the scenario fails
 */
public record ScenarioRunner(Selectors selectors, FeatureGates features, PlacementPolicy policy, long stepsMax) {
    public ScenarioResult run(Scenario scenario) {
        return new ScenarioResult(scenario.name(), difference(scenario));
    }

    private Optional<String> difference(Scenario scenario) {
        var solver = new ScenarioSolver(scenario.objects(), featuresOf(scenario), selectors);
        Optional<String> mistake = inputError(scenario, solver);
        return mistake.isPresent() ? mistake : ExpectationComparison.of(scenario, decide(scenario, solver));
    }

    /** Allocates the claims of a scenario. */
    public ScenarioDecision decide(Scenario scenario) {
        return decide(scenario, new ScenarioSolver(scenario.objects(), featuresOf(scenario), selectors));
    }

    private ScenarioDecision decide(Scenario scenario, ScenarioSolver solver) {
        Optional<String> lacking = scenario.pod().flatMap(pod -> unmetRequirement(pod, featuresOf(scenario)));
        if (lacking.isPresent()) {
            return new ScenarioDecision.Pending(lacking.get());
        }
        PlacementPolicy chosen = scenario.policy().orElse(policy);
        return scenario.pod()
                .map(pod -> solver.solve(scenario.node(), pod, chosen, stepsMax))
                .orElseGet(() -> solver.solve(scenario.node(), scenario.claims(), chosen, stepsMax));
    }

    /** Returns what kube-scheduler would report before it considers claims. */
    private static Optional<String> unmetRequirement(SchedulerPodView pod, FeatureGates features) {
        if (!pod.unofferedResources().isEmpty()) {
            return Optional.of("neither a class nor a device plugin offers %s"
                    .formatted(String.join(", ", pod.unofferedResources())));
        }
        return pod.extendedResourceClaim().isPresent() && !features.has(Feature.EXTENDED_RESOURCE)
                ? Optional.of("no device plugin offers what the pod requests, and DRAExtendedResource is off")
                : Optional.empty();
    }

    private FeatureGates featuresOf(Scenario scenario) {
        return features.with(scenario.gates());
    }

    private static Optional<String> inputError(Scenario scenario, ScenarioSolver solver) {
        if (scenario.node().filter(node -> !solver.hasNode(node)).isPresent()) {
            return Optional.of("there is no Node %s in the file: add it, or leave spec.node out"
                    .formatted(scenario.node().get()));
        }
        for (ObjectKey key : scenario.claims()) {
            Optional<ResourceClaim> claim = solver.claim(key);
            if (claim.isEmpty()) {
                return Optional.of("there is no ResourceClaim %s in the file: add it".formatted(key));
            }
            if (claim.get().allocation().isPresent()) {
                return Optional.of("claim %s is to be decided and has an allocation already: leave one of the two out"
                        .formatted(key));
            }
        }
        return Optional.empty();
    }
}
