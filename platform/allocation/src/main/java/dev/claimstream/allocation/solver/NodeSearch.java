package dev.claimstream.allocation.solver;

import java.util.Optional;

/** The search on the nodes of one class under a policy: one search, or two of which the second one decides. It can stop and go on later. */
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
     * Goes on to the outcome.
     *
     * @param stepsNow beyond so many steps, those of earlier calls included, it stops
     * @return nothing where it stopped
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
     * Where a selector or a derivation fails, all devices are wanted, or a list is compared that is not served, the published order says
     * whether there is an answer; then packing says which. Elsewhere packing says both, unless it takes too many steps.
     */
    private boolean isSecondNeeded(Outcome outcome) {
        return policy == Policy.BEST_FIT
                && (isPlain ? outcome instanceof Outcome.Spent : outcome instanceof Outcome.Fits);
    }

    private Outcome together(Outcome before, Outcome after) {
        return isPlain || after instanceof Outcome.Fits ? after.after(before.steps()) : before.after(after.steps());
    }

    /** How much memory it has for what failed, in numbers of four bytes. */
    long remembered() {
        return search.remembered();
    }

    /** The steps that it has taken. */
    long steps() {
        return first.map(Outcome::steps).orElse(0L) + search.steps();
    }
}
