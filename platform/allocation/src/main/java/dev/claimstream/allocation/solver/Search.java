package dev.claimstream.allocation.solver;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Backtracking search of kube-scheduler's structured allocator ({@code allocateOne}), with three additions. They change
 * neither the first solution nor an error that the search meets before it.
 *
 * <ul>
 *   <li>Pruning: a request with too few remaining candidates fails at once.
 *   <li>Memoization: a failed state is stored under a key ({@link FailedStates}).
 *   <li>Step counting: each step counts against the search budget.
 * </ul>
 *
 * <p>The stack is explicit, so that the search can stop after any step and continue later with the same outcome and
 * steps.
 */
final class Search {
    /** Result of a part of the search. */
    enum SearchResult {
        FOUND,
        INFEASIBLE,
        TOO_MANY,
        FAILED,
        BUDGET_EXHAUSTED
    }

    /**
     * Options of a search.
     *
     * @param orders per option, the order of devices
     * @param isErrorFatal whether a failed selector or derivation ends the search
     * @param relaxations limits to ignore
     * @param stepsMax search budget
     */
    record SearchOptions(int[][] orders, boolean isErrorFatal, Set<Relaxation> relaxations, long stepsMax) {}

    private final AllocationProblem problem;
    private final boolean hasInvalidPool;
    private final SearchOptions options;
    private final PartialSolution solution;
    private final AllDevices allDevices;
    private final FailedStates failedStates;
    private final Deque<SearchFrame> frames = new ArrayDeque<>();
    private Transition next = new Transition.EnterRequest(0, 0, 0);
    private Optional<SearchOutcome.SearchFailure> failure = Optional.empty();
    private boolean isStarted;
    private long steps;
    private int entries;

    Search(AllocationProblem problem, NodeLayout layout, NodeState state, SearchOptions options) {
        this.problem = problem;
        this.hasInvalidPool = layout.hasInvalidPool;
        this.options = options;
        this.solution = new PartialSolution(problem, layout, state, options.relaxations);
        this.allDevices = new AllDevices(problem, layout);
        this.failedStates = new FailedStates(problem, layout, state, solution, allDevices);
    }

    /**
     * Continues until a solution, a failure, or the end of the search.
     *
     * @param stepsNow limit on steps, earlier calls included
     * @return empty if the limit was reached first
     */
    Optional<SearchOutcome> advance(long stepsNow) {
        if (!isStarted && problem.hasAllDevicesOption()) {
            failure = allDevices.collect();
            if (failure.isPresent()) {
                return Optional.of(failedOutcome());
            }
        }
        isStarted = true;
        while (true) {
            switch (next) {
                case Transition.EnterRequest(int claim, int request, int number) ->
                    next = enter(claim, request, number);
                case Transition.SelectDevice(SearchPosition position, int done, int start) -> {
                    if (steps >= stepsNow) {
                        return Optional.empty();
                    }
                    next = selectDevice(position, done, start);
                }
                case Transition.ReturnResult(SearchResult result) -> {
                    if (frames.isEmpty()
                            || result == SearchResult.FOUND
                            || result == SearchResult.FAILED
                            || result == SearchResult.BUDGET_EXHAUSTED) {
                        return Optional.of(outcome(result));
                    }
                    next = resume(frames.pop(), result);
                }
            }
        }
    }

    private SearchOutcome outcome(SearchResult result) {
        return switch (result) {
            case FOUND -> solution.solution(steps);
            case INFEASIBLE, TOO_MANY -> noSolution();
            case FAILED -> failedOutcome();
            case BUDGET_EXHAUSTED -> new SearchOutcome.BudgetExhausted(steps);
        };
    }

    /** Memory of the memoized states, in integers of four bytes. */
    long memorySize() {
        return failedStates.memorySize();
    }

    long steps() {
        return steps;
    }

    private SearchOutcome noSolution() {
        return hasInvalidPool
                ? new SearchOutcome.Failed(new SearchOutcome.SearchFailure.InvalidPool(), steps)
                : new SearchOutcome.NoSolution(steps);
    }

    private SearchOutcome failedOutcome() {
        return new SearchOutcome.Failed(failure.orElseThrow(), steps);
    }

    // ---- transitions

    /** Next transition: start a part of the search, or return the result of a finished part. */
    private sealed interface Transition {
        /** @param number index of the request among the requests of all claims */
        record EnterRequest(int claim, int request, int number) implements Transition {}

