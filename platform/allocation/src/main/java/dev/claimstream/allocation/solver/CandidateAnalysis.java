package dev.claimstream.allocation.solver;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds a request with too few matching devices, allocated or not. */
final class CandidateAnalysis {
    private final AllocationProblem problem;
    private final NodeClassIndex index;
    private final WorkMeter meter;

    CandidateAnalysis(AllocationProblem problem, NodeClassIndex index, WorkMeter meter) {
        this.problem = problem;
        this.index = index;
        this.meter = meter;
    }

    /** Returns the reason if a class or a selector matches no device of the cluster. */
    Optional<AllocationPlan.PendingDiagnosis> noMatch() {
        var funnels = new FunnelCounter(problem, List.of(), index, meter);
        for (List<RequestOption> alternatives :
                problem.requests().stream().flatMap(List::stream).toList()) {
            if (alternatives.size() == 1) {
                RequestOption option = alternatives.getFirst();
                long[] passed = funnels.passedCounts(option);
                int ofClass = option.deviceClass().selectors().size();
                if (passed[ofClass] == 0) {
                    return Optional.of(AllocationPlan.PendingDiagnosis.of(
                            Reason.ClassMatchesNoDevice,
                            "class %s selects none of %d devices"
                                    .formatted(option.deviceClass().meta().name(), passed[0])));
                }
                for (int i = ofClass + 1; i <= option.filters().size(); i++) {
                    if (passed[i] == 0) {
                        return Optional.of(AllocationPlan.PendingDiagnosis.of(
                                Reason.SelectorMatchesNoDevice,
                                "selector %d of request %s matches none of %d %s"
                                        .formatted(
                                                i - ofClass,
                                                option.resultName(),
                                                passed[i - 1],
                                                option.deviceClass().meta().name())));
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Returns the reason if no node has as many matching devices as a request asks for. */
    Optional<AllocationPlan.PendingDiagnosis> tooFewOnOneNode() {
        for (List<RequestOption> alternatives :
                problem.requests().stream().flatMap(List::stream).toList()) {
            Optional<AllocationPlan.PendingDiagnosis> missing = tooFewOnOneNode(alternatives);
            if (missing.isPresent()) {
                return missing;
            }
        }
        return Optional.empty();
    }

    private Optional<AllocationPlan.PendingDiagnosis> tooFewOnOneNode(List<RequestOption> alternatives) {
        Optional<AllocationPlan.PendingDiagnosis> first = Optional.empty();
        for (RequestOption option : alternatives) {
            long requested = option.isAllDevices() ? 1 : option.spec().count();
            Optional<LargestNode> largest = index.classes().stream()
                    .map(each -> LargestNode.of(each, option))
                    .min(LargestNode.ORDER);
            long most = largest.map(LargestNode::matching).orElse(0L);
            if (most >= requested) {
                return Optional.empty();
            }
            String text = "%s on one node, the largest has %d in all".formatted(option.requestedText(), most);
            Optional<AllocationPlan.NearestNode> nearest = largest.filter(each -> each.matching > 0)
                    .map(each -> new AllocationPlan.NearestNode(
                            each.node,
                            "%s has %d of %d, counting allocated devices".formatted(each.node, most, requested),
                            List.of()));
            first = first.or(() ->
                    Optional.of(new AllocationPlan.PendingDiagnosis(Reason.InsufficientDevicesPerNode, text, nearest)));
        }
        return first;
    }

    /**
     * Number of matching devices on the nodes of a class for an option.
     *
     * @param tolerated number of matching devices without untolerated taints
     */
    private record LargestNode(String node, long matching, long tolerated) {
        private static final Comparator<LargestNode> ORDER = Comparator.comparingLong(LargestNode::matching)
                .thenComparingLong(LargestNode::tolerated)
                .reversed()
                .thenComparing(LargestNode::node);

        static LargestNode of(NodeEquivalenceClass nodeClass, RequestOption option) {
            long tolerated = 0;
            for (int device = 0; device < nodeClass.layout.size; device++) {
                tolerated += nodeClass.layout.eligibility(device, option.column()) == DeviceEligibility.YES ? 1 : 0;
            }
            return new LargestNode(nodeClass.nodes.first().name(), nodeClass.layout.matchingCount(option), tolerated);
        }
    }
}
