package dev.claimstream.wire;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.TopologySpreadConstraint;
import dev.claimstream.schemas.HostPortRecord;
import dev.claimstream.schemas.LabelSelectorRecord;
import dev.claimstream.schemas.PodAffinityTermRecord;
import dev.claimstream.schemas.PodTopologyRecord;
import dev.claimstream.schemas.TopologySpreadConstraintRecord;
import java.util.List;
import java.util.TreeSet;

/** Converts a pod's constraints relative to other pods to and from Avro. */
final class TopologyCodec {
    private TopologyCodec() {}

    static PodTopologyRecord to(PodTopology topology) {
        return new PodTopologyRecord(
                topology.affinity().stream().map(TopologyCodec::to).toList(),
                topology.antiAffinity().stream().map(TopologyCodec::to).toList(),
                topology.spread().stream().map(TopologyCodec::to).toList(),
                topology.hostPorts().stream()
                        .map(each -> new HostPortRecord(each.address(), each.protocol(), each.port()))
                        .toList(),
                topology.usesVolumes(),
                topology.hasPreferences(),
                topology.schedulerName().orElse(null));
    }

    static PodTopology from(PodTopologyRecord topology) {
        return new PodTopology(
                terms(topology.getAffinity()),
                terms(topology.getAntiAffinity()),
                topology.getSpread().stream().map(TopologyCodec::from).toList(),
                topology.getHostPorts().stream()
                        .map(each -> new HostPort(each.getAddress(), each.getProtocol(), each.getPort()))
                        .toList(),
                topology.getUsesVolumes(),
                topology.getHasPreferences(),
                topology.getSchedulerName());
    }

    private static PodAffinityTermRecord to(PodAffinityTerm term) {
        return new PodAffinityTermRecord(
                term.topologyKey(),
                term.selector().map(TopologyCodec::to).orElse(null),
                List.copyOf(term.namespaces()),
                term.namespaceSelector().map(TopologyCodec::to).orElse(null));
    }

    private static List<PodAffinityTerm> terms(List<PodAffinityTermRecord> terms) {
        return terms.stream()
                .map(each -> new PodAffinityTerm(
                        each.getTopologyKey(),
                        each.getSelector().map(TopologyCodec::from),
                        new TreeSet<>(each.getNamespaces()),
                        each.getNamespaceSelector().map(TopologyCodec::from)))
                .toList();
    }

    private static TopologySpreadConstraintRecord to(TopologySpreadConstraint constraint) {
        return new TopologySpreadConstraintRecord(
                constraint.topologyKey(),
                constraint.maxSkew(),
                constraint.minDomains(),
                constraint.selector().map(TopologyCodec::to).orElse(null),
                constraint.honorsNodeAffinity(),
                constraint.honorsNodeTaints());
    }

    private static TopologySpreadConstraint from(TopologySpreadConstraintRecord constraint) {
        return new TopologySpreadConstraint(
                constraint.getTopologyKey(),
                constraint.getMaxSkew(),
                constraint.getMinDomains(),
                constraint.getSelector().map(TopologyCodec::from),
                constraint.getHonorsNodeAffinity(),
                constraint.getHonorsNodeTaints());
    }

    private static LabelSelectorRecord to(LabelSelector selector) {
        return new LabelSelectorRecord(MetadataCodec.requirements(selector.requirements()));
    }

    private static LabelSelector from(LabelSelectorRecord selector) {
        return new LabelSelector(MetadataCodec.requirementsFrom(selector.getRequirements()));
    }
}
