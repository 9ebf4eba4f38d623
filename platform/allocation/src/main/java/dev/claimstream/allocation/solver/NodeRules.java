package dev.claimstream.allocation.solver;

import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which nodes a work item may go to: what its pod says, and where its claims that are allocated already can be reached.
 *
 * @param tolerations of the pod; absent where there is no pod, so that taints of nodes do not matter
 * @param fixed the node selectors of claims that are allocated already
 * @param requests what the node must have left for the pod
 */
public record NodeRules(
        Optional<String> nodeName,
        SortedMap<String, String> nodeSelector,
        Optional<NodeSelector> requiredAffinity,
        Optional<List<Toleration>> tolerations,
        List<NodeSelector> fixed,
        ResourceList requests) {
    private static final Taint CORDON =
            new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule", Optional.empty());

    /** A claim on its own: every node that is not cordoned. */
    public static NodeRules none() {
        return new NodeRules(
                Optional.empty(), new TreeMap<>(), Optional.empty(), Optional.empty(), List.of(), ResourceList.none());
    }

    /**
     * What a pod says of nodes.
     *
     * @param requests what the node must have left for it
     */
    public static NodeRules of(Pod pod, ResourceList requests) {
        return new NodeRules(
                pod.nodeName(),
                pod.nodeSelector(),
                pod.requiredAffinity(),
                Optional.of(pod.tolerations()),
                List.of(),
                requests);
    }

    /** The same, where this is allocated already as well. */
    public NodeRules with(List<NodeSelector> more) {
        List<NodeSelector> all = new ArrayList<>(fixed);
        all.addAll(more);
        return new NodeRules(nodeName, nodeSelector, requiredAffinity, tolerations, all, requests);
    }

    /** The same for a pod that takes this as well. */
    public NodeRules plus(ResourceList more) {
        return new NodeRules(nodeName, nodeSelector, requiredAffinity, tolerations, fixed, requests.plus(more));
    }

    /** The same for a pod that takes nothing of its node. */
    NodeRules withoutRequests() {
        return new NodeRules(nodeName, nodeSelector, requiredAffinity, tolerations, fixed, ResourceList.none());
    }

    /** The only node that can be admitted, where that is plain without looking at nodes. */
    Optional<String> onlyNode() {
        return nodeName.or(
                () -> fixed.stream().flatMap(each -> each.onlyNode().stream()).findFirst());
    }

    /** What keeps an item away from a node, in words. */
    enum Against {
        FIXED("other claims of the pod are allocated elsewhere"),
        BOUND("the pod is bound to another node"),
        LABELS("it has not the labels of the pod's node selector"),
        AFFINITY("the pod's required node affinity does not match it"),
        CORDON("it is cordoned"),
        TAINTS("the pod does not tolerate its taints");

        private final String text;

        Against(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** Whether the pod's node selector and required affinity match a node. */
    public boolean selects(Node node) {
        SortedMap<String, String> labels = node.meta().labels();
        return hasSelected(labels)
                && requiredAffinity
                        .filter(each -> !each.matches(node.meta().name(), labels))
                        .isEmpty();
    }

    private boolean hasSelected(SortedMap<String, String> labels) {
        return nodeSelector.entrySet().stream().allMatch(each -> each.getValue().equals(labels.get(each.getKey())));
    }

    /** Whether the pod tolerates the taints of a node. */
    public boolean toleratesTaints(Node node) {
        return tolerations.isEmpty()
                || Toleration.firstUntolerated(node.taints(), tolerations.get()).isEmpty();
    }

    /** Whether the item may go to this node, as long as there is room. */
    public boolean admits(Node node) {
        return against(node).isEmpty();
    }

    /** What keeps the item away from this node, beside room. */
    Optional<Against> against(Node node) {
        String name = node.meta().name();
        SortedMap<String, String> labels = node.meta().labels();
        if (!fixed.stream().allMatch(each -> each.matches(name, labels))) {
            return Optional.of(Against.FIXED);
        }
        if (nodeName.isPresent()) {
            return nodeName.get().equals(name) ? Optional.empty() : Optional.of(Against.BOUND);
        }
        if (!hasSelected(labels)) {
            return Optional.of(Against.LABELS);
        }
        if (requiredAffinity.isPresent() && !requiredAffinity.get().matches(name, labels)) {
            return Optional.of(Against.AFFINITY);
        }
        return againstTaints(node);
    }

    private Optional<Against> againstTaints(Node node) {
        List<Toleration> tolerated = tolerations.orElse(List.of());
        if (node.unschedulable()
                && Toleration.firstUntolerated(List.of(CORDON), tolerated).isPresent()) {
            return Optional.of(Against.CORDON);
        }
        return toleratesTaints(node) ? Optional.empty() : Optional.of(Against.TAINTS);
    }
}
