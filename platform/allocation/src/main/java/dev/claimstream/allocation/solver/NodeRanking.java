package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Ranks the nodes with a solution by the score of the solution and then by name.
 *
 * <p>It keeps the two best nodes, and the obstacles on the other nodes. First-fit ranks by name only.
 */
final class NodeRanking {
    private final PlacementPolicy policy;
    private final Optional<NodeResourceCheck> resourceCheck;
    private Optional<NodeCandidate> best = Optional.empty();
    private Optional<NodeCandidate> second = Optional.empty();
    private Optional<FailedNode> failedNode = Optional.empty();
    private int feasibleNodes;
    private Optional<FullNode> fullNode = Optional.empty();
    private boolean isBudgetExhausted;
    private boolean hasEarmarkedNode;
    private long steps;

    /** @param room checks the node resources that devices consume; absent if they do not count */
    NodeRanking(PlacementPolicy policy, Optional<NodeResourceCheck> room) {
        this.policy = policy;
        this.resourceCheck = room;
    }

    record NodeCandidate(NodeDeviceView node, NodeEquivalenceClass nodeClass, SearchOutcome.Solution outcome) {}

    /** A node with a failure that prevents a decision. */
    record FailedNode(NodeDeviceView node, NodeEquivalenceClass nodeClass, SearchOutcome.SearchFailure failure) {
        /** Returns a device of the layout on this node. */
        DeviceCandidate candidate(int device) {
            return nodeClass.candidate(node, device);
        }
    }

    /** A node that has the devices, but not the node resources that they consume. */
    record FullNode(NodeDeviceView node, NodeResourceCheck.NodeResourceObstacle obstacle) {
        boolean isInsufficient() {
            return obstacle instanceof NodeResourceCheck.NodeResourceObstacle.InsufficientResources;
        }
    }

    void consider(NodeEquivalenceClass nodeClass, SearchOutcome outcome, Predicate<NodeDeviceView> mayUse) {
        steps += outcome.steps();
        switch (outcome) {
            case SearchOutcome.Solution fits -> {
                int open = 0;
                int without = 0;
                for (NodeDeviceView node : nodeClass.nodes) {
                    if (!mayUse.test(node)) {
                        hasEarmarkedNode = true;
                    } else if (open < 2 && !hasNodeResources(node, nodeClass, fits)) {
                        without++;
                    } else if (open++ < 2) {
                        rank(new NodeCandidate(node, nodeClass, fits));
                    } else {
                        open += nodeClass.nodes.size() - without - open;
                        break;
                    }
                }
                feasibleNodes += open;
            }
            case SearchOutcome.NoSolution noSolution -> {}
            case SearchOutcome.Failed fails -> {
                var candidate = new FailedNode(nodeClass.nodes.first(), nodeClass, fails.failure());
                if (failedNode.isEmpty() || candidate.node.compareTo(failedNode.get().node) < 0) {
                    failedNode = Optional.of(candidate);
                }
            }
            case SearchOutcome.BudgetExhausted all -> isBudgetExhausted = true;
        }
    }

    private boolean hasNodeResources(NodeDeviceView node, NodeEquivalenceClass nodeClass, SearchOutcome.Solution fits) {
        Optional<NodeResourceCheck.NodeResourceObstacle> against =
                resourceCheck.flatMap(each -> each.obstacle(node, nodeClass, fits));
        against.map(each -> new FullNode(node, each))
                .filter(each -> fullNode.isEmpty() || isNearer(each, fullNode.get()))
                .ifPresent(each -> fullNode = Optional.of(each));
        return against.isEmpty();
    }

    /** Prefers a node with too little left, because resources may become free; accounting obstacles mostly stay. */
    private static boolean isNearer(FullNode one, FullNode other) {
        return one.isInsufficient() == other.isInsufficient()
                ? one.node.compareTo(other.node) < 0
                : one.isInsufficient();
    }

    private void rank(NodeCandidate fit) {
        if (best.isEmpty() || isBetter(fit, best.get())) {
            second = best;
            best = Optional.of(fit);
        } else if (second.isEmpty() || isBetter(fit, second.get())) {
            second = Optional.of(fit);
        }
    }

    private boolean isBetter(NodeCandidate one, NodeCandidate other) {
        int score = policy == PlacementPolicy.BEST_FIT ? one.outcome.score().compareTo(other.outcome.score()) : 0;
        return score != 0 ? score < 0 : one.node.compareTo(other.node) < 0;
    }

    PlacementPolicy policy() {
        return policy;
    }

    Optional<NodeCandidate> best() {
        return best;
    }

    Optional<NodeCandidate> second() {
        return second;
    }

    Optional<FailedNode> failedNode() {
        return failedNode;
    }

    /** The first node by name that fails only the check of node resources. */
    Optional<FullNode> fullNode() {
        return fullNode;
    }

    /**
     * Returns whether the search is inconclusive: an earmarked node, an exhausted budget or a failure hides a solution.
     */
    boolean isInconclusive() {
        return hasEarmarkedNode || isBudgetExhausted || failedNode.isPresent();
    }

    /** Number of nodes with a solution. */
    int feasibleNodes() {
        return feasibleNodes;
    }

    /** Returns whether the search budget was exhausted on a node. */
    boolean isBudgetExhausted() {
        return isBudgetExhausted;
    }

    /** Returns whether a node with a solution is earmarked for another item. */
    boolean hasEarmarkedNode() {
        return hasEarmarkedNode;
    }

    long steps() {
        return steps;
    }
}
