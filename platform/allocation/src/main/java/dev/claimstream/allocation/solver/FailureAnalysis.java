package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Describes a failure that ended the search on a node. */
final class FailureAnalysis {
    private final AllocationProblem problem;
    private final ReachabilityAnalysis reachability;

    FailureAnalysis(AllocationProblem problem, ReachabilityAnalysis reachability) {
        this.problem = problem;
        this.reachability = reachability;
    }

    AllocationPlan.PendingDiagnosis diagnosis(NodeRanking.FailedNode failing) {
        String node = failing.node().name();
        return switch (failing.failure()) {
            case SearchOutcome.SearchFailure.SelectorFailure of -> {
                DeviceCandidate device = failing.candidate(of.device());
                RequestOption option = problem.options().get(of.column());
                yield AllocationPlan.PendingDiagnosis.of(
                        Reason.SelectorError,
                        option.failure(problem, device).orElse("a selector failed on node " + node));
            }
            case SearchOutcome.SearchFailure.DerivationFailure of -> {
                DeviceCandidate device = failing.candidate(of.device());
                yield AllocationPlan.PendingDiagnosis.of(
                        Reason.SelectorError,
                        problem.constraints().stream()
                                .filter(constraint -> constraint.appliesTo(of.column()))
                                .map(constraint -> problem.sources().get(constraint.source(of.column())))
                                .flatMap(source -> source.failure(device).stream())
                                .findFirst()
                                .orElse("a derived attribute failed on node " + node));
            }
            case SearchOutcome.SearchFailure.IncompletePool incomplete ->
                AllocationPlan.PendingDiagnosis.of(
                        Reason.PoolIncomplete,
                        "asks for all devices, but resource pool %s is currently being updated%s"
                                .formatted(
                                        failing.node().incompletePools().getFirst(),
                                        reachability
                                                .disabledFeature(failing.node()
                                                        .incompletePools()
                                                        .getFirst())
                                                .map(each -> ": " + each)
                                                .orElse("")));
            case SearchOutcome.SearchFailure.InvalidPool invalid ->
                AllocationPlan.PendingDiagnosis.of(
                        Reason.PoolInvalid,
                        "invalid resource pools were encountered: %s is inconsistent (two devices or counter sets with one name, or undeclared counters)"
                                .formatted(failing.node().invalidPools().getFirst()));
            case SearchOutcome.SearchFailure.ConstraintViolation against -> allAgainstConstraint(failing, against);
            case SearchOutcome.SearchFailure.TooManyDevices tooMany ->
                AllocationPlan.PendingDiagnosis.of(Reason.LimitExceeded, tooMany.message());
        };
    }

    /** Reports the set of all devices first and upstream's message last, because upstream names only one device. */
    private AllocationPlan.PendingDiagnosis allAgainstConstraint(
            NodeRanking.FailedNode failing, SearchOutcome.SearchFailure.ConstraintViolation against) {
        RequestOption option = problem.options().get(against.column());
        List<DeviceCandidate> all = IntStream.range(0, failing.nodeClass().layout.size)
                .filter(device ->
                        failing.nodeClass().layout.eligibility(device, option.column()) != DeviceEligibility.NO)
                .mapToObj(device -> failing.candidate(device))
                .toList();
        String node = failing.node().name();
        String spread = problem.constraints().stream()
                .filter(constraint -> constraint.appliesTo(option.column()))
                .map(constraint ->
                        AttributeCounts.of(problem, constraint, option, all).text())
                .collect(Collectors.joining("; "));
        String nearest = "request %s takes all %d matching %s of node %s (allocationMode All): %s"
                .formatted(
                        option.resultName(),
                        all.size(),
                        option.deviceClass().meta().name(),
                        node,
                        spread);
        return new AllocationPlan.PendingDiagnosis(
                Reason.ConstraintUnsatisfied,
                "%s; request %s: cannot add device %s because a claim constraint would not be satisfied"
                        .formatted(
                                nearest,
                                option.resultName(),
                                failing.candidate(against.device()).usage().device()),
                Optional.of(new AllocationPlan.NearestNode(node, nearest, List.of())));
    }
}
