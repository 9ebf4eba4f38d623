package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.scenarios.random.ApiArea;
import dev.claimstream.scenarios.random.Problem;
import dev.claimstream.scenarios.validity.Validator;
import dev.claimstream.scenarios.validity.Violation;
import dev.claimstream.selectors.CelSelectors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Compares the outcomes of random problems with upstream's allocator, node by node. Each difference is shrunk and
 * written to {@code target/differences}.
 *
 * <ul>
 *   <li>{@code -Dproblems=100000 -Dseed=7} sets the number of problems and the first seed.
 *   <li>{@code -Dareas=COUNTERS,HELD} limits the areas.
 *   <li>{@code -DgatesByDefault=true} uses the default feature gates.
 *   <li>{@code -Drelease=1.36} selects another release of upstream.
 * </ul>
 */
class UpstreamDifferenceIT {
    private static final int BATCH = 50;
    private static final int SHOWN_MAX = 25;
    private static final long STEPS_MAX = 200_000;
    private static final long UNDECIDED_PER_1000 = 5;
    private static final long DIFFERENT_ERRORS_PER_1000 = 30;
    private static final String INVALID = "INVALID ";
    /** Claimstream continues after a node selector that cannot be parsed, and can meet another error. */
    private static final String UNREADABLE = "failed to parse node selector";

    private static final Path FOLDER = Path.of("target", "differences");

    private final long count = Long.getLong("problems", 4_000);
    private final long firstSeed = Long.getLong("seed", 1);
    private final Set<ApiArea> areas = areas();
    private final CelSelectors selectors = new CelSelectors();
    private final Coverage coverage = new Coverage();
    private final ConcurrentLinkedQueue<AllocationDifference> differences = new ConcurrentLinkedQueue<>();
    private final AtomicLong undecidedCount = new AtomicLong();
    private final AtomicLong fitsPastUpstreamErrors = new AtomicLong();
    private final ConcurrentLinkedQueue<String> differentErrors = new ConcurrentLinkedQueue<>();
    private final AtomicLong validated = new AtomicLong();
    private final ConcurrentLinkedQueue<String> inconsistencies = new ConcurrentLinkedQueue<>();
    private final ConcurrentSkipListMap<String, Integer> knownDifferences = new ConcurrentSkipListMap<>();

    private static Set<ApiArea> areas() {
        String names = System.getProperty("areas", "");
        Set<ApiArea> areas = EnumSet.noneOf(ApiArea.class);
        Arrays.stream(names.split(",", -1))
                .filter(each -> !each.isBlank())
                .map(ApiArea::valueOf)
                .forEach(areas::add);
        return areas.isEmpty() ? EnumSet.allOf(ApiArea.class) : areas;
    }

    @Test
    void allocatesRandomProblemsAsUpstreamDoes() throws InterruptedException, ExecutionException {
        UpstreamProcess.assumeReady();
        var next = new AtomicLong(firstSeed);
        try (var workers = Executors.newFixedThreadPool(2)) {
            var all = workers.invokeAll(Collections.nCopies(2, Executors.callable(() -> work(next))));
            for (var each : all) {
                each.get();
            }
        }
        System.out.printf("%d problems from seed %d%n%s", count, firstSeed, coverage.table());
        System.out.printf(
                "left undecided by us: %d; fits under best-fit where upstream meets an error first: %d%n"
                        + "allocations that the validator has passed: %d; differences on purpose: %s%n"
                        + "the same outcome with another of several errors, or in other words: %d, such as%n  %s%n",
                undecidedCount.get(),
                fitsPastUpstreamErrors.get(),
                validated.get(),
                knownDifferences,
                differentErrors.size(),
                differentErrors.stream().limit(5).collect(Collectors.joining("\n  ")));
        assertThat(differences.size()).as(this::report).isZero();
        assertThat(inconsistencies).as("inconsistent answers of Claimstream").isEmpty();
        assertThat(coverage.count(NodeOutcome.OutcomeKind.UNDECIDED))
                .as("upstream undecided")
                .isLessThan(UNDECIDED_PER_1000 * upstreamAnswerCount() / 1000 + 1);
        assertThat(differentErrors.size())
                .as(() -> "other errors: " + differentErrors)
                .isLessThanOrEqualTo(differentErrorsMax());
        assertThat(undecidedCount.get()).as("left undecided by us").isZero();
        if (count >= 20_000 && areas.size() == ApiArea.values().length) {
            assertThat(coverage.missing()).as("areas without an outcome").isEmpty();
        }
    }

    /** The expected number plus four standard deviations, since the seeds differ from run to run. */
    private int differentErrorsMax() {
        double expected = coverage.count(NodeOutcome.OutcomeKind.ERROR) * DIFFERENT_ERRORS_PER_1000 / 1000.0;
        return (int) (expected + 4 * Math.sqrt(expected));
    }

