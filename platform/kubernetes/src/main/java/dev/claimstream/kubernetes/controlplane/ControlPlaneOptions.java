package dev.claimstream.kubernetes.controlplane;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Options of a control plane.
 *
 * @param gates feature gates of all components
 * @param rates request limits of scheduler and controllers towards the API server
 * @param parts components to start; etcd and the API server are required
 * @param workloads whether the controllers of Jobs, Deployments and the like run
 * @param nodeGrace time without a heartbeat after which a node is lost and its pods are evicted; zero: never
 * @param folder folder for data, kubeconfigs and logs; absent: a temporary folder that is deleted at the end
 */
public record ControlPlaneOptions(
        Gates gates, Rates rates, Set<Part> parts, boolean workloads, Duration nodeGrace, Optional<Path> folder) {
    /** Defaults of an installation: default gates, default rates, all components. */
    public static final ControlPlaneOptions DEFAULT = new ControlPlaneOptions(
            Gates.DEFAULT, Rates.DEFAULT, EnumSet.allOf(Part.class), false, Duration.ZERO, Optional.empty());

    /** Feature gates. */
    public enum Gates {
        /** All gates of DRA and of gang scheduling, and the API groups that they serve. */
        ALL,
        /** Defaults of the release. */
        DEFAULT,
        /** Only generally available features. */
        OFF
    }

    /** Request limits. */
    public enum Rates {
        /** 50 requests per second of the scheduler and 20 of the controllers, as released. */
        DEFAULT,
        /** 5000 requests per second of each. */
        RAISED
    }

    public ControlPlaneOptions {
        if (nodeGrace.isNegative()) {
            throw new IllegalArgumentException("nodeGrace %s is negative".formatted(nodeGrace));
        }
        if (!parts.contains(Part.ETCD) || !parts.contains(Part.API_SERVER)) {
            throw new IllegalArgumentException("a control plane of %s has no API server".formatted(parts));
        }
        parts = Set.copyOf(parts);
    }

    /** Returns a copy with other gates. */
    public ControlPlaneOptions with(Gates other) {
        return new ControlPlaneOptions(other, rates, parts, workloads, nodeGrace, folder);
    }

    /** Returns a copy with other rates. */
    public ControlPlaneOptions with(Rates other) {
        return new ControlPlaneOptions(gates, other, parts, workloads, nodeGrace, folder);
    }

    /** Returns a copy without a component. */
    public ControlPlaneOptions without(Part part) {
        Set<Part> fewer = EnumSet.copyOf(parts);
        fewer.remove(part);
        return new ControlPlaneOptions(gates, rates, fewer, workloads, nodeGrace, folder);
    }

    /** Returns a copy with the controllers of Jobs, Deployments and the like. */
    public ControlPlaneOptions withWorkloads() {
        return new ControlPlaneOptions(gates, rates, parts, true, nodeGrace, folder);
    }

    /** Returns a copy with another node grace period. */
    public ControlPlaneOptions withNodeGrace(Duration grace) {
        return new ControlPlaneOptions(gates, rates, parts, workloads, grace, folder);
    }

    /** Returns a copy with a permanent folder. */
    public ControlPlaneOptions in(Path place) {
        return new ControlPlaneOptions(gates, rates, parts, workloads, nodeGrace, Optional.of(place));
    }

    /** Returns the flags of {@code control-plane up}. */
    List<String> flags() {
        List<String> flags = new ArrayList<>(List.of("--gates", word(gates), "--qps", word(rates)));
        if (!parts.contains(Part.SCHEDULER)) {
            flags.add("--no-scheduler");
        }
        if (!parts.contains(Part.CONTROLLERS)) {
            flags.add("--no-controllers");
        }
        if (workloads) {
            flags.add("--workloads");
        }
        if (nodeGrace.isPositive()) {
            flags.addAll(List.of("--node-grace", nodeGrace.toMillis() + "ms"));
        }
        folder.ifPresent(place -> flags.addAll(List.of("--dir", place.toString())));
        return flags;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
