package dev.claimstream.allocation.solver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Backtracking search of kube-scheduler's structured allocator ({@code allocateOne}), with three additions. They change
 * neither the first solution nor an error that the search meets before it.
 *
 * <ul>
 *   <li>Pruning: a request with too few remaining candidates fails at once.
 *   <li>Memoization: a failed state is stored under a key, so that the search tries interchangeable devices only once.
 *   <li>Step counting: each step counts against the search budget.
 * </ul>
 *
 * <p>The key of a state contains everything that determines whether the state fails without an error: the position in
 * the requests; the values of the constraints; the number of allocated devices per equivalence class that later
 * requests can use (with admin access also the number of those allocated by this claim); the consumed counters and
 * capacities; the first allocated device of each constrained request for all devices; and the number of devices of the
 * claim.
 *
 * <p>The stack is explicit, so that the search can stop after any step and continue later with the same outcome and
 * steps.
 */
final class Search {
    /** Small searches end before memoization pays off. */
    private static final int MEMOIZE_AFTER = 64;

    /** Limit on memoized states, about 100 MB. Beyond it the search repeats work. */
    private static final int MEMOIZED_MAX = 250_000;

    /** Memory of a memoized state without its key, in integers of four bytes. */
    private static final int MEMOIZED_OVERHEAD = 24;

    private enum SearchResult {
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
    private final NodeLayout layout;
    private final NodeState state;
    private final SearchOptions options;
    private final ConstraintState constraintState;
    private final RemainingCapacity remainingCapacity;
    private final int requests;
    private final boolean hasAdminOption;
    private final List<RequestOption> constrainedAllOptions;
    private final List<int[]> allDevices = new ArrayList<>();
    private final int[] allocatedDevices;
    private final boolean[][] allocatedByClaim;
    private final int[] results;
    private final Ints selectedColumns = new Ints();
    private final Ints selectedDevices = new Ints();
    private final Map<IntKey, SearchResult> failedStates = new LinkedHashMap<>();
    private final Ints key = new Ints();
    private long memoized;
    private Optional<DeviceEquivalence> equivalence = Optional.empty();
    private Optional<SearchOutcome.SearchFailure> failure = Optional.empty();
    private final Deque<SearchFrame> frames = new ArrayDeque<>();
    private Transition next = new Transition.EnterRequest(0, 0, 0);
    private boolean isStarted;
    private long steps;
    private int entries;

    Search(AllocationProblem problem, NodeLayout layout, NodeState state, SearchOptions manner) {
        this.problem = problem;
        this.layout = layout;
        this.state = state;
        this.options = manner;
        this.constraintState = new ConstraintState(problem, layout, manner.relaxations);
        this.remainingCapacity = manner.relaxations.contains(Relaxation.ALLOCATIONS)
                ? new RemainingCapacity(
                        layout, layout.partitions.allCounters(), layout.shares.allCapacities(), manner.relaxations)
                : state.remainingCapacity(layout, manner.relaxations);
        this.requests = problem.requests().stream().mapToInt(List::size).sum();
        this.hasAdminOption = problem.hasAdminOption();
        this.constrainedAllOptions = problem.constrainedAllOptions();
        this.allocatedDevices = new int[layout.size];
        this.allocatedByClaim = new boolean[problem.requests().size()][layout.size];
        this.results = new int[problem.requests().size()];
    }