    private long upstreamAnswerCount() {
        return Arrays.stream(NodeOutcome.OutcomeKind.values())
                .mapToLong(coverage::count)
                .sum();
    }

    private void work(AtomicLong next) {
        long end = firstSeed + count;
        try (UpstreamProcess upstream = UpstreamProcess.startRequestedRelease("allocate")) {
            for (long seed = next.getAndAdd(BATCH); seed < end; seed = next.getAndAdd(BATCH)) {
                List<UpstreamQuery> questions = new ArrayList<>();
                for (long each = seed; each < Math.min(end, seed + BATCH); each++) {
                    questions.add(new UpstreamQuery(problem(each)));
                }
                List<DocumentNode.DocumentMapping> answers = upstream.query(
                        questions.stream().map(UpstreamQuery::requestLine).toList());
                for (int i = 0; i < questions.size(); i++) {
                    compare(questions.get(i), answers.get(i), upstream, true).forEach(differences::add);
                }
            }
        }
    }

    private Problem problem(long seed) {
        Problem problem = Problem.of(seed, areas);
        return Boolean.getBoolean("gatesByDefault") ? problem.withFeatures(FeatureGates.defaults()) : problem;
    }

    private List<AllocationDifference> compare(
            UpstreamQuery question, DocumentNode.DocumentMapping answer, UpstreamProcess upstream, boolean counts) {
        List<AllocationDifference> found = new ArrayList<>();
        var decider = new ScenarioSolver(question.objects(), question.problem().features(), selectors);
        if (counts) {
            coverage.addProblem(question.problem().areas());
            inconsistencies.addAll(Consistency.violations(question, decider, STEPS_MAX));
        }
        question.outcomes(answer).forEach((node, upstreamOutcome) -> {
            if (counts) {
                coverage.add(question.problem().areas(), upstreamOutcome.kind());
            }
            difference(question, decider, node, upstreamOutcome, PlacementPolicy.FIRST_FIT)
                    .or(() -> difference(question, decider, node, upstreamOutcome, PlacementPolicy.BEST_FIT))
                    .filter(each -> !isKnownDifference(each, upstream, counts))
                    .ifPresent(found::add);
        });
        return found;
    }

    private boolean isKnownDifference(AllocationDifference difference, UpstreamProcess upstream, boolean counts) {
        for (KnownDifference each : KnownDifference.values()) {
            if (reproducesDifference(each.rewrite(difference.problem()), difference, upstream)) {
                if (counts) {
                    knownDifferences.merge(each.name(), 1, Integer::sum);
                }
                return true;
            }
        }
        boolean areSeveral =
                reproducesDifference(KnownDifference.rewriteAll(difference.problem()), difference, upstream);
        if (areSeveral && counts) {
            knownDifferences.merge("several of these", 1, Integer::sum);
        }
        return areSeveral;
    }

    /** Returns whether upstream's outcome for the rewritten problem is Claimstream's outcome for the original. */
    private static boolean reproducesDifference(
            Problem rewritten, AllocationDifference difference, UpstreamProcess upstream) {
        if (rewritten.equals(difference.problem())) {
            return false;
        }
        var question = new UpstreamQuery(rewritten);
        NodeOutcome upstreamOutcome = question.outcomes(
                        upstream.query(List.of(question.requestLine())).getFirst())
                .get(difference.node());
        return upstreamOutcome != null
                && (upstreamOutcome.kind() == NodeOutcome.OutcomeKind.UNDECIDED
                        || isSame(difference.policy(), upstreamOutcome, difference.claimstream()));
    }

    private Optional<AllocationDifference> difference(
            UpstreamQuery question,
            ScenarioSolver decider,
            String node,
            NodeOutcome upstreamOutcome,
            PlacementPolicy policy) {
        NodeOutcome outcome = claimstreamOutcome(question, decider, node, policy);
        boolean isInvalid = outcome.text().startsWith(INVALID);
        if (upstreamOutcome.kind() == NodeOutcome.OutcomeKind.UNDECIDED && !isInvalid) {
            return Optional.empty();
        }
        if (outcome.kind() == NodeOutcome.OutcomeKind.UNDECIDED) {
            undecidedCount.incrementAndGet();
            return Optional.empty();
        }
        if (policy == PlacementPolicy.BEST_FIT
                && upstreamOutcome.kind() == NodeOutcome.OutcomeKind.ERROR
                && outcome.kind() == NodeOutcome.OutcomeKind.FITS) {
            fitsPastUpstreamErrors.incrementAndGet(); // another order may avoid the error
            return Optional.empty();
        }
        boolean isSame = isSame(policy, upstreamOutcome, outcome);
        boolean isUnreadable = upstreamOutcome.text().contains(UNREADABLE);
        if (isSame && policy == PlacementPolicy.FIRST_FIT && !outcome.hasMessageOf(upstreamOutcome) && !isUnreadable) {
            differentErrors.add(upstreamOutcome.text().lines().findFirst().orElse("") + "\n    " + outcome.text());
        }
        return isSame
                ? Optional.empty()
                : Optional.of(new AllocationDifference(question.problem(), node, policy, upstreamOutcome, outcome));
    }

