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
 * @param ofNode for each constraint, the domain of every eligible node
 */
record SpreadDomains(List<SortedMap<String, String>> ofNode) {
    /** The properties of a pod that determine eligible nodes. */
    record Asked(NodeRules rules, List<TopologySpreadConstraint> constraints) {
        static Asked by(Pod pod) {
            return new Asked(
                    NodeRules.of(pod, ResourceList.none()), pod.topology().spread());
        }
    }

    /** Computes the domains. Eligible nodes have the labels of all constraints. */
    static SpreadDomains of(Asked asked, List<Node> nodes) {
        List<SortedMap<String, String>> ofNode = new ArrayList<>();
        for (TopologySpreadConstraint constraint : asked.constraints) {
            var counted = new TreeMap<String, String>();
            for (Node node : nodes) {
                SortedMap<String, String> labels = node.meta().labels();
                boolean hasAll = asked.constraints.stream().allMatch(each -> labels.containsKey(each.topologyKey()));
                if (hasAll && counts(asked.rules, constraint, node)) {
                    counted.put(node.meta().name(), labels.get(constraint.topologyKey()));
                }
            }
            ofNode.add(counted);
        }
        return new SpreadDomains(ofNode);
    }

    private static boolean counts(NodeRules rules, TopologySpreadConstraint constraint, Node node) {
        return (!constraint.heedsAffinity() || rules.selects(node))
                && (!constraint.heedsTaints() || rules.toleratesTaints(node));
    }

    /** The pods in each domain of a constraint; empty domains count 0. */
    SortedMap<String, Integer> counted(int constraint, Map<String, Integer> onNode) {
        SortedMap<String, String> domains = ofNode.get(constraint);
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