        /**
         * Selects a device for an option, from index {@code start} of the order; {@code done} devices are allocated
         * already.
         */
        record SelectDevice(SearchPosition position, int done, int start) implements Transition {}

        record ReturnResult(SearchResult result) implements Transition {}
    }

    private static final Transition NO = new Transition.ReturnResult(SearchResult.INFEASIBLE);
    private static final Transition TOO_MANY = new Transition.ReturnResult(SearchResult.TOO_MANY);
    private static final Transition FAILED = new Transition.ReturnResult(SearchResult.FAILED);

    /**
     * A part of the search that waits for the result of another part. It resumes unless that result is a solution or an
     * error.
     */
    private sealed interface SearchFrame {
        /** The requests of the next claim are in progress. */
        record ClaimFrame() implements SearchFrame {}

        /** An alternative of a request is in progress. */
        final class RequestFrame implements SearchFrame {
            private final int claim;
            private final int request;
            private final int number;
            private final int entry;
            private final Optional<IntKey> memoKey;
            private int alternative;
            private boolean isLimitExceeded = true;

            RequestFrame(int claim, int request, int number, int entry, Optional<IntKey> memoKey) {
                this.claim = claim;
                this.request = request;
                this.number = number;
                this.entry = entry;
                this.memoKey = memoKey;
            }
        }

        /** A device of a request for all devices is allocated. */
        record AllDevicesFrame(SearchPosition position, int device) implements SearchFrame {}

        /** A device is allocated; {@code next} is the order index after it. */
        record DeviceFrame(SearchPosition position, int done, int device, int next, Optional<IntKey> memoKey)
                implements SearchFrame {}
    }

    private Transition resume(SearchFrame frame, SearchResult result) {
        return switch (frame) {
            case SearchFrame.ClaimFrame ofClaim -> NO;
            case SearchFrame.RequestFrame ofRequest -> {
                ofRequest.isLimitExceeded &= result == SearchResult.TOO_MANY;
                ofRequest.alternative++;
                yield alternative(ofRequest);
            }
            case SearchFrame.AllDevicesFrame(SearchPosition position, int device) -> {
                solution.release(position.option, device);
                yield new Transition.ReturnResult(result);
            }
            case SearchFrame.DeviceFrame(
                    SearchPosition position,
                    int done,
                    int device,
                    int from,
                    Optional<IntKey> memoKey) -> {
                solution.release(position.option, device);
                yield result == SearchResult.INFEASIBLE
                        ? tryEach(position, done, from, memoKey)
                        : failed(memoKey, result);
            }
        };
    }

    private Transition enter(int claim, int request, int number) {
        if (claim == problem.requests().size()) {
            return new Transition.ReturnResult(SearchResult.FOUND);
        }
        if (request == problem.requests().get(claim).size()) {
            frames.push(new SearchFrame.ClaimFrame());
            return new Transition.EnterRequest(claim + 1, 0, number);
        }
        Optional<IntKey> memoKey = failedStates.key(steps, 0, number, claim, 0, 0, number);
        Optional<SearchResult> known = failedStates.find(memoKey);
        return known.isPresent()
                ? new Transition.ReturnResult(known.get())
                : alternative(new SearchFrame.RequestFrame(claim, request, number, ++entries, memoKey));
    }

    private Transition alternative(SearchFrame.RequestFrame at) {
        List<RequestOption> alternatives = problem.requests().get(at.claim).get(at.request);
        if (at.alternative == alternatives.size()) {
            return failed(at.memoKey, at.isLimitExceeded ? SearchResult.TOO_MANY : SearchResult.INFEASIBLE);
        }
        frames.push(at);
        var position = new SearchPosition(at.claim, at.request, at.number, at.entry, alternatives.get(at.alternative));
        return new Transition.SelectDevice(position, 0, 0);
    }

    /**
     * Position of the search.
     *
     * @param number index of the request among the requests of all claims
     * @param entry number of the visit of the request; memoized states of different visits differ
     * @param option the alternative in progress
     */
    private record SearchPosition(int claim, int request, int number, int entry, RequestOption option) {}