    /** Under best-fit only the kind must be the same; the validator has checked the allocations. */
    private static boolean isSame(PlacementPolicy policy, NodeOutcome upstreamOutcome, NodeOutcome outcome) {
        boolean isValid = !outcome.text().startsWith(INVALID);
        return isValid
                && (policy == PlacementPolicy.FIRST_FIT
                        ? outcome.hasSameResult(upstreamOutcome)
                        : outcome.kind() == upstreamOutcome.kind());
    }

    private NodeOutcome claimstreamOutcome(
            UpstreamQuery question, ScenarioSolver decider, String node, PlacementPolicy policy) {
        try {
            ScenarioDecision decision = decider.solve(Optional.of(node), question.claims(), policy, STEPS_MAX);
            return decision instanceof ScenarioDecision.Allocated fits
                    ? validatedOutcome(question, node, fits)
                    : NodeOutcome.of(decision);
        } catch (RuntimeException e) {
            return new NodeOutcome(NodeOutcome.OutcomeKind.ERROR, List.of(), "EXCEPTION " + e);
        }
    }

    private NodeOutcome validatedOutcome(UpstreamQuery question, String node, ScenarioDecision.Allocated fits) {
        List<Violation> violations = new Validator(
                        question.objects(), question.problem().features(), selectors)
                .violations(node, question.claims(), fits.allocations());
        if (violations.isEmpty()) {
            validated.incrementAndGet();
            return NodeOutcome.of(fits);
        }
        return new NodeOutcome(NodeOutcome.OutcomeKind.ERROR, List.of(), INVALID + violations);
    }

    // ---- report of differences
    // ----------------------------------------------------------------------------------------

    private String report() {
        SortedMap<String, List<AllocationDifference>> sorts = new TreeMap<>();
        differences.forEach(each ->
                sorts.computeIfAbsent(each.category(), _ -> new ArrayList<>()).add(each));
        var text = new StringBuilder("%d differences of %d sorts%n".formatted(differences.size(), sorts.size()));
        try (UpstreamProcess upstream = UpstreamProcess.startRequestedRelease("allocate")) {
            sorts.entrySet().stream()
                    .sorted(Map.Entry.comparingByValue((a, b) -> Integer.compare(b.size(), a.size())))
                    .forEach(sort -> text.append(report(sort.getKey(), sort.getValue(), upstream)));
        }
        return text.toString();
    }

    private String report(String sort, List<AllocationDifference> alike, UpstreamProcess upstream) {
        SortedMap<ApiArea, Integer> shared = new TreeMap<>();
        alike.forEach(each -> each.problem().areas().forEach(area -> shared.merge(area, 1, Integer::sum)));
        var text = new StringBuilder("%n== %d times %s%n   areas in more than half: %s%n"
                .formatted(
                        alike.size(),
                        sort,
                        shared.entrySet().stream()
                                .filter(each -> each.getValue() * 2 > alike.size())
                                .map(Map.Entry::getKey)
                                .toList()));
        SortedMap<Long, AllocationDifference> bySeed = new TreeMap<>();
        alike.forEach(each -> bySeed.putIfAbsent(each.problem().seed(), each));
        for (AllocationDifference each :
                bySeed.values().stream().limit(Integer.getInteger("shown", 2)).toList()) {
            if (writtenDifferences.incrementAndGet() <= SHOWN_MAX) {
                AllocationDifference small = shrink(each, upstream);
                Path file = small.write(
                        FOLDER,
                        "seed-%d-%s"
                                .formatted(each.problem().seed(), each.policy().text()));
                text.append(small.describe()).append("\n  ").append(file).append('\n');
            }
        }
        return text.toString();
    }

    private final AtomicLong writtenDifferences = new AtomicLong();

    private AllocationDifference shrink(AllocationDifference difference, UpstreamProcess upstream) {
        Problem small = ProblemShrinker.shrink(
                difference.problem(),
                problem -> findSameCategory(problem, difference, upstream).isPresent());
        return findSameCategory(small, difference, upstream).orElse(difference);
    }

    /** Returns a difference of the same category in another problem. */
    private Optional<AllocationDifference> findSameCategory(
            Problem problem, AllocationDifference difference, UpstreamProcess upstream) {
        var question = new UpstreamQuery(problem);
        if (!question.isValid()
                || question.objects().size() != problem.objects().size()) {
            return Optional.empty();
        }
        DocumentNode.DocumentMapping answer =
                upstream.query(List.of(question.requestLine())).getFirst();
        if (answer.text("error").isPresent() || problem.claims().isEmpty()) {
            return Optional.empty();
        }
        return compare(question, answer, upstream, false).stream()
                .filter(each -> each.category().equals(difference.category()))
                .findFirst();
    }
}
