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
 * How a control plane is to be.
 *
 * @param gates the feature gates of all its parts
 * @param rates how much scheduler and controllers may ask the API server
 * @param parts what is started; etcd and the API server always are
 * @param workloads whether Jobs, Deployments and their like make pods
 * @param nodeGrace after how long without a sign a node is lost and its pods are evicted; zero: never
 * @param folder where its data, kubeconfigs and logs stay; empty: in one that goes with it
 */
public record ControlPlaneOptions(
        Gates gates, Rates rates, Set<Part> parts, boolean workloads, Duration nodeGrace, Optional<Path> folder) {
    /** As an installation without any setting has it: default gates, default rates, all parts. */
    public static final ControlPlaneOptions DEFAULT = new ControlPlaneOptions(
            Gates.DEFAULT, Rates.DEFAULT, EnumSet.allOf(Part.class), false, Duration.ZERO, Optional.empty());

    /** Which feature gates are on. */
    public enum Gates {
        /** Every gate of DRA and of gangs, and the API groups that they serve. */
        ALL,
        /** Those of the release. */
        DEFAULT,
        /** Only what is generally available. */
        OFF
    }

    /** Requests per second. */
    public enum Rates {
        /** 50 of the scheduler, 20 of the controllers, as released. */
        DEFAULT,
        /** 5000 of each. */
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

    /** The same with other gates. */
    public ControlPlaneOptions with(Gates other) {
        return new ControlPlaneOptions(other, rates, parts, workloads, nodeGrace, folder);
    }

    /** The same with other rates. */
    public ControlPlaneOptions with(Rates other) {
        return new ControlPlaneOptions(gates, other, parts, workloads, nodeGrace, folder);
    }

    /** The same without a part. */
    public ControlPlaneOptions without(Part part) {
        Set<Part> fewer = EnumSet.copyOf(parts);
        fewer.remove(part);
        return new ControlPlaneOptions(gates, rates, fewer, workloads, nodeGrace, folder);
    }

    /** The same with Jobs, Deployments and their like. */
    public ControlPlaneOptions withWorkloads() {
        return new ControlPlaneOptions(gates, rates, parts, true, nodeGrace, folder);
    }

    /** The same with nodes that are lost after a time. */
    public ControlPlaneOptions withNodeGrace(Duration grace) {
        return new ControlPlaneOptions(gates, rates, parts, workloads, grace, folder);
    }

    /** The same in a folder that stays. */
    public ControlPlaneOptions in(Path place) {
        return new ControlPlaneOptions(gates, rates, parts, workloads, nodeGrace, Optional.of(place));
    }

    /** As flags of {@code control-plane up}. */
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
