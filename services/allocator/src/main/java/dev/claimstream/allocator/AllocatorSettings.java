package dev.claimstream.allocator;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.dra.LabelSelector;
import io.micronaut.core.value.PropertyResolver;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Maps {@link AllocatorConfig} to the settings of the core and validates it. */
public final class AllocatorSettings {
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
                .features(features(config.kubernetes(), config.features()))
                .nodes(nodes(config.nodes()))
                .engine(EngineFingerprint.hash())
                .build();
    }

    /**
     * Returns settings of the core with the given settings {@code claimstream.allocator.*} that affect decisions. What is not given stays.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the setting, its value and the allowed values
     */
    public static CellSettings changed(CellSettings before, PropertyResolver properties) {
        CellSettings.Builder changed = before.toBuilder();
        value(properties, "policy", String.class).map(AllocatorSettings::policy).ifPresent(changed::policy);
        value(properties, "search-steps-max", Long.class).ifPresent(changed::searchStepsMax);
        value(properties, "overtaken-max", Integer.class).ifPresent(changed::overtakenMax);
        value(properties, "cool-down", Duration.class).ifPresent(changed::coolDown);
        value(properties, "pin", String.class).map(AllocatorSettings::isBinding).ifPresent(changed::preemption);
        value(properties, "kube-scheduler", Boolean.class).ifPresent(changed::kubeScheduler);
        value(properties, "nodes", String.class).map(AllocatorSettings::nodes).ifPresent(changed::nodes);
        Optional<String> release = value(properties, "kubernetes", String.class);
        Optional<String> gates = value(properties, "features", String.class);
        if (release.isPresent() || gates.isPresent()) {
            changed.features(features(release.orElse(KubernetesVersion.NEWEST.toString()), gates.orElse("")));
        }
        return changed.build();
    }

    private static <T> Optional<T> value(PropertyResolver properties, String name, Class<T> type) {
        return properties.getProperty("claimstream.allocator." + name, type);
    }

    private static LabelSelector nodes(String text) {
        try {
            return LabelSelector.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("claimstream.allocator.nodes: " + e.getMessage(), e);
        }
    }

    private static FeatureGates features(String release, String gates) {
        KubernetesVersion version = KubernetesVersion.of(release)
                .orElseThrow(() -> new IllegalArgumentException("claimstream.allocator.kubernetes is %s, it can be %s"
                        .formatted(release, KubernetesVersion.names())));
        try {
            return FeatureGates.of(version, gates);
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
