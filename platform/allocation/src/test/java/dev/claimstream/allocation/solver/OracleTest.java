package dev.claimstream.allocation.solver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.oracle.AllocationValidator;
import dev.claimstream.allocation.oracle.OracleAllocator;
import dev.claimstream.allocation.oracle.OracleProblem;
import dev.claimstream.allocation.oracle.OracleProblemGenerator;
import dev.claimstream.allocation.oracle.OracleProblemGenerator.ProblemFamily;
import dev.claimstream.allocation.oracle.OracleResult;
import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the solver with a naive search on thousands of small random problems.
 *
 * <p>A failure prints the seed and the problem.
 */
class OracleTest {
    private static final TextSelectors SELECTORS = new TextSelectors();
    private static final long STEPS_MAX = 5_000_000;
    private static final int UNDIVIDED_MAX = 100;

    /** The kind of result of a search on one node or on all nodes. */
    private enum SolverOutcomeKind {
        FITS,
        NO,
        ERROR
    }

    private record SolverOutcome(
            SolverOutcomeKind kind, Optional<String> node, List<Allocation> allocations, long steps, String text) {}

    /** The seeds of this part. The few problems with long searches are not divided. */
    private static long[] seeds(long from, long to) {
        return (to - from < UNDIVIDED_MAX ? LongStream.range(from, to) : Campaign.seeds(from, to - from)).toArray();
    }

    @ParameterizedTest(name = "{0}: part of seeds {1} to {2}")
    @CsvSource({"MIXED, 1000000, 1006000", "SCARCE, 2000000, 2002000", "LONG, 5000000, 5000050"})
    void agreesWithUpstreamOnEveryNode(ProblemFamily profile, long from, long to) {
        SortedMap<String, Integer> tally = new TreeMap<>();
        for (long seed : seeds(from, to)) {
            OracleProblem problem = OracleProblemGenerator.random(seed, profile);
            for (Node node : problem.nodes()) {
                OracleResult answer = OracleAllocator.allocate(problem, SELECTORS, node);
                if (!(answer instanceof OracleResult.TooLong)) {
                    checkNode(seed, problem, node, answer);
                }
                tally.merge(answer.getClass().getSimpleName(), 1, Integer::sum);
            }
        }
        int all = tally.values().stream().mapToInt(Integer::intValue).sum();
        assertThat(tally.getOrDefault("Fits", 0)).as("enough fit").isGreaterThan(all / 10);
        assertThat(tally.getOrDefault("No", 0)).as("enough do not fit").isGreaterThan(all / 10);
        assertThat(tally.getOrDefault("Fails", 0)).as("enough end in errors").isGreaterThan(all / 100);
        assertThat(tally.getOrDefault("TooLong", 0))
                .as("the oracle can nearly always answer")
                .isLessThanOrEqualTo(all / 50);
    }

    private static void checkNode(long seed, OracleProblem problem, Node node, OracleResult answer) {
        String context = "seed %d, %s%n%s".formatted(seed, node.meta().name(), problem.text());
        SolverOutcome first = solve(problem, PlacementPolicy.FIRST_FIT, isNode(node));
        assertThat(first.kind).as("%s%n%s", context, first.text).isEqualTo(kindOf(answer));
        if (answer instanceof OracleResult.Fits fits) {
            assertThat(first.allocations).as(context).isEqualTo(fits.allocations());
        }
        assertThat(first.steps)
                .as("never more effort than upstream, %s", context)
                .isLessThanOrEqualTo(answer.calls());
        SolverOutcome best = solve(problem, PlacementPolicy.BEST_FIT, isNode(node));
        assertThat(best.kind == SolverOutcomeKind.FITS || best.kind == first.kind)
                .as("best fit where first fit says %s: %s%n%s", first.kind, best, context)
                .isTrue();
        for (SolverOutcome each : List.of(first, best)) {
            if (each.kind == SolverOutcomeKind.FITS) {
                assertThat(AllocationValidator.violations(problem, SELECTORS, node, each.allocations))
                        .as(context)
                        .isEmpty();
            }
        }
    }