    private Transition selectDevice(SearchPosition position, int done, int start) {
        if (++steps > options.stepsMax) {
            return new Transition.ReturnResult(SearchResult.BUDGET_EXHAUSTED);
        }
        RequestOption option = position.option;
        if (option.isAllDevices() && allDevices.of(option).length == 0) {
            return NO;
        }
        long open = allDevices.requestedCount(option) - done;
        if (open <= 0) {
            return new Transition.EnterRequest(position.claim, position.request + 1, position.number + 1);
        }
        if (open > AllocationProblem.DEVICES_MAX - solution.resultCount(position.claim)) {
            return TOO_MANY;
        }
        return option.isAllDevices() ? allocateNextOfAll(position, done) : selectOne(position, done, start, open);
    }

    private Transition allocateNextOfAll(SearchPosition position, int done) {
        RequestOption option = position.option;
        int device = allDevices.of(option)[done];
        if (!solution.isAvailable(option, device)
                || !solution.hasCounters(device)
                || solution.eligibility(option, device) != DeviceEligibility.YES) {
            return NO;
        }
        ConstraintState.Admissibility allowed = solution.constraintAdmissibility(option, device);
        if (allowed != ConstraintState.Admissibility.YES) {
            failure = Optional.of(
                    allowed == ConstraintState.Admissibility.FAILED
                            ? new SearchOutcome.SearchFailure.DerivationFailure(option.column(), device)
                            : new SearchOutcome.SearchFailure.ConstraintViolation(option.column(), device));
            return FAILED;
        }
        if (!solution.hasCapacity(option, device)) {
            return NO;
        }
        solution.allocate(option, device);
        frames.push(new SearchFrame.AllDevicesFrame(position, device));
        return new Transition.SelectDevice(position, done + 1, 0);
    }

    private Transition selectOne(SearchPosition position, int done, int start, long open) {
        if (!hasEnoughCandidates(position, start, open)) {
            return NO;
        }
        Optional<IntKey> memoKey = failedStates.key(
                steps, position.entry, position.option.column(), position.claim, done, start, position.number + 1);
        Optional<SearchResult> known = failedStates.find(memoKey);
        return known.isPresent() ? new Transition.ReturnResult(known.get()) : tryEach(position, done, start, memoKey);
    }

    private Transition tryEach(SearchPosition position, int done, int start, Optional<IntKey> memoKey) {
        int[] order = options.orders[position.option.column()];
        for (int i = start; i < order.length; i++) {
            int device = order[i];
            if (!solution.isAvailable(position.option, device)) {
                continue;
            }
            switch (solution.eligibility(position.option, device)) {
                case NO, TAINTED, FEATURE_DISABLED -> {}
                case FAILED -> {
                    if (options.isErrorFatal) {
                        failure = Optional.of(
                                new SearchOutcome.SearchFailure.SelectorFailure(position.option.column(), device));
                        return FAILED;
                    }
                }
                case YES -> {
                    switch (solution.admissibility(position.option, device)) {
                        case YES -> {
                            solution.allocate(position.option, device);
                            frames.push(new SearchFrame.DeviceFrame(position, done, device, i + 1, memoKey));
                            return new Transition.SelectDevice(position, done + 1, i + 1);
                        }
                        case NO -> {}
                        case FAILED -> {
                            if (options.isErrorFatal) {
                                failure = Optional.of(new SearchOutcome.SearchFailure.DerivationFailure(
                                        position.option.column(), device));
                                return FAILED;
                            }
                        }
                    }
                }
            }
        }
        return failed(memoKey, SearchResult.INFEASIBLE);
    }

    /** Returns whether enough candidates remain, or the search would meet an error among them. */
    private boolean hasEnoughCandidates(SearchPosition position, int start, long open) {
        int[] order = options.orders[position.option.column()];
        long found = 0;
        for (int i = start; i < order.length && found < open; i++) {
            if (solution.isAvailable(position.option, order[i])) {
                DeviceEligibility eligible = solution.eligibility(position.option, order[i]);
                if (eligible == DeviceEligibility.FAILED && options.isErrorFatal) {
                    return true;
                }
                ConstraintState.Admissibility allowed = eligible == DeviceEligibility.YES
                        ? solution.admissibility(position.option, order[i])
                        : ConstraintState.Admissibility.NO;
                if (allowed == ConstraintState.Admissibility.FAILED && options.isErrorFatal) {
                    return true;
                }
                found += allowed == ConstraintState.Admissibility.YES ? 1 : 0;
            }
        }
        return found >= open;
    }

    /** Returns a failed result, and stores it for the state. */
    private Transition failed(Optional<IntKey> memoKey, SearchResult result) {
        failedStates.add(memoKey, result);
        return new Transition.ReturnResult(result);
    }
}
