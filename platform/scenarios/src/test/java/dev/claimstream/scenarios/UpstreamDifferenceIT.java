package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.scenarios.random.Problem;
import dev.claimstream.scenarios.random.Topic;
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
 *   <li>{@code -Dtopics=COUNTERS,HELD} limits the topics.
 *   <li>{@code -DgatesByDefault=true} uses the default feature gates.
 *   <li>{@code -Drelease=1.36} selects another release of upstream.
 * </ul>
 */
class UpstreamDifferenceIT {
    private static final int BATCH = 50;
    private static final int SHOWN_MAX = 25;
    private static final long STEPS_MAX = 200_000;
    private static final long UNDECIDED_PER_1000 = 5;
    private static final long OTHER_ERRORS_PER_1000 = 30;
    private static final String INVALID = "INVALID ";
    /** Claimstream continues after a node selector that cannot be parsed, and can meet another error. */
    private static final String UNREADABLE = "failed to parse node selector";

    private static final Path FOLDER = Path.of("target", "differences");

    private final long count = Long.getLong("problems", 4_000);
    private final long firstSeed = Long.getLong("seed", 1);
    private final Set<Topic> topics = topics();
    private final CelSelectors selectors = new CelSelectors();
    private final Coverage coverage = new Coverage();
    private final ConcurrentLinkedQueue<Difference> differences = new ConcurrentLinkedQueue<>();
    private final AtomicLong undecided = new AtomicLong();
    private final AtomicLong pastErrors = new AtomicLong();
    private final ConcurrentLinkedQueue<String> otherErrors = new ConcurrentLinkedQueue<>();
    private final AtomicLong validated = new AtomicLong();
    private final ConcurrentLinkedQueue<String> inconsistent = new ConcurrentLinkedQueue<>();
    private final ConcurrentSkipListMap<String, Integer> known = new ConcurrentSkipListMap<>();

    private static Set<Topic> topics() {
        String names = System.getProperty("topics", "");
        Set<Topic> topics = EnumSet.noneOf(Topic.class);
        Arrays.stream(names.split(",", -1))
                .filter(each -> !each.isBlank())
                .map(Topic::valueOf)
                .forEach(topics::add);
        return topics.isEmpty() ? EnumSet.allOf(Topic.class) : topics;
    }

