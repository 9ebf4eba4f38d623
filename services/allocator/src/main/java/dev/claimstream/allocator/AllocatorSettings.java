package dev.claimstream.allocator;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.dra.LabelSelector;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Maps {@link AllocatorConfig} to the settings of the core and validates it. */
final class AllocatorSettings {
    private AllocatorSettings() {}

    /**
     * Returns the settings of the core.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the setting, its value and the allowed values
     */
    static CellSettings of(AllocatorConfig config) {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        config.sources()
                .forEach((kind, names) -> sources.put(kind(kind), new TreeSet<>(Arrays.asList(names.split(",")))));
        if (config.coolDown().isNegative()) {
            throw new IllegalArgumentException(
                    "claimstream.allocator.cool-down is %s, it cannot be negative".formatted(config.coolDown()));
        }
        return CellSettings.builder()
                .policy(policy(config.policy()))
                .searchStepsMax(config.searchStepsMax())
                .overtakenMax(config.overtakenMax())
                .coolDown(config.coolDown())
                .preemption(isBinding(config.pin()))
                .kubeScheduler(config.kubeScheduler())
                .sources(sources)
                .features(features(config))
                .nodes(nodes(config.nodes()))
                .engine(EngineFingerprint.hash())
                .build();
    }

    private static LabelSelector nodes(String text) {
        try {
            return LabelSelector.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("claimstream.allocator.nodes: " + e.getMessage(), e);
        }
    }

    private static FeatureGates features(AllocatorConfig config) {
        KubernetesVersion version = KubernetesVersion.of(config.kubernetes())
                .orElseThrow(() -> new IllegalArgumentException("claimstream.allocator.kubernetes is %s, it can be %s"
                        .formatted(config.kubernetes(), KubernetesVersion.names())));
        try {
            return FeatureGates.of(version, config.features());
        } catch (FeatureGates.InvalidFeatureGateException e) {
            throw new IllegalArgumentException("claimstream.allocator.features: " + e.getMessage(), e);
        }
    }

    /** Whether the writer binds pods that may preempt to the node of their devices. */
    private static boolean isBinding(String pin) {
        return switch (pin) {
            case "auto", "always" -> true;
            case "never" -> false;
            default ->
                throw new IllegalArgumentException(
                        "claimstream.allocator.pin is %s, it can be auto, always or never".formatted(pin));
        };
    }

    private static PlacementPolicy policy(String text) {
        return Arrays.stream(PlacementPolicy.values())
                .filter(policy -> policy.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "claimstream.allocator.policy is %s, it can be first-fit or best-fit".formatted(text)));
    }

    /** The kind of a configuration key: Micronaut folds the case of names and puts hyphens into them. */
    private static Kind kind(String name) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.apiName().equalsIgnoreCase(name.replace("-", "")))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "claimstream.allocator.sources.%s: there is no such kind".formatted(name)));
    }
}
