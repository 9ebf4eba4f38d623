package dev.claimstream.allocation.solver;

import dev.claimstream.dra.LabelSelector;
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
 * Nodes that a work item may use: rules of its pod, and node selectors of its allocated claims. Its string form is part
 * of digests that rows store.
 *
 * @param tolerations of the pod; absent without a pod, so that node taints do not matter
 * @param fixed node selectors of claims that are allocated already
 * @param requests node resources that the pod needs
 * @param pool labels of the nodes that Claimstream may use
 */
public record NodeRules(
        Optional<String> nodeName,
        SortedMap<String, String> nodeSelector,
        Optional<NodeSelector> requiredAffinity,
        Optional<List<Toleration>> tolerations,
        List<NodeSelector> fixed,
        ResourceList requests,
        LabelSelector pool) {
    private static final Taint CORDON =
            new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule", Optional.empty());

    /** Rules without a restriction to a pool of nodes. */
    public NodeRules(
            Optional<String> nodeName,
            SortedMap<String, String> nodeSelector,
            Optional<NodeSelector> requiredAffinity,
            Optional<List<Toleration>> tolerations,
            List<NodeSelector> fixed,
            ResourceList requests) {
        this(nodeName, nodeSelector, requiredAffinity, tolerations, fixed, requests, LabelSelector.EVERYTHING);
    }

    /** Rules of a claim without a pod: every node that is not cordoned. */
    public static NodeRules none() {
        return new NodeRules(
                Optional.empty(), new TreeMap<>(), Optional.empty(), Optional.empty(), List.of(), ResourceList.none());
    }

    /**
     * Rules of a pod.
     *
     * @param requests node resources that the pod needs
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

    /** Adds node selectors of allocated claims. */
    public NodeRules with(List<NodeSelector> more) {
        List<NodeSelector> all = new ArrayList<>(fixed);
        all.addAll(more);
        return new NodeRules(nodeName, nodeSelector, requiredAffinity, tolerations, all, requests, pool);
    }

    /** Adds requests for node resources. */
    public NodeRules plus(ResourceList more) {
        return new NodeRules(nodeName, nodeSelector, requiredAffinity, tolerations, fixed, requests.plus(more), pool);
    }

    /** Restricts the rules to the nodes with these labels. */
    public NodeRules within(LabelSelector nodes) {
        return new NodeRules(nodeName, nodeSelector, requiredAffinity, tolerations, fixed, requests, nodes);
    }

    /** Removes the requests for node resources. */
    NodeRules withoutRequests() {
        return new NodeRules(nodeName, nodeSelector, requiredAffinity, tolerations, fixed, ResourceList.none(), pool);
    }

    /** Returns the only admissible node, if the rules name it. */
    Optional<String> onlyNode() {
        return nodeName.or(
                () -> fixed.stream().flatMap(each -> each.onlyNode().stream()).findFirst());
    }

    /** Why a node is not admissible, with a text for messages. */
    enum NodeObstacle {
        OTHER_CLAIMS("other claims of the pod are allocated elsewhere"),
        OTHER_NODE("the pod is bound to another node"),
        POOL("its labels do not match the nodes that Claimstream uses"),
        LABELS("its labels do not match the pod's node selector"),
        AFFINITY("the pod's required node affinity does not match it"),
        CORDON("it is cordoned"),
        TAINTS("the pod does not tolerate its taints");

        private final String text;

        NodeObstacle(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** Returns whether the pod's node selector and required affinity match a node. */
    public boolean selects(Node node) {
        SortedMap<String, String> labels = node.meta().labels();
        return matchesNodeSelector(labels)
                && requiredAffinity
                        .filter(each -> !each.matches(node.meta().name(), labels))
                        .isEmpty();
    }

    private boolean matchesNodeSelector(SortedMap<String, String> labels) {
        return nodeSelector.entrySet().stream().allMatch(each -> each.getValue().equals(labels.get(each.getKey())));
    }

    /** Returns whether the pod tolerates the taints of a node. */
    public boolean toleratesTaints(Node node) {
        return tolerations.isEmpty()
                || Toleration.firstUntolerated(node.taints(), tolerations.get()).isEmpty();
    }

    /** Returns whether the rules admit a node; requests for node resources are not checked. */
    public boolean admits(Node node) {
        return obstacle(node).isEmpty();
    }

    /** Returns the first rule that excludes a node; requests for node resources are not checked. */
    Optional<NodeObstacle> obstacle(Node node) {
        String name = node.meta().name();
        SortedMap<String, String> labels = node.meta().labels();
        if (!fixed.stream().allMatch(each -> each.matches(name, labels))) {
            return Optional.of(NodeObstacle.OTHER_CLAIMS);
        }
        if (nodeName.isPresent()) {
            return nodeName.get().equals(name) ? Optional.empty() : Optional.of(NodeObstacle.OTHER_NODE);
        }
        if (!pool.matches(labels)) {
            return Optional.of(NodeObstacle.POOL);
        }
        if (!matchesNodeSelector(labels)) {
            return Optional.of(NodeObstacle.LABELS);
        }
        if (requiredAffinity.isPresent() && !requiredAffinity.get().matches(name, labels)) {
            return Optional.of(NodeObstacle.AFFINITY);
        }
        return taintObstacle(node);
    }

    private Optional<NodeObstacle> taintObstacle(Node node) {
        List<Toleration> tolerated = tolerations.orElse(List.of());
        if (node.unschedulable()
                && Toleration.firstUntolerated(List.of(CORDON), tolerated).isPresent()) {
            return Optional.of(NodeObstacle.CORDON);
        }
        return toleratesTaints(node) ? Optional.empty() : Optional.of(NodeObstacle.TAINTS);
    }
}
