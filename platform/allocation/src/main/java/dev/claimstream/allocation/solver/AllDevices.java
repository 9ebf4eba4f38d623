package dev.claimstream.allocation.solver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The devices of the options with {@code allocationMode: All} on one node, which are fixed before the search.
 *
 * <p>Upstream: {@code validateDeviceRequest} and the device counts of {@code Allocate} in the structured allocator.
 */
final class AllDevices {
    private final AllocationProblem problem;
    private final NodeLayout layout;
    private final List<int[]> byColumn = new ArrayList<>();

    AllDevices(AllocationProblem problem, NodeLayout layout) {
        this.problem = problem;
        this.layout = layout;
    }

    /** Collects the devices, and returns the failure that ends the search before its first step. */
    Optional<SearchOutcome.SearchFailure> collect() {
        for (RequestOption option : problem.options()) {
            byColumn.add(new int[0]);
            Optional<SearchOutcome.SearchFailure> failure = option.isAllDevices() ? collect(option) : Optional.empty();
            if (failure.isPresent()) {
                return failure;
            }
        }
        return exceededLimit();
    }

    private Optional<SearchOutcome.SearchFailure> collect(RequestOption option) {
        if (layout.hasIncompletePool) {
            return Optional.of(new SearchOutcome.SearchFailure.IncompletePool());
        }
        if (layout.hasInvalidPool) {
            return Optional.of(new SearchOutcome.SearchFailure.InvalidPool());
        }
        var devices = new Ints();
        for (int device = 0; device < layout.size; device++) {
            switch (layout.eligibility(device, option.column())) {
                case NO -> {}
                case YES, TAINTED, FEATURE_DISABLED -> devices.add(device);
                case FAILED -> {
                    return Optional.of(new SearchOutcome.SearchFailure.SelectorFailure(option.column(), device));
                }
            }
        }
        byColumn.set(option.column(), devices.toArray());
        return Optional.empty();
    }

    private Optional<SearchOutcome.SearchFailure> exceededLimit() {
        for (List<List<RequestOption>> ofClaim : problem.requests()) {
            long before = 0;
            for (List<RequestOption> alternatives : ofClaim) {
                long fewest = alternatives.stream()
                        .mapToLong(this::requestedCount)
                        .min()
                        .orElse(0);
                if (fewest > AllocationProblem.DEVICES_MAX - before) {
                    return Optional.of(new SearchOutcome.SearchFailure.TooManyDevices(
                            alternatives.getFirst().request(), fewest, before));
                }
                before += fewest;
            }
        }
        return Optional.empty();
    }

    /** Returns the number of devices that an option requests, whether it requests all devices or a count. */
    long requestedCount(RequestOption option) {
        return option.isAllDevices() ? of(option).length : option.spec().count();
    }

    /** Returns the devices of an option for all devices, ascending. */
    int[] of(RequestOption option) {
        return byColumn.get(option.column());
    }
}
