package dev.claimstream.allocation.solver;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Memoizes the failed states of a search, so that it tries interchangeable devices only once.
 *
 * <p>The key of a state contains everything that determines whether the state fails without an error: the position in
 * the requests; the values of the constraints; the number of allocated devices per equivalence class that later
 * requests can use (with admin access also the number of those allocated by this claim); the consumed counters and
 * capacities; the first allocated device of each constrained request for all devices; and the number of devices of the
 * claim.
 */
final class FailedStates {
    /** Small searches end before memoization pays off. */
    private static final int MEMOIZE_AFTER = 64;

    /** Limit on memoized states, about 100 MB. Beyond it the search repeats work. */
    private static final int STATES_MAX = 250_000;

    /** Memory of a memoized state without its key, in integers of four bytes. */
    private static final int STATE_OVERHEAD = 24;

    private final AllocationProblem problem;
    private final NodeLayout layout;
    private final NodeState state;
    private final PartialSolution solution;
    private final AllDevices allDevices;
    private final List<RequestOption> constrainedAllOptions;
    private final Map<IntKey, Search.SearchResult> results = new LinkedHashMap<>();
    private final Ints key = new Ints();
    private Optional<DeviceEquivalence> equivalence = Optional.empty();
    private long memorySize;

    FailedStates(
            AllocationProblem problem,
            NodeLayout layout,
            NodeState state,
            PartialSolution solution,
            AllDevices allDevices) {
        this.problem = problem;
        this.layout = layout;
        this.state = state;
        this.solution = solution;
        this.allDevices = allDevices;
        this.constrainedAllOptions = problem.constrainedAllOptions();
    }

    /**
     * Returns the key of the current state; absent while the search is small.
     *
     * @param steps steps of the search so far
     * @param entry number of the visit of the request; 0 for a state before a visit
     * @param position column of the option in progress; before a visit, the number of the request
     * @param done number of devices that the option has
     * @param start index in the order of devices
     * @param fromRequest number of the first request that is not complete
     */
    Optional<IntKey> key(long steps, int entry, int position, int claim, int done, int start, int fromRequest) {
        if (steps < MEMOIZE_AFTER) {
            return Optional.empty();
        }
        if (equivalence.isEmpty()) {
            int requests = problem.requests().stream().mapToInt(List::size).sum();
            equivalence = Optional.of(new DeviceEquivalence(problem, layout, state, requests));
        }
        key.clear();
        key.add(entry);
        key.add(position);
        key.add(done);
        key.add(start);
        solution.addToKey(claim, equivalence.get(), fromRequest, key);
        constrainedAllOptions.forEach(option -> key.add(solution.firstAllocated(allDevices.of(option))));
        return Optional.of(new IntKey(key.toArray()));
    }

    /** Returns the result of a state that failed before. */
    Optional<Search.SearchResult> find(Optional<IntKey> state) {
        return state.flatMap(each -> Optional.ofNullable(results.get(each)));
    }

    void add(Optional<IntKey> state, Search.SearchResult result) {
        if (results.size() < STATES_MAX) {
            state.ifPresent(each -> {
                results.put(each, result);
                memorySize += each.size() + STATE_OVERHEAD;
            });
        }
    }

    /** Memory of the memoized states, in integers of four bytes. */
    long memorySize() {
        return memorySize;
    }
}
