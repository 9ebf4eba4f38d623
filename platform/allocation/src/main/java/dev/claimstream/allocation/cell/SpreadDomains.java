package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The domains over which pods are spread, by topology spread constraint.
 *
 * @param domainOfNode for each constraint, the domain of every eligible node
 */
record SpreadDomains(List<SortedMap<String, String>> domainOfNode) {
    /** The properties of a pod that determine eligible nodes. */
    record DomainQuery(NodeRules rules, List<TopologySpreadConstraint> constraints) {
        static DomainQuery of(Pod pod) {
            return new DomainQuery(
                    NodeRules.of(pod, ResourceList.none()), pod.topology().spread());
        }
    }

    /** Computes the domains. Eligible nodes have the labels of all constraints. */
    static SpreadDomains of(DomainQuery query, List<Node> nodes) {
        List<SortedMap<String, String>> ofNode = new ArrayList<>();
        for (TopologySpreadConstraint constraint : query.constraints) {
            var counted = new TreeMap<String, String>();
            for (Node node : nodes) {
                SortedMap<String, String> labels = node.meta().labels();
                boolean hasAll = query.constraints.stream().allMatch(each -> labels.containsKey(each.topologyKey()));
                if (hasAll && isCounted(query.rules, constraint, node)) {
                    counted.put(node.meta().name(), labels.get(constraint.topologyKey()));
                }
            }
            ofNode.add(counted);
        }
        return new SpreadDomains(ofNode);
    }

    private static boolean isCounted(NodeRules rules, TopologySpreadConstraint constraint, Node node) {
        return (!constraint.honorsNodeAffinity() || rules.selects(node))
                && (!constraint.honorsNodeTaints() || rules.toleratesTaints(node));
    }

    /** The pods in each domain of a constraint; empty domains count 0. */
    SortedMap<String, Integer> podsPerDomain(int constraint, Map<String, Integer> onNode) {
        SortedMap<String, String> domains = domainOfNode.get(constraint);
        var counted = new TreeMap<String, Integer>();
        domains.values().forEach(domain -> counted.put(domain, 0));
        onNode.forEach((node, pods) -> {
            String domain = domains.get(node);
            if (domain != null) {
                counted.merge(domain, pods, Integer::sum);
            }
        });
        return counted;
    }
}
