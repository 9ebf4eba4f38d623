package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Checks that Claimstream's own outcomes for one problem are consistent, independent of upstream. */
final class Consistency {
    private static final long SMALL_BUDGET_MAX = 12;

    private final UpstreamQuery question;
    private final ScenarioSolver decider;
    private final List<String> violations = new ArrayList<>();

    private Consistency(UpstreamQuery question, ScenarioSolver decider) {
        this.question = question;
        this.decider = decider;
    }

    /** Returns the inconsistencies. */
    static List<String> violations(UpstreamQuery question, ScenarioSolver decider, long stepsMax) {
        var checking = new Consistency(question, decider);
        for (PlacementPolicy policy : PlacementPolicy.values()) {
            checking.check(policy, stepsMax);
        }
        return checking.violations;
    }

    private void check(PlacementPolicy policy, long stepsMax) {
        SortedMap<String, NodeOutcome> byNode = new TreeMap<>();
        question.objects().stream()
                .filter(Node.class::isInstance)
                .map(each -> each.meta().name())
                .forEach(node -> byNode.put(node, solve(Optional.of(node), policy, stepsMax)));
        byNode.forEach((node, whole) -> checkSmallBudget(node, policy, whole));
        checkAllNodes(policy, stepsMax, byNode);
    }

    private NodeOutcome solve(Optional<String> node, PlacementPolicy policy, long stepsMax) {
        return NodeOutcome.of(decider.solve(node, question.claims(), policy, stepsMax));
    }

    /**
     * With a smaller search budget the outcome is the same or undecided. Under best-fit only the kind must be the same,
     * because the search may stop at an earlier candidate.
     */
    private void checkSmallBudget(String node, PlacementPolicy policy, NodeOutcome whole) {
        long steps = 1 + Math.floorMod(question.problem().seed(), SMALL_BUDGET_MAX);
        NodeOutcome hasty = solve(Optional.of(node), policy, steps);
        boolean isSame =
                policy == PlacementPolicy.FIRST_FIT ? hasty.hasSameResult(whole) : hasty.kind() == whole.kind();
        expect(
                hasty.kind() == NodeOutcome.OutcomeKind.UNDECIDED || isSame,
                policy,
                "in %d steps".formatted(steps),
                node);
    }

    /** The claims fit on all nodes exactly if they fit on one; first-fit allocates on the first of these nodes. */
    private void checkAllNodes(PlacementPolicy policy, long stepsMax, SortedMap<String, NodeOutcome> byNode) {
        ScenarioDecision chosen = decider.solve(Optional.empty(), question.claims(), policy, stepsMax);
        Optional<String> first = byNode.entrySet().stream()
                .filter(each -> each.getValue().kind() == NodeOutcome.OutcomeKind.FITS)
                .map(Map.Entry::getKey)
                .findFirst();
        if (chosen instanceof ScenarioDecision.Allocated fits) {
            NodeOutcome there = byNode.getOrDefault(
                    fits.node(), new NodeOutcome(NodeOutcome.OutcomeKind.ERROR, List.of(), "no such node"));
            expect(NodeOutcome.fits(fits.allocations()).hasSameResult(there), policy, "among all nodes", fits.node());
            expect(
                    policy == PlacementPolicy.BEST_FIT || first.equals(Optional.of(fits.node())),
                    policy,
                    "the first node that fits",
                    fits.node());
        } else {
            expect(first.isEmpty(), policy, "fits on a node and not among all", first.orElse(""));
        }
    }

    private void expect(boolean holds, PlacementPolicy policy, String what, String node) {
        if (!holds) {
            violations.add("seed %d, %s, %s, %s".formatted(question.problem().seed(), policy.text(), what, node));
        }
    }
}
