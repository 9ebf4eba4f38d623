package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import java.util.Optional;
import java.util.function.Predicate;

/** The best two fits over all nodes, and what stood against the others. */
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

    /** @param room whether nodes have room for what the devices take beside themselves; absent where that does not count */
    Found(Policy policy, Optional<DeviceRoom> room) {
        this.policy = policy;
        this.room = room;
    }

    /** A node on which it fits. */
    record Fit(NodeView node, NodeClass nodeClass, Outcome.Fits outcome) {}

    /** A node on which no answer is possible. */
    record Failing(NodeView node, NodeClass nodeClass, Outcome.Failure failure) {}

    /** A node on which it would fit if there were room for what its devices take beside themselves. */
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

    /** Room may come; what cannot be accounted for mostly stays so. */
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

    /** The first node on which only room for its devices is missing. */
    Optional<NoRoom> noRoom() {
        return noRoom;
    }

    /** Whether it is not just that it does not fit. */
    boolean saysMore() {
        return closed || spent || failing.isPresent();
    }

    /** On how many nodes it fits. */
    int fitting() {
        return fitting;
    }

    /** Whether the effort was spent on some node. */
    boolean spent() {
        return spent;
    }

    /** Whether a node on which it fits is kept for somebody else. */
    boolean closed() {
        return closed;
    }

    long steps() {
        return steps;
    }
}
