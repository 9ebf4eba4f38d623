package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import java.util.Optional;
import java.util.function.Predicate;

/** The best two fits over all nodes, and what stood against the others. */
final class Found {
    private final Policy policy;
    private Optional<Fit> best = Optional.empty();
    private Optional<Fit> second = Optional.empty();
    private Optional<Failing> failing = Optional.empty();
    private int fitting;
    private boolean spent;
    private boolean closed;
    private long steps;

    Found(Policy policy) {
        this.policy = policy;
    }

    /** A node on which it fits. */
    record Fit(NodeView node, NodeClass nodeClass, Outcome.Fits outcome) {}

    /** A node on which no answer is possible. */
    record Failing(NodeView node, NodeClass nodeClass, Outcome.Failure failure) {}

    void consider(NodeClass nodeClass, Outcome outcome, Predicate<NodeView> mayUse) {
        steps += outcome.steps();
        switch (outcome) {
            case Outcome.Fits fits -> {
                int open = 0;
                for (NodeView node : nodeClass.nodes) {
                    if (!mayUse.test(node)) {
                        closed = true;
                    } else if (open++ < 2) {
                        rank(new Fit(node, nodeClass, fits));
                    } else {
                        open += nodeClass.nodes.size() - open;
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

    Optional<Fit> best() {
        return best;
    }

    Optional<Fit> second() {
        return second;
    }

    Optional<Failing> failing() {
        return failing;
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
