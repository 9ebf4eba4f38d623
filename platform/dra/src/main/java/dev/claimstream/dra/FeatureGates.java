package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The enabled feature gates. */
public record FeatureGates(Set<Feature> on) {
    public FeatureGates {
        Set<Feature> copy = EnumSet.noneOf(Feature.class);
        copy.addAll(on);
        on = Collections.unmodifiableSet(copy);
    }

    /** Thrown if a text names an unknown gate, has an invalid value, or changes a locked gate. */
    public static final class InvalidFeatureGateException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        InvalidFeatureGateException(String message) {
            super(message);
        }
    }

    /** Returns the default gates of a release. */
    public static FeatureGates of(KubernetesVersion version) {
        return new FeatureGates(Arrays.stream(Feature.values())
                .filter(each -> each.isEnabledByDefault(version))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Feature.class))));
    }

    /**
     * Returns the gates of a release with overrides in Kubernetes syntax: {@code DRAConsumableCapacity=false,DRAListTypeAttributes=true}.
     *
     * @throws InvalidFeatureGateException if a gate is unknown or locked in this release, or a value is neither true nor false
     */
    public static FeatureGates of(KubernetesVersion version, String text) {
        SortedMap<String, Boolean> gates = gates(text);
        gates.forEach((gate, isOn) -> {
            if (!isOn && isLocked(gate, version)) {
                throw new InvalidFeatureGateException(
                        "cannot set feature gate %s to false, feature is locked to true in Kubernetes %s: leave it out"
                                .formatted(gate, version));
            }
        });
        return of(version).with(gates);
    }

    /** Locked gates are on in every supported release. */
    private static boolean isLocked(String gate, KubernetesVersion version) {
        return Feature.ofGate(gate).filter(each -> each.isLocked(version)).isPresent()
                || IgnoredFeatureGate.ofGate(gate)
                        .filter(IgnoredFeatureGate::isLocked)
                        .isPresent();
    }

    /** Returns the default gates of Kubernetes 1.37. */
    public static FeatureGates defaults() {
        return of(KubernetesVersion.V1_37);
    }

    /** Returns a set with all gates on. */
    public static FeatureGates all() {
        return new FeatureGates(EnumSet.allOf(Feature.class));
    }

    public boolean has(Feature feature) {
        return on.contains(feature);
    }

    /** Returns a copy with one gate set. */
    public FeatureGates with(Feature feature, boolean isOn) {
        Set<Feature> changed = EnumSet.noneOf(Feature.class);
        changed.addAll(on);
        if (isOn) {
            changed.add(feature);
        } else {
            changed.remove(feature);
        }
        return new FeatureGates(changed);
    }

    /**
     * Returns a copy with these gates set, including locked ones: simulations may use gates that no cluster allows.
     *
     * @param gates values by gate name in Kubernetes
     * @throws InvalidFeatureGateException if a gate is unknown
     */
    public FeatureGates with(Map<String, Boolean> gates) {
        FeatureGates changed = this;
        for (var gate : gates.entrySet()) {
            if (!isKnown(gate.getKey())) {
                throw new InvalidFeatureGateException("feature gate %s is not known; known are %s"
                        .formatted(gate.getKey(), String.join(", ", known())));
            }
            Optional<Feature> feature = Feature.ofGate(gate.getKey());
            if (feature.isPresent()) {
                changed = changed.with(feature.get(), gate.getValue());
            }
        }
        return changed;
    }

    /**
     * Returns a copy with the gates of a text set, including locked ones. Reads the format of {@link #toString}.
     *
     * @throws InvalidFeatureGateException if a gate is unknown, or a value is neither true nor false
     */
    public FeatureGates with(String text) {
        return with(gates(text));
    }

    private static SortedMap<String, Boolean> gates(String text) {
        SortedMap<String, Boolean> gates = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            if (part.isBlank()) {
                continue;
            }
            int sign = part.indexOf('=');
            String value = sign < 0 ? "" : part.substring(sign + 1).strip();
            if (!value.equals("true") && !value.equals("false")) {
                throw new InvalidFeatureGateException(
                        "feature gate %s: write NAME=true or NAME=false".formatted(part.strip()));
            }
            gates.put(part.substring(0, sign).strip(), Boolean.valueOf(value));
        }
        return gates;
    }

    /** Returns whether the gate can be set, with an effect or {@link IgnoredFeatureGate without}. */
    public static boolean isKnown(String gate) {
        return known().contains(gate);
    }

    /** Returns the names of all gates that can be set. */
    public static SortedSet<String> known() {
        return Stream.concat(
                        Arrays.stream(Feature.values()).map(Feature::gate),
                        Arrays.stream(IgnoredFeatureGate.values()).map(IgnoredFeatureGate::gate))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns all gates with an effect and their values, in Kubernetes syntax. */
    @Override
    public String toString() {
        return Arrays.stream(Feature.values())
                .map(each -> each.gate() + "=" + has(each))
                .sorted()
                .collect(Collectors.joining(","));
    }
}
