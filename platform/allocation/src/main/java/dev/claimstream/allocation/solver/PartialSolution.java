package dev.claimstream.allocation.solver;

import java.util.Set;

/**
 * The devices that a search has selected so far on one node, with the limits that they leave.
 *
 * <p>Devices are selected and released in stack order.
 */
final class PartialSolution {
    private final AllocationProblem problem;
    private final NodeLayout layout;
    private final NodeState state;
    private final Set<Relaxation> relaxations;
    private final ConstraintState constraintState;
    private final RemainingCapacity remainingCapacity;
    private final int[] allocatedDevices;
    private final boolean[][] allocatedByClaim;
    private final int[] resultCounts;
    private final boolean hasAdminOption;
    private final Ints selectedColumns = new Ints();
    private final Ints selectedDevices = new Ints();

    /** @param relaxations limits to ignore */
    PartialSolution(AllocationProblem problem, NodeLayout layout, NodeState state, Set<Relaxation> relaxations) {
        this.problem = problem;
        this.layout = layout;
        this.state = state;
        this.relaxations = relaxations;
        this.constraintState = new ConstraintState(problem, layout, relaxations);
        this.remainingCapacity = relaxations.contains(Relaxation.ALLOCATIONS)
                ? new RemainingCapacity(
                        layout, layout.partitions.allCounters(), layout.shares.allCapacities(), relaxations)
                : state.remainingCapacity(layout, relaxations);
        this.allocatedDevices = new int[layout.size];
        this.allocatedByClaim = new boolean[problem.requests().size()][layout.size];
        this.resultCounts = new int[problem.requests().size()];
        this.hasAdminOption = problem.hasAdminOption();
    }

    // ---- checks of a device

    /** Admin access ignores other allocations, but a claim never gets a whole device twice. */
    boolean isAvailable(RequestOption option, int device) {
        return option.hasAdminAccess()
                ? !allocatedByClaim[option.claim()][device]
                : allocatedDevices[device] == 0
                        && (state.isAvailable(device) || relaxations.contains(Relaxation.ALLOCATIONS));
    }

    DeviceEligibility eligibility(RequestOption option, int device) {
        DeviceEligibility eligibility = layout.eligibility(device, option.column());
        return eligibility == DeviceEligibility.TAINTED && relaxations.contains(Relaxation.TAINTS)
                ? DeviceEligibility.YES
                : eligibility;
    }

    boolean hasCounters(int device) {
        return remainingCapacity.hasCounters(device);
    }

    boolean hasCapacity(RequestOption option, int device) {
        return remainingCapacity.hasCapacity(option.column(), device);
    }

    ConstraintState.Admissibility constraintAdmissibility(RequestOption option, int device) {
        return constraintState.admissibility(option.column(), device);
    }

    /** Checks remaining counters and capacities, then the constraints. */
    ConstraintState.Admissibility admissibility(RequestOption option, int device) {
        return hasCapacity(option, device) && hasCounters(device)
                ? constraintAdmissibility(option, device)
                : ConstraintState.Admissibility.NO;
    }

    /** Returns the number of devices that a claim has. */
    int resultCount(int claim) {
        return resultCounts[claim];
    }

    // ---- changes

    void allocate(RequestOption option, int device) {
        constraintState.add(option.column(), device);
        remainingCapacity.allocate(option.column(), device);
        if (!layout.shares.isShareable(device)) {
            allocatedDevices[device]++;
            allocatedByClaim[option.claim()][device] = true;
        }
        resultCounts[option.claim()]++;
        selectedColumns.add(option.column());
        selectedDevices.add(device);
    }

    /** Releases the last device. */
    void release(RequestOption option, int device) {
        constraintState.remove(option.column());
        remainingCapacity.release(option.column(), device);
        if (!layout.shares.isShareable(device)) {
            allocatedDevices[device]--;
            allocatedByClaim[option.claim()][device] = false;
        }
        resultCounts[option.claim()]--;
        selectedColumns.removeLast();
        selectedDevices.removeLast();
    }

    // ---- results

    /** Returns the selected devices with their score, when every request has its devices. */
    SearchOutcome.Solution solution(long steps) {
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

    /**
     * Adds what determines the rest of the search to a key.
     *
     * @param claim the claim in progress
     * @param fromRequest index of the first request that is not complete
     */
    void addToKey(int claim, DeviceEquivalence equivalence, int fromRequest, Ints key) {
        key.add(resultCounts[claim]);
        constraintState.addToKey(claim, key);
        remainingCapacity.addToKey(equivalence, key);
        equivalence.addAllocated(device -> allocatedDevices[device] > 0, fromRequest, key);
        if (hasAdminOption) {
            equivalence.addAllocated(device -> allocatedByClaim[claim][device], fromRequest, key);
        }
    }

    /** Returns the index of the first allocated device; the length of the array if there is none. */
    int firstAllocated(int[] devices) {
        int first = 0;
        while (first < devices.length && allocatedDevices[devices[first]] == 0) {
            first++;
        }
        return first;
    }
}
