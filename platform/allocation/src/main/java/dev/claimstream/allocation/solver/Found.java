package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import java.util.Optional;
import java.util.function.Predicate;

/** The two best candidates over all nodes, and the obstacles on the other nodes. */
final class Found {
    private final Policy policy;
    private final Optional<DeviceRoom> room;
    private Optional<Fit> best = Optional.empty();
    private Optional<Fit> second = Optional.empty();
    private Optional<Failing> failing = Optional.empty();
    private int fitting;
    private Optional<NoRoom> noRoom = Optional.empty();
    private boolean spent;
    private boolean closed;
    private long steps;

    /** @param room checks the node resources that devices consume; absent if they do not count */
    Found(Policy policy, Optional<DeviceRoom> room) {
        this.policy = policy;
        this.room = room;
    }

    /** A node with a solution. */
    record Fit(NodeView node, NodeClass nodeClass, Outcome.Fits outcome) {}

    /** A node with a failure that prevents a decision. */
    record Failing(NodeView node, NodeClass nodeClass, Outcome.Failure failure) {}

    /** A node that has the devices, but not the node resources that they consume. */
    record NoRoom(NodeView node, DeviceRoom.Against against) {
        boolean isFull() {
            return against instanceof DeviceRoom.Against.Full;
        }
    }

    void consider(NodeClass nodeClass, Outcome outcome, Predicate<NodeView> mayUse) {
        steps += outcome.steps();
        switch (outcome) {
            case Outcome.Fits fits -> {
                int open = 0;
                int without = 0;
                for (NodeView node : nodeClass.nodes) {
                    if (!mayUse.test(node)) {
                        closed = true;
                    } else if (open < 2 && !hasRoom(node, nodeClass, fits)) {
                        without++;
                    } else if (open++ < 2) {
                        rank(new Fit(node, nodeClass, fits));
                    } else {
                        open += nodeClass.nodes.size() - without - open;
                        break;
                    }
                }
                fitting += open;
            }
            case Outcome.Misses misses -> {}
            case Outcome.Fails fails -> {
                var candidate = new Failing(nodeClass.nodes.first(), nodeClass, fails.failure());
                if (failing.isEmpty() || candidate.node.compareTo(failing.get().node) < 0) {
                    failing = Optional.of(candidate);
                }
            }
            case Outcome.Spent all -> spent = true;
        }
    }

    private boolean hasRoom(NodeView node, NodeClass nodeClass, Outcome.Fits fits) {
        Optional<DeviceRoom.Against> against = room.flatMap(each -> each.against(node, nodeClass, fits));
        against.map(each -> new NoRoom(node, each))
                .filter(each -> noRoom.isEmpty() || isNearer(each, noRoom.get()))
                .ifPresent(each -> noRoom = Optional.of(each));
        return against.isEmpty();
    }

    /** Prefers a node with too little left, because resources may become free; accounting obstacles mostly stay. */
    private static boolean isNearer(NoRoom one, NoRoom other) {
        return one.isFull() == other.isFull() ? one.node.compareTo(other.node) < 0 : one.isFull();
    }

    private void rank(Fit fit) {
        if (best.isEmpty() || isBetter(fit, best.get())) {
            second = best;
            best = Optional.of(fit);
        } else if (second.isEmpty() || isBetter(fit, second.get())) {
            second = Optional.of(fit);
        }
    }

    private boolean isBetter(Fit one, Fit other) {
        int score = policy == Policy.BEST_FIT ? one.outcome.score().compareTo(other.outcome.score()) : 0;
        return score != 0 ? score < 0 : one.node.compareTo(other.node) < 0;
    }

    Policy policy() {
        return policy;
    }

    Optional<Fit> best() {
        return best;
    }

    Optional<Fit> second() {
        return second;
    }

    Optional<Failing> failing() {
        return failing;
    }

    /** The first node by name that fails only the check of node resources. */
    Optional<NoRoom> noRoom() {
        return noRoom;
    }

    /**
     * Returns whether the search is inconclusive: an earmarked node, an exhausted budget or a failure hides a solution.
     */
    boolean saysMore() {
        return closed || spent || failing.isPresent();
    }

    /** Number of nodes with a solution. */
    int fitting() {
        return fitting;
    }

    /** Returns whether the search budget was exhausted on a node. */
    boolean spent() {
        return spent;
    }

    /** Returns whether a node with a solution is earmarked for another item. */
    boolean closed() {
        return closed;
    }

    long steps() {
        return steps;
    }
}
