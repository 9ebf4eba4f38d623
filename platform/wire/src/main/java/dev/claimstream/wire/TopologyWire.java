package dev.claimstream.wire;

import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.List;
import java.util.TreeSet;

/** Converts a pod's constraints relative to other pods to and from Avro. */
final class TopologyWire {
    private TopologyWire() {}

    static dev.claimstream.schemas.PodTopology to(PodTopology topology) {
        return new dev.claimstream.schemas.PodTopology(
                topology.affinity().stream().map(TopologyWire::to).toList(),
                topology.antiAffinity().stream().map(TopologyWire::to).toList(),
                topology.spread().stream().map(TopologyWire::to).toList(),
                topology.hostPorts().stream()
                        .map(each -> new dev.claimstream.schemas.HostPort(each.address(), each.protocol(), each.port()))
                        .toList(),
                topology.usesVolumes(),
                topology.prefers(),
                topology.schedulerName().orElse(null));
    }

    static PodTopology from(dev.claimstream.schemas.PodTopology topology) {
        return new PodTopology(
                terms(topology.getAffinity()),
                terms(topology.getAntiAffinity()),
                topology.getSpread().stream().map(TopologyWire::from).toList(),
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
                term.selector().map(TopologyWire::to).orElse(null),
                List.copyOf(term.namespaces()),
                term.namespaceSelector().map(TopologyWire::to).orElse(null));
    }

    private static List<PodAffinityTerm> terms(List<dev.claimstream.schemas.PodAffinityTerm> terms) {
        return terms.stream()
                .map(each -> new PodAffinityTerm(
                        each.getTopologyKey(),
                        each.getSelector().map(TopologyWire::from),
                        new TreeSet<>(each.getNamespaces()),
                        each.getNamespaceSelector().map(TopologyWire::from)))
                .toList();
    }

    private static dev.claimstream.schemas.TopologySpreadConstraint to(TopologySpreadConstraint constraint) {
        return new dev.claimstream.schemas.TopologySpreadConstraint(
                constraint.topologyKey(),
                constraint.maxSkew(),
                constraint.minDomains(),
                constraint.selector().map(TopologyWire::to).orElse(null),
                constraint.heedsAffinity(),
                constraint.heedsTaints());
    }

    private static TopologySpreadConstraint from(dev.claimstream.schemas.TopologySpreadConstraint constraint) {
        return new TopologySpreadConstraint(
                constraint.getTopologyKey(),
                constraint.getMaxSkew(),
                constraint.getMinDomains(),
                constraint.getSelector().map(TopologyWire::from),
                constraint.getHeedsAffinity(),
                constraint.getHeedsTaints());
    }

    private static dev.claimstream.schemas.LabelSelector to(LabelSelector selector) {
        return new dev.claimstream.schemas.LabelSelector(MetaWire.requirements(selector.requirements()));
    }

    private static LabelSelector from(dev.claimstream.schemas.LabelSelector selector) {
        return new LabelSelector(MetaWire.requirementsFrom(selector.getRequirements()));
    }
}
