package dev.claimstream.wire;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.List;
import java.util.TreeSet;

/** Converts a pod's constraints relative to other pods to and from Avro. */
final class TopologyCodec {
    private TopologyCodec() {}

    static dev.claimstream.schemas.PodTopology to(PodTopology topology) {
        return new dev.claimstream.schemas.PodTopology(
                topology.affinity().stream().map(TopologyCodec::to).toList(),
                topology.antiAffinity().stream().map(TopologyCodec::to).toList(),
                topology.spread().stream().map(TopologyCodec::to).toList(),
                topology.hostPorts().stream()
                        .map(each -> new dev.claimstream.schemas.HostPort(each.address(), each.protocol(), each.port()))
                        .toList(),
                topology.usesVolumes(),
                topology.hasPreferences(),
                topology.schedulerName().orElse(null));
    }

    static PodTopology from(dev.claimstream.schemas.PodTopology topology) {
        return new PodTopology(
                terms(topology.getAffinity()),
                terms(topology.getAntiAffinity()),
                topology.getSpread().stream().map(TopologyCodec::from).toList(),
                topology.getHostPorts().stream()
                        .map(each -> new HostPort(each.getAddress(), each.getProtocol(), each.getPort()))
                        .toList(),
                topology.getUsesVolumes(),
                topology.getPrefers(),
                topology.getSchedulerName());
    }

    private static dev.claimstream.schemas.PodAffinityTerm to(PodAffinityTerm term) {
        return new dev.claimstream.schemas.PodAffinityTerm(
                term.topologyKey(),
                term.selector().map(TopologyCodec::to).orElse(null),
                List.copyOf(term.namespaces()),
                term.namespaceSelector().map(TopologyCodec::to).orElse(null));
    }

    private static List<PodAffinityTerm> terms(List<dev.claimstream.schemas.PodAffinityTerm> terms) {
        return terms.stream()
                .map(each -> new PodAffinityTerm(
                        each.getTopologyKey(),
                        each.getSelector().map(TopologyCodec::from),
                        new TreeSet<>(each.getNamespaces()),
                        each.getNamespaceSelector().map(TopologyCodec::from)))
                .toList();
    }

    private static dev.claimstream.schemas.TopologySpreadConstraint to(TopologySpreadConstraint constraint) {
        return new dev.claimstream.schemas.TopologySpreadConstraint(
                constraint.topologyKey(),
                constraint.maxSkew(),
                constraint.minDomains(),
                constraint.selector().map(TopologyCodec::to).orElse(null),
                constraint.honorsNodeAffinity(),
                constraint.honorsNodeTaints());
    }

    private static TopologySpreadConstraint from(dev.claimstream.schemas.TopologySpreadConstraint constraint) {
        return new TopologySpreadConstraint(
                constraint.getTopologyKey(),
                constraint.getMaxSkew(),
                constraint.getMinDomains(),
                constraint.getSelector().map(TopologyCodec::from),
                constraint.getHeedsAffinity(),
                constraint.getHeedsTaints());
    }

    private static dev.claimstream.schemas.LabelSelector to(LabelSelector selector) {
        return new dev.claimstream.schemas.LabelSelector(MetadataCodec.requirements(selector.requirements()));
    }

    private static LabelSelector from(dev.claimstream.schemas.LabelSelector selector) {
        return new LabelSelector(MetadataCodec.requirementsFrom(selector.getRequirements()));
    }
}
