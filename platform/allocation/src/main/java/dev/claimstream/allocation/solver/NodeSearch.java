package dev.claimstream.allocation.solver;

import java.util.Optional;

/**
 * Search on the nodes of one class under a policy, in one or two passes. It can stop after any step and continue later.
 */
final class NodeSearch {
    private final Question question;
    private final NodeClass nodeClass;
    private final Policy policy;
    private final long stepsMax;
    private final boolean isPlain;
    private Search search;
    private Optional<Outcome> first = Optional.empty();

    NodeSearch(Question question, NodeClass nodeClass, Policy policy, long stepsMax) {
        this.question = question;
        this.nodeClass = nodeClass;
        this.policy = policy;
        this.stepsMax = stepsMax;
        this.isPlain = nodeClass.isPlain(question);
        this.search = policy == Policy.BEST_FIT && isPlain
                ? nodeClass.packed(question, stepsMax)
                : nodeClass.published(question, stepsMax);
    }

    /**
     * Continues until there is an outcome.
     *
     * @param stepsNow limit on steps, earlier calls included
     * @return empty if the limit was reached first
     */
    Optional<Outcome> advance(long stepsNow) {
        while (true) {
            long before = first.map(Outcome::steps).orElse(0L);
            Optional<Outcome> outcome = search.advance(stepsNow - before);
            if (outcome.isEmpty()) {
                return outcome;
            }
            if (first.isPresent()) {
                return Optional.of(together(first.get(), outcome.get()));
            }
            if (!isSecondNeeded(outcome.get())) {
                return outcome;
            }
            first = outcome;
            search = isPlain ? nodeClass.published(question, stepsMax) : nodeClass.packed(question, stepsMax);
        }
    }

    /**
     * Decides whether a second pass is needed. If the order of devices can change the result, the published order
     * determines whether a solution exists, and packing then selects one. Otherwise packing determines both, and the
     * published order is the fallback if packing exhausts its steps.
     */
    private boolean isSecondNeeded(Outcome outcome) {
        return policy == Policy.BEST_FIT
                && (isPlain ? outcome instanceof Outcome.Spent : outcome instanceof Outcome.Fits);
    }

    private Outcome together(Outcome before, Outcome after) {
        return isPlain || after instanceof Outcome.Fits ? after.after(before.steps()) : before.after(after.steps());
    }

    /** Memory of memoized states, in integers of four bytes. */
    long remembered() {
        return search.remembered();
    }

    /** Steps of both passes. */
    long steps() {
        return first.map(Outcome::steps).orElse(0L) + search.steps();
    }
}
