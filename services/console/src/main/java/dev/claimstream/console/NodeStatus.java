package dev.claimstream.console;

import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import java.util.ArrayList;
import java.util.List;

/**
 * A node and its status.
 *
 * @param isSilent whether the liveness check reports the node as silent
 */
record NodeStatus(Node node, boolean isSilent) {
    String name() {
        return node.meta().name();
    }

    /** Returns the status as kubectl prints it, plus {@code Silent}. */
    String status() {
        List<String> words = new ArrayList<>();
        words.add(node.ready() ? "Ready" : "NotReady");
        if (node.unschedulable()) {
            words.add("SchedulingDisabled");
        }
        if (isSilent) {
            words.add("Silent");
        }
        return String.join(",", words);
    }

    boolean isUsable() {
        return node.ready() && !node.unschedulable() && !isSilent;
    }

    boolean reaches(NodeScope scope) {
        return switch (scope) {
            case NodeScope.SingleNode(String on) -> on.equals(name());
            case NodeScope.AllNodes() -> true;
            case NodeScope.MatchingNodes(var selector) ->
                selector.matches(name(), node.meta().labels());
            case NodeScope.PerDevice(), NodeScope.UnknownScope() -> false;
        };
    }
}
