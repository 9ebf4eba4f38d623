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

/** Which feature gates are on. */
public record Features(Set<Feature> on) {
    public Features {
        Set<Feature> copy = EnumSet.noneOf(Feature.class);
        copy.addAll(on);
        on = Collections.unmodifiableSet(copy);
    }

    /** A text that names no gate, sets one to neither true nor false, or sets one that is locked. */
    public static final class RefusedGateException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        RefusedGateException(String message) {
            super(message);
        }
    }

    /** As a cluster of this release has them by default. */
    public static Features of(KubernetesVersion version) {
        return new Features(Arrays.stream(Feature.values())
                .filter(each -> each.isDefault(version))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Feature.class))));
    }

    /**
     * As a cluster of this release has them that is started with these gates, written as for Kubernetes: {@code
     * DRAConsumableCapacity=false,DRAListTypeAttributes=true}.
     *
     * @throws RefusedGateException where a part is no gate that we know, is not set to true or false, or is locked
     *     in this release
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

    /** Those that are locked are on in every release that we know. */
    private static boolean isLocked(String gate, KubernetesVersion version) {
        return Feature.ofGate(gate).filter(each -> each.isLocked(version)).isPresent()
                || GateWithoutEffect.ofGate(gate)
                        .filter(GateWithoutEffect::isLocked)
                        .isPresent();
    }

    /** As a cluster of 1.37 has them by default. */
    public static Features defaults() {
        return of(KubernetesVersion.V1_37);
    }

    /** Every gate on. */
    public static Features all() {
        return new Features(EnumSet.allOf(Feature.class));
    }

    /** Whether a gate is on. */
    public boolean has(Feature feature) {
        return on.contains(feature);
    }

    /** The same with one gate set. */
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
     * The same with these gates set, whatever a release locks: an allocator can be tried with gates that no cluster has.
     *
     * @param gates by name in Kubernetes
     * @throws RefusedGateException where a name is not one that we know
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
     * The same with the gates of a text set, whatever a release locks: as {@link #toString} writes them.
     *
     * @throws RefusedGateException where a part is no gate that we know, or not set to true or false
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

    /** Whether this is the name of a gate that can be set, with an effect or {@link GateWithoutEffect without}. */
    public static boolean isKnown(String gate) {
        return known().contains(gate);
    }

    /** The names of all gates that can be set. */
    public static SortedSet<String> known() {
        return Stream.concat(
                        Arrays.stream(Feature.values()).map(Feature::gate),
                        Arrays.stream(GateWithoutEffect.values()).map(GateWithoutEffect::gate))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Every gate that has an effect with its state, as Kubernetes writes it. */
    @Override
    public String toString() {
        return Arrays.stream(Feature.values())
                .map(each -> each.gate() + "=" + has(each))
                .sorted()
                .collect(Collectors.joining(","));
    }
}