    private static SolverOutcomeKind kindOf(OracleResult answer) {
        return switch (answer) {
            case OracleResult.Fits fits -> SolverOutcomeKind.FITS;
            case OracleResult.No no -> SolverOutcomeKind.NO;
            case OracleResult.Fails error -> SolverOutcomeKind.ERROR;
            case OracleResult.TooLong tooLong -> throw new IllegalStateException("no answer");
        };
    }

    private static Predicate<NodeDeviceView> isNode(Node node) {
        return view -> view.name().equals(node.meta().name());
    }

    private static SolverOutcome solve(
            OracleProblem problem, PlacementPolicy policy, Predicate<NodeDeviceView> mayUse) {
        var shape = new ItemShape(problem.claims(), NodeRules.none());
        return switch (AllocationProblem.of(shape, problem.classesByName(), SELECTORS, OracleProblem.FEATURES)) {
            case AllocationProblem.Formulation.InvalidProblem rejected ->
                new SolverOutcome(
                        SolverOutcomeKind.ERROR,
                        Optional.empty(),
                        List.of(),
                        0,
                        rejected.rejection().message());
            case AllocationProblem.Formulation.ValidProblem ready -> solve(problem, ready.problem(), policy, mayUse);
        };
    }

    /** Searches with a new index, so that results for other nodes have no influence. */
    private static SolverOutcome solve(
            OracleProblem problem,
            AllocationProblem question,
            PlacementPolicy policy,
            Predicate<NodeDeviceView> mayUse) {
        var inventory = problem.inventory();
        List<NodeDeviceView> views = inventory.views().stream().filter(mayUse).toList();
        var index = new NodeClassIndex("", question, inventory, new SuspendedSearches());
        index.catchUp();
        var found = new NodeRanking(policy, Optional.empty());
        for (NodeEquivalenceClass each : index.classes()) {
            if (views.stream().anyMatch(view -> each.nodes.contains(view))) {
                found.consider(each, each.outcome(question, policy, STEPS_MAX), mayUse);
            }
        }
        assertThat(found.isBudgetExhausted()).isFalse();
        if (found.best().isPresent()) {
            NodeRanking.NodeCandidate best = found.best().get();
            return new SolverOutcome(
                    SolverOutcomeKind.FITS,
                    Optional.of(best.node().name()),
                    AllocationBuilder.of(question, best, ShareIds.fromClaimIndexes()),
                    found.steps(),
                    "fits " + best.node());
        }
        return new SolverOutcome(
                found.failedNode().isPresent() ? SolverOutcomeKind.ERROR : SolverOutcomeKind.NO,
                Optional.empty(),
                List.of(),
                found.steps(),
                found.failedNode().toString());
    }

    @ParameterizedTest(name = "{0}: part of seeds {1} to {2}")
    @CsvSource({"MIXED, 7000000, 7002000", "SCARCE, 8000000, 8001000", "LONG, 9000000, 9000030"})
    void reachesSameOutcomeAfterSuspension(ProblemFamily profile, long from, long to) {
        long stops = 0;
        for (long seed : seeds(from, to)) {
            OracleProblem problem = OracleProblemGenerator.random(seed, profile);
            var shape = new ItemShape(problem.claims(), NodeRules.none());
            if (AllocationProblem.of(shape, problem.classesByName(), SELECTORS, OracleProblem.FEATURES)
                    instanceof AllocationProblem.Formulation.ValidProblem(AllocationProblem question)) {
                var index = new NodeClassIndex("", question, problem.inventory(), new SuspendedSearches());
                index.catchUp();
                for (NodeEquivalenceClass each : index.classes()) {
                    for (PlacementPolicy policy : PlacementPolicy.values()) {
                        long stepsMax = seed % 3 == 0 ? 20 : STEPS_MAX;
                        long portion = 1 + seed % 5;
                        var suspensions = new SuspendedSearches();
                        long now = portion;
                        Optional<SearchOutcome> outcome = suspensions.advance(question, each, policy, stepsMax, now);
                        while (outcome.isEmpty()) {
                            stops++;
                            now += portion;
                            outcome = suspensions.advance(question, each, policy, stepsMax, now);
                        }
                        var atOnce = new NodeSearch(question, each, policy, stepsMax).advance(Long.MAX_VALUE);
                        assertThat(outcome)
                                .as("seed %d, %s%n%s", seed, policy, problem.text())
                                .usingRecursiveComparison()
                                .isEqualTo(atOnce);
                        assertThat(outcome.get().steps()).isGreaterThan(now - 2 * portion);
                    }
                }
            }
        }
        assertThat(stops).as("searches that stopped").isGreaterThan((to - from) / Campaign.PARTS);
    }

