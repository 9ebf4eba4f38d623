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
    private static final long FEW_STEPS_MAX = 12;

    private final Question question;
    private final ScenarioSolver decider;
    private final List<String> violations = new ArrayList<>();

    private Consistency(Question question, ScenarioSolver decider) {
        this.question = question;
        this.decider = decider;
    }

    /** Returns the inconsistencies. */
    static List<String> violations(Question question, ScenarioSolver decider, long stepsMax) {
        var checking = new Consistency(question, decider);
        for (PlacementPolicy policy : PlacementPolicy.values()) {
            checking.check(policy, stepsMax);
        }
        return checking.violations;
    }

    private void check(PlacementPolicy policy, long stepsMax) {
        SortedMap<String, Verdict> byNode = new TreeMap<>();
        question.objects().stream()
                .filter(Node.class::isInstance)
                .map(each -> each.meta().name())
                .forEach(node -> byNode.put(node, verdict(Optional.of(node), policy, stepsMax)));
        byNode.forEach((node, whole) -> few(node, policy, whole));
        amongAll(policy, stepsMax, byNode);
    }

    private Verdict verdict(Optional<String> node, PlacementPolicy policy, long stepsMax) {
        return Verdict.of(decider.solve(node, question.claims(), policy, stepsMax));
    }

    /**
     * With a smaller search budget the outcome is the same or undecided. Under best-fit only the kind must be the same,
     * because the search may stop at an earlier candidate.
     */
    private void few(String node, PlacementPolicy policy, Verdict whole) {
        long steps = 1 + Math.floorMod(question.problem().seed(), FEW_STEPS_MAX);
        Verdict hasty = verdict(Optional.of(node), policy, steps);
        boolean isSame = policy == PlacementPolicy.FIRST_FIT ? hasty.isLike(whole) : hasty.kind() == whole.kind();
        expect(hasty.kind() == Verdict.Kind.UNDECIDED || isSame, policy, "in %d steps".formatted(steps), node);
    }

    /** The claims fit on all nodes exactly if they fit on one; first-fit allocates on the first of these nodes. */
    private void amongAll(PlacementPolicy policy, long stepsMax, SortedMap<String, Verdict> byNode) {
        ScenarioDecision chosen = decider.solve(Optional.empty(), question.claims(), policy, stepsMax);
        Optional<String> first = byNode.entrySet().stream()
                .filter(each -> each.getValue().kind() == Verdict.Kind.FITS)
                .map(Map.Entry::getKey)
                .findFirst();
        if (chosen instanceof ScenarioDecision.Allocated fits) {
            Verdict there =
                    byNode.getOrDefault(fits.node(), new Verdict(Verdict.Kind.ERROR, List.of(), "no such node"));
            expect(Verdict.fits(fits.allocations()).isLike(there), policy, "among all nodes", fits.node());
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
