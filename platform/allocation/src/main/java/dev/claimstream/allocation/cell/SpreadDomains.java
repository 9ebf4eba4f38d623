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
 * The nodes over which pods of a sort are to be spread.
 *
 * @param ofNode per constraint, the domain of every node that counts
 */
record SpreadDomains(List<SortedMap<String, String>> ofNode) {
    /** What decides which nodes count. */
    record Asked(NodeRules rules, List<TopologySpreadConstraint> constraints) {
        static Asked by(Pod pod) {
            return new Asked(
                    NodeRules.of(pod, ResourceList.none()), pod.topology().spread());
        }
    }

    /** A node counts that has the labels of all constraints. */
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

    /** How many stand in every domain of a constraint, none left out. */
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
