package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * What keeps a pod from a node because of other pods, as kube-scheduler's filters see it.
 *
 * @param affinity pods of each of these terms have to be near: {@code podAffinity.requiredDuringSchedulingIgnoredDuringExecution}
 * @param antiAffinity no pod of any of these terms may be near, nor may it come near to such a pod that stands already
 * @param spread how evenly pods like it are to be spread
 * @param hostPorts ports of the node that it takes
 * @param usesVolumes whether it names volumes whose place says where it may run: claims of volumes and ephemeral ones
 * @param prefers whether it would rather be on some nodes than on others: affinity that is preferred, spread that is not required
 * @param schedulerName of a scheduler that is not the default one
 */
public record PodTopology(
        List<PodAffinityTerm> affinity,
        List<PodAffinityTerm> antiAffinity,
        List<TopologySpreadConstraint> spread,
        List<HostPort> hostPorts,
        boolean usesVolumes,
        boolean prefers,
        Optional<String> schedulerName) {
    private static final PodTopology NONE = new PodTopology(List.of(), List.of(), List.of(), List.of(), false);

    public PodTopology {
        affinity = List.copyOf(affinity);
        antiAffinity = List.copyOf(antiAffinity);
        spread = List.copyOf(spread);
        hostPorts = List.copyOf(hostPorts);
    }

    /** Of a pod that prefers nothing, for the default scheduler. */
    public PodTopology(
            List<PodAffinityTerm> affinity,
            List<PodAffinityTerm> antiAffinity,
            List<TopologySpreadConstraint> spread,
            List<HostPort> hostPorts,
            boolean usesVolumes) {
        this(affinity, antiAffinity, spread, hostPorts, usesVolumes, false, Optional.empty());
    }

    /** For a pod that does not look at others. */
    public static PodTopology none() {
        return NONE;
    }

    /** Whether other pods keep it from no node, whichever they are; those that keep away from it may. */
    public boolean isIndifferent() {
        return affinity.isEmpty() && antiAffinity.isEmpty() && spread.isEmpty() && hostPorts.isEmpty();
    }
}