    @Test
    void everyProblemIsDecidedAsUpstreamDecidesIt() throws InterruptedException, ExecutionException {
        Upstream.assumeReady();
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
                undecided.get(),
                pastErrors.get(),
                validated.get(),
                known,
                otherErrors.size(),
                otherErrors.stream().limit(5).collect(Collectors.joining("\n  ")));
        assertThat(differences.size()).as(this::report).isZero();
        assertThat(inconsistent).as("answers of ours that do not go together").isEmpty();
        assertThat(coverage.count(Verdict.Kind.UNDECIDED))
                .as("upstream undecided")
                .isLessThan(UNDECIDED_PER_1000 * answers() / 1000 + 1);
        assertThat(otherErrors.size()).as(() -> "other errors: " + otherErrors).isLessThanOrEqualTo((int)
                (coverage.count(Verdict.Kind.ERROR) * OTHER_ERRORS_PER_1000 / 1000));
        assertThat(undecided.get()).as("left undecided by us").isZero();
        if (count >= 20_000 && topics.size() == Topic.values().length) {
            assertThat(coverage.missing()).as("topics without an outcome").isEmpty();
        }
    }

    private long answers() {
        return Arrays.stream(Verdict.Kind.values()).mapToLong(coverage::count).sum();
    }

    private void work(AtomicLong next) {
        long end = firstSeed + count;
        try (Upstream upstream = Upstream.startAsked("allocate")) {
            for (long seed = next.getAndAdd(BATCH); seed < end; seed = next.getAndAdd(BATCH)) {
                List<Question> questions = new ArrayList<>();
                for (long each = seed; each < Math.min(end, seed + BATCH); each++) {
                    questions.add(new Question(problem(each)));
                }
                List<DocumentNode.Mapping> answers =
                        upstream.ask(questions.stream().map(Question::line).toList());
                for (int i = 0; i < questions.size(); i++) {
                    compare(questions.get(i), answers.get(i), upstream, true).forEach(differences::add);
                }
            }
        }
    }

    private Problem problem(long seed) {
        Problem problem = Problem.of(seed, topics);
        return Boolean.getBoolean("gatesByDefault") ? problem.withFeatures(FeatureGates.defaults()) : problem;
    }

    private List<Difference> compare(
            Question question, DocumentNode.Mapping answer, Upstream upstream, boolean counts) {
        List<Difference> found = new ArrayList<>();
        var decider = new ScenarioSolver(question.objects(), question.problem().features(), selectors);
        if (counts) {
            coverage.addProblem(question.problem().topics());
            inconsistent.addAll(Consistency.violations(question, decider, STEPS_MAX));
        }
        question.verdicts(answer).forEach((node, theirs) -> {
            if (counts) {
                coverage.add(question.problem().topics(), theirs.kind());
            }
            difference(question, decider, node, theirs, PlacementPolicy.FIRST_FIT)
                    .or(() -> difference(question, decider, node, theirs, PlacementPolicy.BEST_FIT))
                    .filter(each -> !isOnPurpose(each, upstream, counts))
                    .ifPresent(found::add);
        });
        return found;
    }

    private boolean isOnPurpose(Difference difference, Upstream upstream, boolean counts) {
        for (KnownDifference each : KnownDifference.values()) {
            if (explains(each.asWeSeeIt(difference.problem()), difference, upstream)) {
                if (counts) {
                    known.merge(each.name(), 1, Integer::sum);
                }
                return true;
            }
        }
        boolean areSeveral = explains(KnownDifference.asAllSeeIt(difference.problem()), difference, upstream);
        if (areSeveral && counts) {
            known.merge("several of these", 1, Integer::sum);
        }
        return areSeveral;
    }

    /** Returns whether upstream's outcome for the rewritten problem is Claimstream's outcome for the original. */
    private static boolean explains(Problem seen, Difference difference, Upstream upstream) {
        if (seen.equals(difference.problem())) {
            return false;
        }
        var question = new Question(seen);
        Verdict theirs = question.verdicts(
                        upstream.ask(List.of(question.line())).getFirst())
                .get(difference.node());
        return theirs != null
                && (theirs.kind() == Verdict.Kind.UNDECIDED || isSame(difference.policy(), theirs, difference.ours()));
    }

    private Optional<Difference> difference(
            Question question, ScenarioSolver decider, String node, Verdict theirs, PlacementPolicy policy) {
        Verdict ours = ours(question, decider, node, policy);
        boolean isInvalid = ours.text().startsWith(INVALID);
        if (theirs.kind() == Verdict.Kind.UNDECIDED && !isInvalid) {
            return Optional.empty();
        }
        if (ours.kind() == Verdict.Kind.UNDECIDED) {
            undecided.incrementAndGet();
            return Optional.empty();
        }
        if (policy == PlacementPolicy.BEST_FIT
                && theirs.kind() == Verdict.Kind.ERROR
                && ours.kind() == Verdict.Kind.FITS) {
            pastErrors.incrementAndGet(); // another order may avoid the error
            return Optional.empty();
        }
        boolean isSame = isSame(policy, theirs, ours);
        boolean isUnreadable = theirs.text().contains(UNREADABLE);
        if (isSame && policy == PlacementPolicy.FIRST_FIT && !ours.isWordedLike(theirs) && !isUnreadable) {
            otherErrors.add(theirs.text().lines().findFirst().orElse("") + "\n    " + ours.text());
        }
        return isSame ? Optional.empty() : Optional.of(new Difference(question.problem(), node, policy, theirs, ours));
    }

    /** Under best-fit only the kind must be the same; the validator has checked the allocations. */
    private static boolean isSame(PlacementPolicy policy, Verdict theirs, Verdict ours) {
        boolean isValid = !ours.text().startsWith(INVALID);
        return isValid && (policy == PlacementPolicy.FIRST_FIT ? ours.isLike(theirs) : ours.kind() == theirs.kind());
    }

    private Verdict ours(Question question, ScenarioSolver decider, String node, PlacementPolicy policy) {
        try {
            ScenarioDecision decision = decider.solve(Optional.of(node), question.claims(), policy, STEPS_MAX);
            return decision instanceof ScenarioDecision.Allocated fits
                    ? valid(question, node, fits)
                    : Verdict.of(decision);
        } catch (RuntimeException e) {
            return new Verdict(Verdict.Kind.ERROR, List.of(), "EXCEPTION " + e);
        }
    }

    private Verdict valid(Question question, String node, ScenarioDecision.Allocated fits) {
        List<Violation> violations = new Validator(
                        question.objects(), question.problem().features(), selectors)
                .violations(node, question.claims(), fits.allocations());
        if (violations.isEmpty()) {
            validated.incrementAndGet();
            return Verdict.of(fits);
        }
        return new Verdict(Verdict.Kind.ERROR, List.of(), INVALID + violations);
    }

    // ---- report of differences
    // ----------------------------------------------------------------------------------------

    private String report() {
        SortedMap<String, List<Difference>> sorts = new TreeMap<>();
        differences.forEach(each ->
                sorts.computeIfAbsent(each.sort(), _ -> new ArrayList<>()).add(each));
        var text = new StringBuilder("%d differences of %d sorts%n".formatted(differences.size(), sorts.size()));
        try (Upstream upstream = Upstream.startAsked("allocate")) {
            sorts.entrySet().stream()
                    .sorted(Map.Entry.comparingByValue((a, b) -> Integer.compare(b.size(), a.size())))
                    .forEach(sort -> text.append(report(sort.getKey(), sort.getValue(), upstream)));
        }
        return text.toString();
    }

    private String report(String sort, List<Difference> alike, Upstream upstream) {
        SortedMap<Topic, Integer> shared = new TreeMap<>();
        alike.forEach(each -> each.problem().topics().forEach(topic -> shared.merge(topic, 1, Integer::sum)));
        var text = new StringBuilder("%n== %d times %s%n   topics in more than half: %s%n"
                .formatted(
                        alike.size(),
                        sort,
                        shared.entrySet().stream()
                                .filter(each -> each.getValue() * 2 > alike.size())
                                .map(Map.Entry::getKey)
                                .toList()));
        SortedMap<Long, Difference> bySeed = new TreeMap<>();
        alike.forEach(each -> bySeed.putIfAbsent(each.problem().seed(), each));
        for (Difference each :
                bySeed.values().stream().limit(Integer.getInteger("shown", 2)).toList()) {
            if (differencesWritten.incrementAndGet() <= SHOWN_MAX) {
                Difference small = shrunk(each, upstream);
                Path file = small.write(
                        FOLDER,
                        "seed-%d-%s"
                                .formatted(each.problem().seed(), each.policy().text()));
                text.append(small.told()).append("\n  ").append(file).append('\n');
            }
        }
        return text.toString();
    }

    private final AtomicLong differencesWritten = new AtomicLong();

    private Difference shrunk(Difference difference, Upstream upstream) {
        Problem small = Shrinking.of(
                difference.problem(),
                problem -> again(problem, difference, upstream).isPresent());
        return again(small, difference, upstream).orElse(difference);
    }

    /** Returns a difference of the same category in another problem. */
    private Optional<Difference> again(Problem problem, Difference difference, Upstream upstream) {
        var question = new Question(problem);
        if (!question.isRead() || question.objects().size() != problem.objects().size()) {
            return Optional.empty();
        }
        DocumentNode.Mapping answer = upstream.ask(List.of(question.line())).getFirst();
        if (answer.text("error").isPresent() || problem.claims().isEmpty()) {
            return Optional.empty();
        }
        return compare(question, answer, upstream, false).stream()
                .filter(each -> each.sort().equals(difference.sort()))
                .findFirst();
    }
}
