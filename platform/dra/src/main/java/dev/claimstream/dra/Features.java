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
public record Features(Set<Feature> on) {
    public Features {
        Set<Feature> copy = EnumSet.noneOf(Feature.class);
        copy.addAll(on);
        on = Collections.unmodifiableSet(copy);
    }

    /** Thrown if a text names an unknown gate, has an invalid value, or changes a locked gate. */
    public static final class RefusedGateException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        RefusedGateException(String message) {
            super(message);
        }
    }

    /** Returns the default gates of a release. */
    public static Features of(KubernetesVersion version) {
        return new Features(Arrays.stream(Feature.values())
                .filter(each -> each.isDefault(version))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Feature.class))));
    }

    /**
     * Returns the gates of a release with overrides in Kubernetes syntax: {@code DRAConsumableCapacity=false,DRAListTypeAttributes=true}.
     *
     * @throws RefusedGateException if a gate is unknown or locked in this release, or a value is neither true nor false
     */
    public static Features of(KubernetesVersion version, String text) {
        SortedMap<String, Boolean> gates = gates(text);
        gates.forEach((gate, isOn) -> {
            if (!isOn && isLocked(gate, version)) {
                throw new RefusedGateException(
                        "cannot set feature gate %s to false, feature is locked to true in Kubernetes %s: leave it out"
                                .formatted(gate, version));
            }
        });
        return of(version).with(gates);
    }

    /** Locked gates are on in every supported release. */
    private static boolean isLocked(String gate, KubernetesVersion version) {
        return Feature.ofGate(gate).filter(each -> each.isLocked(version)).isPresent()
                || GateWithoutEffect.ofGate(gate)
                        .filter(GateWithoutEffect::isLocked)
                        .isPresent();
    }

    /** Returns the default gates of Kubernetes 1.37. */
    public static Features defaults() {
        return of(KubernetesVersion.V1_37);
    }

    /** Returns a set with all gates on. */
    public static Features all() {
        return new Features(EnumSet.allOf(Feature.class));
    }

    /** Returns whether a gate is on. */
    public boolean has(Feature feature) {
        return on.contains(feature);
    }

    /** Returns a copy with one gate set. */
    public Features with(Feature feature, boolean isOn) {
        Set<Feature> changed = EnumSet.noneOf(Feature.class);
        changed.addAll(on);
        if (isOn) {
            changed.add(feature);
        } else {
            changed.remove(feature);
        }
        return new Features(changed);
    }

    /**
     * Returns a copy with these gates set, including locked ones: simulations may use gates that no cluster allows.
     *
     * @param gates values by gate name in Kubernetes
     * @throws RefusedGateException if a gate is unknown
     */
    public Features with(Map<String, Boolean> gates) {
        Features changed = this;
        for (var gate : gates.entrySet()) {
            if (!isKnown(gate.getKey())) {
                throw new RefusedGateException("feature gate %s is not known; known are %s"
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
     * @throws RefusedGateException if a gate is unknown, or a value is neither true nor false
     */
    public Features with(String text) {
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
                throw new RefusedGateException(
                        "feature gate %s: write NAME=true or NAME=false".formatted(part.strip()));
            }
            gates.put(part.substring(0, sign).strip(), Boolean.valueOf(value));
        }
        return gates;
    }

    /** Returns whether the gate can be set, with an effect or {@link GateWithoutEffect without}. */
    public static boolean isKnown(String gate) {
        return known().contains(gate);
    }

    /** Returns the names of all gates that can be set. */
    public static SortedSet<String> known() {
        return Stream.concat(
                        Arrays.stream(Feature.values()).map(Feature::gate),
                        Arrays.stream(GateWithoutEffect.values()).map(GateWithoutEffect::gate))
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
