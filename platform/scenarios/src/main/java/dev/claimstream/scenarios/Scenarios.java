package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Features;
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
public record Scenarios(Selectors selectors, Features features, Policy policy, long stepsMax) {
    /** Runs a scenario. */
    public Outcome run(Scenario scenario) {
        return new Outcome(scenario.name(), difference(scenario));
    }

    private Optional<String> difference(Scenario scenario) {
        var decider = new Decider(scenario.objects(), gates(scenario), selectors);
        Optional<String> mistake = mistake(scenario, decider);
        return mistake.isPresent() ? mistake : Comparison.of(scenario, decide(scenario, decider));
    }

    /** Allocates the claims of a scenario. */
    public Decision decide(Scenario scenario) {
        return decide(scenario, new Decider(scenario.objects(), gates(scenario), selectors));
    }

    private Decision decide(Scenario scenario, Decider decider) {
        Optional<String> lacking = scenario.pod().flatMap(pod -> lacking(pod, gates(scenario)));
        if (lacking.isPresent()) {
            return new Decision.DoesNotFit(lacking.get());
        }
        Policy chosen = scenario.policy().orElse(policy);
        return scenario.pod()
                .map(pod -> decider.decide(scenario.node(), pod, chosen, stepsMax))
                .orElseGet(() -> decider.decide(scenario.node(), scenario.claims(), chosen, stepsMax));
    }

    /** Returns what kube-scheduler would report before it considers claims. */
    private static Optional<String> lacking(WantedPod pod, Features features) {
        if (!pod.unserved().isEmpty()) {
            return Optional.of(
                    "neither a class nor a device plugin offers %s".formatted(String.join(", ", pod.unserved())));
        }
        return pod.made().isPresent() && !features.has(Feature.EXTENDED_RESOURCE)
                ? Optional.of("no device plugin offers what the pod asks for, and DRAExtendedResource is off")
                : Optional.empty();
    }

    private Features gates(Scenario scenario) {
        return features.with(scenario.gates());
    }

    private static Optional<String> mistake(Scenario scenario, Decider decider) {
        if (scenario.node().filter(node -> !decider.hasNode(node)).isPresent()) {
            return Optional.of("there is no Node %s in the file: add it, or leave spec.node out"
                    .formatted(scenario.node().get()));
        }
        for (ObjectKey key : scenario.claims()) {
            Optional<ResourceClaim> claim = decider.claim(key);
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
