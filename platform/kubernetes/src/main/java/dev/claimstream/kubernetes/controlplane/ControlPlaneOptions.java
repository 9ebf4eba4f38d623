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
 * @param components components to start; etcd and the API server are required
 * @param workloads what makes and runs pods
 * @param nodeGrace time without a heartbeat after which a node is lost and its pods are evicted; zero: never
 * @param audit what the API server writes to its audit log
 * @param folder folder for data, kubeconfigs and logs; absent: a temporary folder that is deleted at the end
 */
public record ControlPlaneOptions(
        Gates gates,
        Rates rates,
        Set<ControlPlaneComponent> components,
        Workloads workloads,
        Duration nodeGrace,
        Audit audit,
        Optional<Path> folder) {
    /** Defaults of an installation: default gates, default rates, all components. */
    public static final ControlPlaneOptions DEFAULT = new ControlPlaneOptions(
            Gates.DEFAULT,
            Rates.DEFAULT,
            EnumSet.allOf(ControlPlaneComponent.class),
            Workloads.NONE,
            Duration.ZERO,
            Audit.NONE,
            Optional.empty());

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

    /** What makes and runs pods. */
    public enum Workloads {
        /** Nothing: tests create pods, and nodes are simulated. */
        NONE,
        /** The controllers of Jobs, Deployments and the like; nodes are simulated. */
        CONTROLLERS,
        /** The same controllers, and what pods need that run as processes: tokens, Service addresses and volumes. */
        PROCESSES
    }

    /** What the API server writes to its audit log. */
    public enum Audit {
        /** Nothing. */
        NONE,
        /** A line per change of an object: who, what and when, without contents. */
        CHANGES
    }

    public ControlPlaneOptions {
        if (nodeGrace.isNegative()) {
            throw new IllegalArgumentException("nodeGrace %s is negative".formatted(nodeGrace));
        }
        if (!components.contains(ControlPlaneComponent.ETCD)
                || !components.contains(ControlPlaneComponent.API_SERVER)) {
            throw new IllegalArgumentException("a control plane of %s has no API server".formatted(components));
        }
        components = Set.copyOf(components);
    }

    /** Returns a copy with other gates. */
    public ControlPlaneOptions with(Gates other) {
        return new ControlPlaneOptions(other, rates, components, workloads, nodeGrace, audit, folder);
    }

    /** Returns a copy with other rates. */
    public ControlPlaneOptions with(Rates other) {
        return new ControlPlaneOptions(gates, other, components, workloads, nodeGrace, audit, folder);
    }

    /** Returns a copy without a component. */
    public ControlPlaneOptions without(ControlPlaneComponent part) {
        Set<ControlPlaneComponent> fewer = EnumSet.copyOf(components);
        fewer.remove(part);
        return new ControlPlaneOptions(gates, rates, fewer, workloads, nodeGrace, audit, folder);
    }

    /** Returns a copy with the controllers of Jobs, Deployments and the like. */
    public ControlPlaneOptions withWorkloads() {
        return new ControlPlaneOptions(gates, rates, components, Workloads.CONTROLLERS, nodeGrace, audit, folder);
    }

    /** Returns a copy for nodes whose pods run as processes. */
    public ControlPlaneOptions withProcesses() {
        return new ControlPlaneOptions(gates, rates, components, Workloads.PROCESSES, nodeGrace, audit, folder);
    }

    /** Returns a copy with another node grace period. */
    public ControlPlaneOptions withNodeGrace(Duration grace) {
        return new ControlPlaneOptions(gates, rates, components, workloads, grace, audit, folder);
    }

    /** Returns a copy whose API server writes an audit log. */
    public ControlPlaneOptions withAuditLog() {
        return new ControlPlaneOptions(gates, rates, components, workloads, nodeGrace, Audit.CHANGES, folder);
    }

    /** Returns a copy with a permanent folder. */
    public ControlPlaneOptions in(Path path) {
        return new ControlPlaneOptions(gates, rates, components, workloads, nodeGrace, audit, Optional.of(path));
    }

    /** Returns the flags of {@code control-plane up}. */
    List<String> flags() {
        List<String> flags = new ArrayList<>(List.of("--gates", word(gates), "--qps", word(rates)));
        if (!components.contains(ControlPlaneComponent.SCHEDULER)) {
            flags.add("--no-scheduler");
        }
        if (audit == Audit.CHANGES) {
            flags.add("--audit");
        }
        if (!components.contains(ControlPlaneComponent.CONTROLLERS)) {
            flags.add("--no-controllers");
        }
        switch (workloads) {
            case NONE -> {}
            case CONTROLLERS -> flags.add("--workloads");
            case PROCESSES -> flags.add("--processes");
        }
        if (nodeGrace.isPositive()) {
            flags.addAll(List.of("--node-grace", nodeGrace.toMillis() + "ms"));
        }
        folder.ifPresent(path -> flags.addAll(List.of("--dir", path.toString())));
        return flags;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