    /**
     * Continues until a solution, a failure, or the end of the search.
     *
     * @param stepsNow limit on steps, earlier calls included
     * @return empty if the limit was reached first
     */
    Optional<SearchOutcome> advance(long stepsNow) {
        if (!isStarted && problem.hasAllDevicesOption() && collectFails()) {
            return Optional.of(failedOutcome());
        }
        isStarted = true;
        while (true) {
            switch (next) {
                case Transition.EnterRequest(int claim, int request, int number) ->
                    next = enter(claim, request, number);
                case Transition.SelectDevice(SearchPosition place, int done, int start) -> {
                    if (steps >= stepsNow) {
                        return Optional.empty();
                    }
                    next = selectDevice(place, done, start);
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
            case FOUND -> solution();
            case INFEASIBLE, TOO_MANY -> noSolution();
            case FAILED -> failedOutcome();
            case BUDGET_EXHAUSTED -> new SearchOutcome.BudgetExhausted(steps);
        };
    }

    /** Memory of the memoized states, in integers of four bytes. */
    long memoized() {
        return memoized;
    }

    long steps() {
        return steps;
    }

    private SearchOutcome noSolution() {
        return layout.hasInvalidPool
                ? new SearchOutcome.Failed(new SearchOutcome.SearchFailure.InvalidPool(), steps)
                : new SearchOutcome.NoSolution(steps);
    }

    private SearchOutcome failedOutcome() {
        return new SearchOutcome.Failed(failure.orElseThrow(), steps);
    }

    private SearchOutcome solution() {
        int[] columns = selectedColumns.toArray();
        int[] devices = selectedDevices.toArray();
        int preference = 0;
        long grade = 0;
        long cost = 0;
        long room = 0;
        int used = 0;
        for (int i = 0; i < devices.length; i++) {
            RequestOption option = problem.options().get(columns[i]);
            preference += option.preference();
            grade += layout.grade(devices[i], option);
            cost += state.cost(devices[i]);
            room += state.remainingShare(devices[i]);
            used += state.isUnallocated(devices[i]) ? 1 : 0;
        }
        int left = state.unallocatedCount() - used;
        return new SearchOutcome.Solution(
                columns,
                devices,
                new Score(preference, grade, cost, left, left + state.unallocatedOthers(), room),
                steps);
    }

    // ---- options for all devices: fixed before the search
    // ------------------------------------------------------------------------

    private boolean collectFails() {
        for (RequestOption option : problem.options()) {
            allDevices.add(new int[0]);
            if (option.isAllDevices() && collectFails(option)) {
                return true;
            }
        }
        for (List<List<RequestOption>> ofClaim : problem.requests()) {
            long before = 0;
            for (List<RequestOption> options : ofClaim) {
                long fewest =
                        options.stream().mapToLong(this::requestedCount).min().orElse(0);
                if (fewest > AllocationProblem.DEVICES_MAX - before) {
                    return fail(new SearchOutcome.SearchFailure.TooManyDevices(
                            options.getFirst().request(), fewest, before));
                }
                before += fewest;
            }
        }
        return false;
    }

    private boolean collectFails(RequestOption option) {
        if (layout.hasIncompletePool) {
            return fail(new SearchOutcome.SearchFailure.IncompletePool());
        }
        if (layout.hasInvalidPool) {
            return fail(new SearchOutcome.SearchFailure.InvalidPool());
        }
        var devices = new Ints();
        for (int device = 0; device < layout.size; device++) {
            switch (layout.eligibility(device, option.column())) {
                case NO -> {}
                case YES, TAINTED, FEATURE_DISABLED -> devices.add(device);
                case FAILED -> {
                    return fail(new SearchOutcome.SearchFailure.SelectorError(option.column(), device));
                }
            }
        }
        allDevices.set(option.column(), devices.toArray());
        return false;
    }

    private boolean fail(SearchOutcome.SearchFailure what) {
        failure = Optional.of(what);
        return true;
    }

    private long requestedCount(RequestOption option) {
        return option.isAllDevices()
                ? allDevices.get(option.column()).length
                : option.spec().count();
    }

    // ---- the search
    // ------------------------------------------------------------------------------------------------------------

    /** Next transition: start a part of the search, or return the result of a finished part. */
    private sealed interface Transition {
        /** @param number index of the request among the requests of all claims */
        record EnterRequest(int claim, int request, int number) implements Transition {}

        /**
         * Selects a device for an option, from index {@code start} of the order; {@code done} devices are allocated
         * already.
         */
        record SelectDevice(SearchPosition place, int done, int start) implements Transition {}

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

            RequestFrame(int claim, int request, int number, int entry, Optional<IntKey> looks) {
                this.claim = claim;
                this.request = request;
                this.number = number;
                this.entry = entry;
                this.memoKey = looks;
            }
        }

        /** A device of a request for all devices is allocated. */
        record AllDevicesFrame(SearchPosition place, int device) implements SearchFrame {}

        /** A device is allocated; {@code next} is the order index after it. */
        record DeviceFrame(SearchPosition place, int done, int device, int next, Optional<IntKey> memoKey)
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
            case SearchFrame.AllDevicesFrame(SearchPosition place, int device) -> {
                release(place, device);
                yield new Transition.ReturnResult(result);
            }
            case SearchFrame.DeviceFrame(
                    SearchPosition place,
                    int done,
                    int device,
                    int from,
                    Optional<IntKey> looks) -> {
                release(place, device);
                yield result == SearchResult.INFEASIBLE ? tryEach(place, done, from, looks) : memoized(looks, result);
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
        Optional<IntKey> looks = memoKey(0, number, claim, 0, 0, number);
        Optional<SearchResult> known = looks.flatMap(each -> Optional.ofNullable(failedStates.get(each)));
        return known.isPresent()
                ? new Transition.ReturnResult(known.get())
                : alternative(new SearchFrame.RequestFrame(claim, request, number, ++entries, looks));
    }

    private Transition alternative(SearchFrame.RequestFrame at) {
        List<RequestOption> alternatives = problem.requests().get(at.claim).get(at.request);
        if (at.alternative == alternatives.size()) {
            return memoized(at.memoKey, at.isLimitExceeded ? SearchResult.TOO_MANY : SearchResult.INFEASIBLE);
        }
        frames.push(at);
        var place = new SearchPosition(at.claim, at.request, at.number, at.entry, alternatives.get(at.alternative));
        return new Transition.SelectDevice(place, 0, 0);
    }

    /**
     * Position of the search.
     *
     * @param number index of the request among the requests of all claims
     * @param entry number of the visit of the request; memoized states of different visits differ
     * @param option the alternative in progress
     */
    private record SearchPosition(int claim, int request, int number, int entry, RequestOption option) {}

    private Transition selectDevice(SearchPosition place, int done, int start) {
        if (++steps > options.stepsMax) {
            return new Transition.ReturnResult(SearchResult.BUDGET_EXHAUSTED);
        }
        RequestOption option = place.option;
        if (option.isAllDevices() && allDevices.get(option.column()).length == 0) {
            return NO;
        }
        long open = requestedCount(option) - done;
        if (open <= 0) {
            return new Transition.EnterRequest(place.claim, place.request + 1, place.number + 1);
        }
        if (open > AllocationProblem.DEVICES_MAX - results[place.claim]) {
            return TOO_MANY;
        }
        return option.isAllDevices() ? allocateNextOfAll(place, done) : selectOne(place, done, start, open);
    }

    private Transition allocateNextOfAll(SearchPosition place, int done) {
        RequestOption option = place.option;
        int device = allDevices.get(option.column())[done];
        if (!isAvailable(place, device)
                || !remainingCapacity.hasCounters(device)
                || eligibility(option, device) != DeviceEligibility.YES) {
            return NO;
        }
        ConstraintState.Admissibility allowed = constraintState.admissibility(option.column(), device);
        if (allowed != ConstraintState.Admissibility.YES) {
            fail(
                    allowed == ConstraintState.Admissibility.FAILED
                            ? new SearchOutcome.SearchFailure.DerivationError(option.column(), device)
                            : new SearchOutcome.SearchFailure.ConstraintViolation(option.column(), device));
            return FAILED;
        }
        if (!remainingCapacity.hasCapacity(option.column(), device)) {
            return NO;
        }
        allocate(place, device);
        frames.push(new SearchFrame.AllDevicesFrame(place, device));
        return new Transition.SelectDevice(place, done + 1, 0);
    }

    private Transition selectOne(SearchPosition place, int done, int start, long open) {
        if (!hasEnoughCandidates(place, start, open)) {
            return NO;
        }
        Optional<IntKey> looks =
                memoKey(place.entry, place.option.column(), place.claim, done, start, place.number + 1);
        Optional<SearchResult> known = looks.flatMap(each -> Optional.ofNullable(failedStates.get(each)));
        return known.isPresent() ? new Transition.ReturnResult(known.get()) : tryEach(place, done, start, looks);
    }

    private Transition tryEach(SearchPosition place, int done, int start, Optional<IntKey> looks) {
        int[] order = options.orders[place.option.column()];
        for (int i = start; i < order.length; i++) {
            int device = order[i];
            if (!isAvailable(place, device)) {
                continue;
            }
            switch (eligibility(place.option, device)) {
                case NO, TAINTED, FEATURE_DISABLED -> {}
                case FAILED -> {
                    if (options.isErrorFatal) {
                        fail(new SearchOutcome.SearchFailure.SelectorError(place.option.column(), device));
                        return FAILED;
                    }
                }
                case YES -> {
                    switch (admissibility(place.option, device)) {
                        case YES -> {
                            allocate(place, device);
                            frames.push(new SearchFrame.DeviceFrame(place, done, device, i + 1, looks));
                            return new Transition.SelectDevice(place, done + 1, i + 1);
                        }
                        case NO -> {}
                        case FAILED -> {
                            if (options.isErrorFatal) {
                                fail(new SearchOutcome.SearchFailure.DerivationError(place.option.column(), device));
                                return FAILED;
                            }
                        }
                    }
                }
            }
        }
        return memoized(looks, SearchResult.INFEASIBLE);
    }

    /** Returns whether enough candidates remain, or the search would meet an error among them. */
    private boolean hasEnoughCandidates(SearchPosition place, int start, long open) {
        int[] order = options.orders[place.option.column()];
        long found = 0;
        for (int i = start; i < order.length && found < open; i++) {
            if (isAvailable(place, order[i])) {
                DeviceEligibility verdict = eligibility(place.option, order[i]);
                if (verdict == DeviceEligibility.FAILED && options.isErrorFatal) {
                    return true;
                }
                ConstraintState.Admissibility allowed = verdict == DeviceEligibility.YES
                        ? admissibility(place.option, order[i])
                        : ConstraintState.Admissibility.NO;
                if (allowed == ConstraintState.Admissibility.FAILED && options.isErrorFatal) {
                    return true;
                }
                found += allowed == ConstraintState.Admissibility.YES ? 1 : 0;
            }
        }
        return found >= open;
    }

    private DeviceEligibility eligibility(RequestOption option, int device) {
        DeviceEligibility verdict = layout.eligibility(device, option.column());
        return verdict == DeviceEligibility.TAINTED && options.relaxations.contains(Relaxation.TAINTS)
                ? DeviceEligibility.YES
                : verdict;
    }

    /** Checks remaining counters and capacities, then the constraints. */
    private ConstraintState.Admissibility admissibility(RequestOption option, int device) {
        return remainingCapacity.hasCapacity(option.column(), device) && remainingCapacity.hasCounters(device)
                ? constraintState.admissibility(option.column(), device)
                : ConstraintState.Admissibility.NO;
    }

    /** Admin access ignores other allocations, but a claim never gets a whole device twice. */
    private boolean isAvailable(SearchPosition place, int device) {
        return place.option.hasAdminAccess()
                ? !allocatedByClaim[place.claim][device]
                : allocatedDevices[device] == 0
                        && (state.isAvailable(device) || options.relaxations.contains(Relaxation.ALLOCATIONS));
    }

    private void allocate(SearchPosition place, int device) {
        constraintState.add(place.option.column(), device);
        remainingCapacity.allocate(place.option.column(), device);
        if (!layout.shares.isShareable(device)) {
            allocatedDevices[device]++;
            allocatedByClaim[place.claim][device] = true;
        }
        results[place.claim]++;
        selectedColumns.add(place.option.column());
        selectedDevices.add(device);
    }

    private void release(SearchPosition place, int device) {
        constraintState.remove(place.option.column());
        remainingCapacity.release(place.option.column(), device);
        if (!layout.shares.isShareable(device)) {
            allocatedDevices[device]--;
            allocatedByClaim[place.claim][device] = false;
        }
        results[place.claim]--;
        selectedColumns.removeLast();
        selectedDevices.removeLast();
    }

    // ---- memoized states
    // ----------------------------------------------------------------------------------------------------

    private Optional<IntKey> memoKey(int entry, int place, int claim, int done, int start, int fromRequest) {
        if (steps < MEMOIZE_AFTER) {
            return Optional.empty();
        }
        if (equivalence.isEmpty()) {
            equivalence = Optional.of(new DeviceEquivalence(problem, layout, state, requests));
        }
        key.clear();
        key.add(entry);
        key.add(place);
        key.add(done);
        key.add(start);
        key.add(results[claim]);
        constraintState.addToKey(claim, key);
        remainingCapacity.addToKey(equivalence.get(), key);
        equivalence.get().addAllocated(device -> allocatedDevices[device] > 0, fromRequest, key);
        if (hasAdminOption) {
            equivalence.get().addAllocated(device -> allocatedByClaim[claim][device], fromRequest, key);
        }
        constrainedAllOptions.forEach(option -> key.add(firstAllocated(allDevices.get(option.column()))));
        return Optional.of(new IntKey(key.toArray()));
    }

    private int firstAllocated(int[] devices) {
        int first = 0;
        while (first < devices.length && allocatedDevices[devices[first]] == 0) {
            first++;
        }
        return first;
    }

    private Transition memoized(Optional<IntKey> looks, SearchResult result) {
        if (failedStates.size() < MEMOIZED_MAX) {
            looks.ifPresent(each -> {
                failedStates.put(each, result);
                memoized += each.size() + MEMOIZED_OVERHEAD;
            });
        }
        return new Transition.ReturnResult(result);
    }
}