    @ParameterizedTest(name = "{0}: part of seeds {1} to {2}")
    @CsvSource({"MIXED, 3000000, 3003000", "SCARCE, 4000000, 4001000", "LONG, 6000000, 6000030"})
    void firstFitSelectsFirstNodeByName(ProblemFamily profile, long from, long to) {
        for (long seed : seeds(from, to)) {
            OracleProblem problem = OracleProblemGenerator.random(seed, profile);
            String context = "seed %d%n%s".formatted(seed, problem.text());
            SortedMap<String, OracleResult> answers = new TreeMap<>();
            problem.nodes()
                    .forEach(node ->
                            answers.put(node.meta().name(), OracleAllocator.allocate(problem, SELECTORS, node)));
            if (answers.values().stream().anyMatch(OracleResult.TooLong.class::isInstance)) {
                continue;
            }
            Optional<String> expected = answers.entrySet().stream()
                    .filter(each -> each.getValue() instanceof OracleResult.Fits)
                    .map(Map.Entry::getKey)
                    .findFirst();
            AllocationPlan first = plan(seed, problem, PlacementPolicy.FIRST_FIT);
            assertThat(allocatedPlan(first).map(AllocationPlan.Allocated::node))
                    .as(context)
                    .isEqualTo(expected);
            if (expected.isPresent()) {
                AllocationPlan.Allocated best = allocatedPlan(plan(seed, problem, PlacementPolicy.BEST_FIT))
                        .orElseThrow();
                assertThat(AllocationValidator.violations(
                                problem, SELECTORS, problem.node(best.node()), best.allocations()))
                        .as(context)
                        .isEmpty();
            } else {
                assertDiagnosis(first, context);
            }
        }
    }

    private static void assertDiagnosis(AllocationPlan plan, String context) {
        assertThat(plan)
                .as(context)
                .isInstanceOfSatisfying(
                        AllocationPlan.Pending.class,
                        pending -> assertThat(pending.diagnosis().message())
                                .as(context)
                                .isNotBlank()
                                .doesNotContain("null"));
    }

    private static AllocationPlan plan(long seed, OracleProblem problem, PlacementPolicy policy) {
        var planner = new AllocationPlanner(problem.inventory(), SELECTORS);
        planner.setClasses(problem.classesByName());
        planner.setFeatures(OracleProblem.FEATURES);
        var shape = new ItemShape(problem.claims(), NodeRules.none());
        try {
            planner.funnels(shape, unallocatedClaims(problem), WorkMeter.unlimited());
            return planner.plan(shape, new AllocationPlanner.PlanOptions(policy, STEPS_MAX, node -> true));
        } catch (RuntimeException e) {
            throw new AssertionError("seed %d%n%s".formatted(seed, problem.text()), e);
        }
    }

    private static List<UnallocatedClaim> unallocatedClaims(OracleProblem problem) {
        List<UnallocatedClaim> unallocated = new ArrayList<>();
        problem.claims()
                .forEach(claim -> unallocated.add(
                        new UnallocatedClaim(new ObjectKey("default", "claim-" + unallocated.size()), "uid", claim)));
        return unallocated;
    }

    private static Optional<AllocationPlan.Allocated> allocatedPlan(AllocationPlan plan) {
        return plan instanceof AllocationPlan.Allocated placed ? Optional.of(placed) : Optional.empty();
    }
}
