package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Quantity;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds a request that fails only because of its capacity requests, with every device unallocated. One node has enough
 * devices for its selectors, but they lack the capacity, have less of it, or have a request policy that excludes the
 * amount.
 */
final class CapacityAnalysis {
    private final AllocationProblem problem;
    private final NodeClassIndex index;
    private final WorkMeter meter;

    CapacityAnalysis(AllocationProblem problem, NodeClassIndex index, WorkMeter meter) {
        this.problem = problem;
        this.meter = meter;
        this.index = index;
    }

    /** Formats the requested capacities of an option. */
    static String amounts(RequestOption option) {
        return option.spec().capacity().entrySet().stream()
                .map(each -> "%s of %s".formatted(each.getValue(), each.getKey()))
                .collect(Collectors.joining(" and "));
    }

    /** Returns the reason if every alternative of a request fails because of its capacity requests. */
    Optional<AllocationPlan.PendingDiagnosis> diagnosis() {
        if (!problem.features().has(Feature.CONSUMABLE_CAPACITY)) {
            return Optional.empty();
        }
        return problem.requests().stream()
                .flatMap(List::stream)
                .flatMap(alternatives -> unsatisfied(alternatives).stream())
                .findFirst();
    }

    private Optional<AllocationPlan.PendingDiagnosis> unsatisfied(List<RequestOption> alternatives) {
        List<Optional<AllocationPlan.PendingDiagnosis>> each =
                alternatives.stream().map(this::unsatisfied).toList();
        return each.stream().allMatch(Optional::isPresent) ? each.getFirst() : Optional.empty();
    }

    /**
     * Number of devices of a node that match the selectors of a request, and of those that also satisfy its capacities.
     */
    private record CandidateNode(NodeDeviceView node, long matching, long sufficient) {}

    private Optional<AllocationPlan.PendingDiagnosis> unsatisfied(RequestOption option) {
        long requested = option.isAllDevices() ? 1 : option.spec().count();
        Optional<CandidateNode> largest = Optional.empty();
        meter.charge(WorkMeter.LOOKUP * Math.max(1, option.filters().size()) * devices());
        for (NodeEquivalenceClass each : index.classes()) {
            CandidateNode here = candidates(option, each.nodes.first());
            if (here.sufficient >= requested) {
                return Optional.empty();
            }
            if (here.matching >= requested
                    && largest.filter(before -> !isNearer(here, before)).isEmpty()) {
                largest = Optional.of(here);
            }
        }
        return largest.map(each -> diagnosis(option, requested, each));
    }

    /**
     * Number of devices on one node of each class. The charge uses this number because the number of visited devices
     * depends on the order of the classes.
     */
    private long devices() {
        return index.classes().stream()
                .mapToLong(each -> each.nodes.first().candidates().size())
                .sum();
    }

    private static boolean isNearer(CandidateNode one, CandidateNode other) {
        return one.sufficient != other.sufficient
                ? one.sufficient > other.sufficient
                : one.node.compareTo(other.node) < 0;
    }

    private CandidateNode candidates(RequestOption option, NodeDeviceView node) {
        long passing = 0;
        long serving = 0;
        for (DeviceCandidate candidate : node.candidates()) {
            if (isMatching(option, candidate)) {
                passing++;
                serving += problem.consumption(option, candidate.device())
                                instanceof CapacityConsumption.UnsatisfiableCapacity
                        ? 0
                        : 1;
            }
        }
        return new CandidateNode(node, passing, serving);
    }

    private static boolean isMatching(RequestOption option, DeviceCandidate candidate) {
        return candidate.isReachable()
                && option.passedFilters(candidate.driver(), candidate.device())
                        == option.filters().size();
    }

    // ---- texts
    // --------------------------------------------------------------------------------------------------------------

    private AllocationPlan.PendingDiagnosis diagnosis(RequestOption option, long requested, CandidateNode nearest) {
        String obstacle = nearest.node.candidates().stream()
                .filter(candidate -> isMatching(option, candidate))
                .flatMap(candidate -> problem.consumption(option, candidate.device())
                                instanceof CapacityConsumption.UnsatisfiableCapacity unfit
                        ? Optional.of(text(option, candidate, unfit)).stream()
                        : Optional.<String>empty().stream())
                .findFirst()
                .orElse("");
        String node = nearest.node.name();
        String miss = "%s has %d of %d: %s".formatted(node, nearest.sufficient, requested, obstacle);
        return new AllocationPlan.PendingDiagnosis(
                Reason.CapacityExceeded,
                "no node has %s with the capacity that request %s consumes, nearest: %s"
                        .formatted(option.requestedText(), option.resultName(), miss),
                Optional.of(new AllocationPlan.NearestNode(node, miss, List.of())));
    }

    private static String text(
            RequestOption option, DeviceCandidate candidate, CapacityConsumption.UnsatisfiableCapacity unfit) {
        String device = candidate.usage().device().device();
        String name = unfit.capacity();
        Optional<Quantity> requested =
                Optional.ofNullable(option.spec().capacity().get(name));
        Optional<DeviceCapacity> capacity =
                Optional.ofNullable(candidate.device().capacity().get(name));
        if (capacity.isEmpty() || unfit.amount().isEmpty()) {
            return "request %s asks for %s of %s, and %s has no capacity of that name%s"
                    .formatted(
                            option.resultName(),
                            requested.map(Quantity::toString).orElse("an amount"),
                            name,
                            device,
                            candidate.device().capacity().isEmpty()
                                    ? ""
                                    : ", only "
                                            + Shortage.joinNames(List.copyOf(candidate
                                                    .device()
                                                    .capacity()
                                                    .keySet())));
        }
        String demand = new Shortage.CapacityDemand(
                        option.resultName(),
                        name,
                        requested,
                        unfit.amount().get(),
                        capacity.get().policy().isPresent())
                .text();
        return switch (unfit.violation()) {
            case ABSENT, INSUFFICIENT ->
                "%s, and %s has %s in all"
                        .formatted(demand, device, capacity.get().value());
            case FORBIDDEN ->
                "%s, and the request policy of %s allows %s"
                        .formatted(
                                demand,
                                device,
                                capacity.get()
                                        .policy()
                                        .map(CapacityAnalysis::allowed)
                                        .orElse("nothing"));
        };
    }

    private static String allowed(DeviceCapacity.RequestPolicy policy) {
        if (policy.validRange().isPresent()) {
            DeviceCapacity.Range range = policy.validRange().get();
            return range.min().map(min -> "at least " + min).orElse("any amount")
                    + range.max().map(max -> ", at most " + max).orElse("")
                    + range.step().map(step -> ", in steps of " + step).orElse("");
        }
        return policy.validValues().stream().map(Quantity::toString).collect(Collectors.joining(", "));
    }
}
