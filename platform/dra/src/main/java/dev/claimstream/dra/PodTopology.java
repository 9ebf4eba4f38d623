package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * Constraints of a pod relative to other pods, as kube-scheduler's filters apply them.
 *
 * @param affinity required affinity terms: {@code podAffinity.requiredDuringSchedulingIgnoredDuringExecution}
 * @param antiAffinity required anti-affinity terms, which also apply in the opposite direction, against existing pods
 * @param spread topology spread constraints
 * @param hostPorts host ports
 * @param usesVolumes whether it has persistent or ephemeral volume claims, whose location restricts the node
 * @param hasPreferences whether it has preferred affinity or soft spread constraints
 * @param schedulerName a scheduler other than the default
 */
public record PodTopology(
        List<PodAffinityTerm> affinity,
        List<PodAffinityTerm> antiAffinity,
        List<TopologySpreadConstraint> spread,
        List<HostPort> hostPorts,
        boolean usesVolumes,
        boolean hasPreferences,
        Optional<String> schedulerName) {
    private static final PodTopology NONE = new PodTopology(List.of(), List.of(), List.of(), List.of(), false);

    public PodTopology {
        affinity = List.copyOf(affinity);
        antiAffinity = List.copyOf(antiAffinity);
        spread = List.copyOf(spread);
        hostPorts = List.copyOf(hostPorts);
    }

    /** Creates constraints without preferences, for the default scheduler. */
    public PodTopology(
            List<PodAffinityTerm> affinity,
            List<PodAffinityTerm> antiAffinity,
            List<TopologySpreadConstraint> spread,
            List<HostPort> hostPorts,
            boolean usesVolumes) {
        this(affinity, antiAffinity, spread, hostPorts, usesVolumes, false, Optional.empty());
    }

    /** Returns the constraints of a pod that has none. */
    public static PodTopology none() {
        return NONE;
    }

    /** Returns whether other pods exclude no node by this pod's constraints. Anti-affinity of other pods can still exclude nodes. */
    public boolean isUnconstrained() {
        return affinity.isEmpty() && antiAffinity.isEmpty() && spread.isEmpty() && hostPorts.isEmpty();
    }
}
