package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Counts, over the whole inventory, the candidates of every option after each filter step; only explanations use it.
 * Nodes of one equivalence class are counted together.
 */
final class FunnelCounter {
    private final AllocationProblem problem;
    private final List<UnallocatedClaim> claims;
    private final NodeClassIndex index;
    private final WorkMeter meter;

    FunnelCounter(AllocationProblem problem, List<UnallocatedClaim> claims, NodeClassIndex index, WorkMeter meter) {
        this.problem = problem;
        this.claims = claims;
        this.index = index;
        this.meter = meter;
    }

    List<Funnel> all() {
        return problem.options().stream().map(this::of).toList();
    }

    private Funnel of(RequestOption option) {
        List<Funnel.FunnelStage> stages = new ArrayList<>();
        long[] passed = passedCounts(option);
        int ofClass = option.deviceClass().selectors().size();
        stages.add(new Funnel.FunnelStage(Funnel.FunnelStep.Known, "", passed[0]));
        stages.add(new Funnel.FunnelStage(
                Funnel.FunnelStep.OfClass, option.deviceClass().meta().name(), passed[ofClass]));
        int filters = option.filters().size();
        for (int i = ofClass + 1; i <= filters; i++) {
            stages.add(
                    new Funnel.FunnelStage(Funnel.FunnelStep.PassesSelector, Integer.toString(i - ofClass), passed[i]));
        }
        if (!option.spec().capacity().isEmpty()) {
            stages.add(new Funnel.FunnelStage(
                    Funnel.FunnelStep.HasCapacity, CapacityAnalysis.amounts(option), passed[filters + 1]));
        }
        addNodeStages(option, stages);
        return new Funnel(
                claims.get(option.claim()).claim(),
                option.resultName(),
                option.deviceClass().meta().name(),
                option.isAllDevices() ? 0 : option.spec().count(),
                stages);
    }

    /**
     * Returns how many devices of the newest generations pass the first selectors; the last element also requires the
     * capacities.
     */
    long[] passedCounts(RequestOption option) {
        index.chargeCount(meter);
        return index.passedCounts(option);
    }

    private void addNodeStages(RequestOption option, List<Funnel.FunnelStage> stages) {
        var counts = new OptionCounts(option);
        index.classes().forEach(counts::add);
        stages.add(new Funnel.FunnelStage(Funnel.FunnelStep.OnAllowedNode, "", counts.onNodes));
        stages.add(new Funnel.FunnelStage(Funnel.FunnelStep.Tolerated, "", counts.tolerated));
        stages.add(new Funnel.FunnelStage(Funnel.FunnelStep.Free, "", counts.free));
        stages.add(new Funnel.FunnelStage(Funnel.FunnelStep.OnOneNode, counts.maxNode, counts.maxCount));
        for (AttributeConstraint constraint : problem.constraints()) {
            if (constraint.appliesTo(option.column()) && !constraint.distinct()) {
                stages.add(new Funnel.FunnelStage(
                        Funnel.FunnelStep.SatisfiesConstraint, detail(constraint, option), counts.supported));
            }
        }
    }

    private String detail(AttributeConstraint constraint, RequestOption option) {
        List<String> others = problem.options().stream()
                .filter(other ->
                        constraint.appliesTo(other.column()) && !other.request().equals(option.request()))
                .map(RequestOption::request)
                .distinct()
                .toList();
        return "the same " + ChoiceRationale.withoutDomain(problem.attributes().get(constraint.attribute()))
                + (others.isEmpty() ? "" : " as " + String.join(" and ", others));
    }

    /** Counts of one option over nodes; a device that several nodes reach counts once. */
    private final class OptionCounts {
        private final RequestOption option;
        private final Set<Object> countedDevices = new LinkedHashSet<>();
        private long onNodes;
        private long tolerated;
        private long free;
        private long supported;
        private long maxCount;
        private String maxNode = "";

        OptionCounts(RequestOption option) {
            this.option = option;
        }

        void add(NodeEquivalenceClass nodeClass) {
            boolean[] partners = ConstraintSupport.supportedDevices(problem, nodeClass, option);
            if (nodeClass.nodes.stream().anyMatch(NodeDeviceView::reachesSharedDevices)) {
                nodeClass.nodes.forEach(node -> add(nodeClass, node, partners, 1));
            } else {
                add(nodeClass, nodeClass.nodes.first(), partners, nodeClass.nodes.size());
            }
        }

        /** @param alike number of nodes with the same counts, this node included */
        private void add(NodeEquivalenceClass nodeClass, NodeDeviceView node, boolean[] partners, int alike) {
            long here = 0;
            for (int i = 0; i < nodeClass.layout.size; i++) {
                DeviceEligibility eligibility = nodeClass.layout.eligibility(i, option.column());
                if (eligibility == DeviceEligibility.NO) {
                    continue;
                }
                boolean fits = eligibility == DeviceEligibility.YES
                        && nodeClass.state.isAllocatable(nodeClass.layout, option, i);
                here += fits ? 1 : 0;
                DeviceCandidate candidate = node.candidates().get(nodeClass.layout.positions[i]);
                if (!candidate.isShared() || countedDevices.add(candidate.usage())) {
                    onNodes += alike;
                    tolerated += eligibility == DeviceEligibility.YES ? alike : 0;
                    free += fits ? alike : 0;
                    supported += fits && partners[i] ? alike : 0;
                }
            }
            if (here > maxCount || (here == maxCount && node.name().compareTo(maxNode) < 0)) {
                maxCount = here;
                maxNode = node.name();
            }
        }
    }
}
