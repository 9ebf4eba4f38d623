package dev.claimstream.allocation.solver;

import java.util.Optional;

/**
 * Search on the nodes of one class under a policy, in one or two passes. It can stop after any step and continue later.
 */
final class NodeSearch {
    private final AllocationProblem problem;
    private final NodeEquivalenceClass nodeClass;
    private final PlacementPolicy policy;
    private final long stepsMax;
    private final boolean isOrderIndependent;
    private Search search;
    private Optional<SearchOutcome> first = Optional.empty();

    NodeSearch(AllocationProblem problem, NodeEquivalenceClass nodeClass, PlacementPolicy policy, long stepsMax) {
        this.problem = problem;
        this.nodeClass = nodeClass;
        this.policy = policy;
        this.stepsMax = stepsMax;
        this.isOrderIndependent = nodeClass.isOrderIndependent(problem);
        this.search = policy == PlacementPolicy.BEST_FIT && isOrderIndependent
                ? nodeClass.packingSearch(problem, stepsMax)
                : nodeClass.publishedOrderSearch(problem, stepsMax);
    }

    /**
     * Continues until there is an outcome.
     *
     * @param stepsNow limit on steps, earlier calls included
     * @return empty if the limit was reached first
     */
    Optional<SearchOutcome> advance(long stepsNow) {
        while (true) {
            long before = first.map(SearchOutcome::steps).orElse(0L);
            Optional<SearchOutcome> outcome = search.advance(stepsNow - before);
            if (outcome.isEmpty()) {
                return outcome;
            }
            if (first.isPresent()) {
                return Optional.of(combine(first.get(), outcome.get()));
            }
            if (!isSecondNeeded(outcome.get())) {
                return outcome;
            }
            first = outcome;
            search = isOrderIndependent
                    ? nodeClass.publishedOrderSearch(problem, stepsMax)
                    : nodeClass.packingSearch(problem, stepsMax);
        }
    }

    /**
     * Decides whether a second pass is needed. If the order of devices can change the result, the published order
     * determines whether a solution exists, and packing then selects one. Otherwise packing determines both, and the
     * published order is the fallback if packing exhausts its steps.
     */
    private boolean isSecondNeeded(SearchOutcome outcome) {
        return policy == PlacementPolicy.BEST_FIT
                && (isOrderIndependent
                        ? outcome instanceof SearchOutcome.BudgetExhausted
                        : outcome instanceof SearchOutcome.Solution);
    }

    private SearchOutcome combine(SearchOutcome before, SearchOutcome after) {
        return isOrderIndependent || after instanceof SearchOutcome.Solution
                ? after.plusSteps(before.steps())
                : before.plusSteps(after.steps());
    }

    /** Memory of memoized states, in integers of four bytes. */
    long memoSize() {
        return search.memorySize();
    }

    /** Steps of both passes. */
    long steps() {
        return first.map(SearchOutcome::steps).orElse(0L) + search.steps();
    }
}
