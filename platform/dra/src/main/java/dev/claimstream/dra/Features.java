package dev.claimstream.dra;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Which feature gates are on. */
public record Features(Set<Feature> on) {
    public Features {
        Set<Feature> copy = EnumSet.noneOf(Feature.class);
        copy.addAll(on);
        on = Collections.unmodifiableSet(copy);
    }

    /** A text that names no gate, or sets one to neither true nor false. */
    public static final class UnknownGateException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        UnknownGateException(String message) {
            super(message);
        }
    }

    /** As a cluster of this release has them by default. */
    public static Features of(KubernetesVersion version) {
        return new Features(Arrays.stream(Feature.values())
                .filter(each -> each.isDefault(version))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Feature.class))));
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
     * The same with these gates set.
     *
     * @param gates by name in Kubernetes
     * @throws UnknownGateException where a name is not one that we know
     */
    public Features with(Map<String, Boolean> gates) {
        Features changed = this;
        for (var gate : gates.entrySet()) {
            changed = changed.with(known(gate.getKey()), gate.getValue());
        }
        return changed;
    }

    /**
     * The same with the gates of a text set, written as for Kubernetes: {@code DRAConsumableCapacity=false,DRAListTypeAttributes=true}.
     *
     * @throws UnknownGateException where a part is no gate that we know, or not set to true or false
     */
    public Features with(String text) {
        SortedMap<String, Boolean> gates = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            if (part.isBlank()) {
                continue;
            }
            int sign = part.indexOf('=');
            String value = sign < 0 ? "" : part.substring(sign + 1).strip();
            if (!value.equals("true") && !value.equals("false")) {
                throw new UnknownGateException(
                        "feature gate %s: write NAME=true or NAME=false".formatted(part.strip()));
            }
            gates.put(part.substring(0, sign).strip(), Boolean.valueOf(value));
        }
        return with(gates);
    }

    private static Feature known(String gate) {
        return Feature.ofGate(gate)
                .orElseThrow(() -> new UnknownGateException("feature gate %s is not known; known are %s"
                        .formatted(
                                gate,
                                Arrays.stream(Feature.values())
                                        .map(Feature::gate)
                                        .sorted()
                                        .collect(Collectors.joining(", ")))));
    }

    /** Every gate with its state, as Kubernetes writes it. */
    @Override
    public String toString() {
        return Arrays.stream(Feature.values())
                .map(each -> each.gate() + "=" + has(each))
                .sorted()
                .collect(Collectors.joining(","));
    }
}
