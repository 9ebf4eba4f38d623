package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.ReadOptions.Strictness;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.scenarios.random.ExpressionTree;
import dev.claimstream.scenarios.random.Grammar;
import dev.claimstream.scenarios.random.SampleDevices;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.selectors.Evaluation;
import dev.claimstream.selectors.Features;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Compares the outcome and cost of random selectors on random devices with upstream, including errors.
 * {@code -Dselectors=100000 -Dseed=7} sets the number of selectors and the first seed, {@code -Drelease=1.36} another
 * release of upstream.
 */
class SelectorDifferenceIT {
    private static final int BATCH = 200;
    private static final int RETRIES = 20;
    private static final int EXCEPTIONS_MIN = 5;
    private static final int EXCEPTIONS_PER_1000 = 5;
    private static final int SHOWN_MAX = Integer.getInteger("shownMax", 60);

    private final int count = Integer.getInteger("selectors", 4_000);
    private final long firstSeed = Long.getLong("seed", 1);
    private final Map<ExpressionContext, CelSelectors> selectors = new EnumMap<>(ExpressionContext.class);
    private final SortedMap<String, Integer> outcomes = new TreeMap<>();
    private final SortedMap<AcceptedDifference, Integer> exceptions = new TreeMap<>();

    /** Accepted differences; each has a row in {@code DIFFERENCES.md}. */
    private enum AcceptedDifference {
        /**
         * Upstream iterates over a Go map in random order, or an attribute is published with and without the driver's
         * domain.
         */
        ORDER_OF_A_GO_MAP
    }

    /** The component that compiles a selector, and its feature gates. */
    private enum ExpressionContext {
        /** A scheduler compiles a stored selector; the gates have no effect. */
        STORED(true, true),
        /** An API server compiles a selector of a new object. */
        NEW(true, true),
        NEW_WITHOUT_LISTS(true, false),
        NEW_WITHOUT_SHARES(false, true);

        private final boolean shares;
        private final boolean lists;

        ExpressionContext(boolean shares, boolean lists) {
            this.shares = shares;
            this.lists = lists;
        }

        Features features() {
            return new Features(shares, lists);
        }

        /** Returns the context of a seed; half of the selectors are stored. */
        static ExpressionContext of(long seed) {
            return switch ((int) Math.floorMod(seed, 6L)) {
                case 0 -> NEW;
                case 1 -> NEW_WITHOUT_LISTS;
                case 2 -> NEW_WITHOUT_SHARES;
                default -> STORED;
            };
        }
    }

    /** A selector and a device. */
    private record SelectorTrial(long seed, ExpressionTree expression, Tree device) {
        static SelectorTrial of(long seed) {
            return new SelectorTrial(seed, Grammar.of(seed), SampleDevices.device(seed));
        }

        SelectorTrial with(ExpressionTree other) {
            return new SelectorTrial(seed, other, device);
        }

        /**
         * Returns the trial without attributes that are also published with the driver's domain; empty if there are
         * none.
         */
        Optional<SelectorTrial> withoutDuplicateNames() {
            if (!(device instanceof Tree.Mapping mapping)
                    || !(mapping.fields().get("attributes") instanceof Tree.Mapping attributes)) {
                return Optional.empty();
            }
            SortedMap<String, Tree> kept = new TreeMap<>(attributes.fields());
            kept.keySet().removeIf(name -> attributes.fields().containsKey(SampleDevices.DRIVER + "/" + name));
            SortedMap<String, Tree> fields = new TreeMap<>(mapping.fields());
            fields.put("attributes", new Tree.Mapping(kept));
            boolean isOther = kept.size() < attributes.fields().size();
            return isOther
                    ? Optional.of(new SelectorTrial(seed, expression, new Tree.Mapping(fields)))
                    : Optional.empty();
        }

        ExpressionContext context() {
            return ExpressionContext.of(seed);
        }

        String line() {
            Features features = context().features();
            return Tree.mapping(fields -> fields.put("name", Long.toString(seed))
                            .put("expression", expression.text())
                            .put("newExpression", Tree.of(context() != ExpressionContext.STORED))
                            .put(
                                    "features",
                                    Tree.mapping(gates -> gates.put(
                                                    "DRAConsumableCapacity", Tree.of(features.consumableCapacity()))
                                            .put("DRAListTypeAttributes", Tree.of(features.listTypeAttributes()))))
                            .put("driver", SampleDevices.DRIVER)
                            .put("device", device))
                    .json();
        }
    }

    /**
     * The outcome of one evaluation.
     *
     * @param cost empty if it is not compared: nothing was evaluated, or upstream's cost is random
     */
    private record SelectorOutcome(String outcome, String cost, String text) {
        SelectorOutcome withoutCost() {
            return new SelectorOutcome(outcome, "", text);
        }

        boolean hasSameResult(SelectorOutcome other) {
            return outcome.equals(other.outcome) && cost.equals(other.cost);
        }

        @Override
        public String toString() {
            return outcome + (cost.isEmpty() ? "" : " at " + cost) + (text.isEmpty() ? "" : ": " + text);
        }
    }

    private record SelectorDifference(SelectorTrial trial, SelectorOutcome upstream, SelectorOutcome claimstream) {
        boolean isCostDifference() {
            return upstream.outcome.equals(claimstream.outcome);
        }

        String category() {
            return isCostDifference()
                    ? "cost"
                    : "upstream %s, we %s | %s"
                            .formatted(
                                    upstream.outcome,
                                    claimstream.outcome,
                                    (upstream.text + claimstream.text)
                                            .replaceAll("(?s)\\n.*", "")
                                            .replaceAll("[0-9]+", "#"));
        }
    }

    @Test
    void evaluatesRandomSelectorsAsUpstreamDoes() {
        UpstreamProcess.assumeReady();
        List<SelectorDifference> differences = new ArrayList<>();
        try (UpstreamProcess upstream = UpstreamProcess.startRequestedRelease("match")) {
            for (long seed = firstSeed; seed < firstSeed + count; seed += BATCH) {
                List<SelectorTrial> trials = new ArrayList<>();
                for (long each = seed; each < Math.min(seed + BATCH, firstSeed + count); each++) {
                    trials.add(SelectorTrial.of(each));
                }
                differences.addAll(differences(trials, upstream, true));
            }
            System.out.printf(
                    "%d selectors from seed %d: upstream says %s; exceptions %s%n",
                    count, firstSeed, outcomes, exceptions);
            assertThat(differences.size())
                    .as(() -> report(differences, upstream))
                    .isZero();
            assertThat(exceptions.values().stream().mapToInt(Integer::intValue).sum())
                    .as("exceptions %s", exceptions)
                    .isLessThanOrEqualTo(EXCEPTIONS_MIN + count * EXCEPTIONS_PER_1000 / 1000);
        }
    }

    private Optional<AcceptedDifference> acceptedDifference(SelectorDifference difference, UpstreamProcess upstream) {
        if (isNondeterministic(difference, upstream)) {
            return Optional.of(AcceptedDifference.ORDER_OF_A_GO_MAP);
        }
        return difference
                .trial
                .withoutDuplicateNames()
                .filter(trial -> upstreamOutcome(
                                upstream.query(List.of(trial.line())).getFirst())
                        .hasSameResult(difference.claimstream))
                .map(_ -> AcceptedDifference.ORDER_OF_A_GO_MAP);
    }

    /** Returns whether upstream has another outcome when the request is repeated. */
    private static boolean isNondeterministic(SelectorDifference difference, UpstreamProcess upstream) {
        return upstream.query(Collections.nCopies(RETRIES, difference.trial.line())).stream()
                .map(SelectorDifferenceIT::upstreamOutcome)
                .anyMatch(again -> !again.hasSameResult(difference.upstream));
    }

    private List<SelectorDifference> differences(List<SelectorTrial> trials, UpstreamProcess upstream, boolean counts) {
        List<DocumentNode.DocumentMapping> answers =
                upstream.query(trials.stream().map(SelectorTrial::line).toList());
        List<SelectorDifference> found = new ArrayList<>();
        for (int i = 0; i < trials.size(); i++) {
            SelectorOutcome upstreamOutcome = upstreamOutcome(answers.get(i));
            SelectorOutcome claimstreamOutcome = claimstreamOutcome(trials.get(i));
            if (counts) {
                outcomes.merge(upstreamOutcome.outcome, 1, Integer::sum);
            }
            if (upstreamOutcome.cost.isEmpty()) {
                claimstreamOutcome = claimstreamOutcome.withoutCost();
            }
            if (!upstreamOutcome.hasSameResult(claimstreamOutcome)) {
                var difference = new SelectorDifference(trials.get(i), upstreamOutcome, claimstreamOutcome);
                Optional<AcceptedDifference> known = acceptedDifference(difference, upstream);
                if (known.isEmpty()) {
                    found.add(difference);
                } else if (counts) {
                    exceptions.merge(known.get(), 1, Integer::sum);
                }
            }
        }
        return found;
    }

    private static SelectorOutcome upstreamOutcome(DocumentNode.DocumentMapping answer) {
        boolean varies = answer.text("costVaries").isPresent();
        String cost = varies ? "" : answer.text("cost").orElse("");
        Optional<String> error = answer.text("error");
        if (error.isPresent()) {
            boolean isCompiled = answer.text("compiled").filter("true"::equals).isPresent();
            return isCompiled
                    ? new SelectorOutcome("runtime error", cost, error.get())
                    : new SelectorOutcome("compile error", "", error.get());
        }
        return new SelectorOutcome(answer.text("match").filter("true"::equals).isPresent() ? "yes" : "no", cost, "");
    }

    private SelectorOutcome claimstreamOutcome(SelectorTrial trial) {
        try {
            Evaluation evaluation = selectors
                    .computeIfAbsent(trial.context(), setting -> new CelSelectors(setting.features()))
                    .evaluate(trial.expression.text(), SampleDevices.DRIVER, device(trial.device));
            String cost = Long.toUnsignedString(evaluation.cost());
            return switch (evaluation.match()) {
                case Match.SelectorMatch _ -> new SelectorOutcome("yes", cost, "");
                case Match.SelectorMismatch _ -> new SelectorOutcome("no", cost, "");
                case Match.SelectorError failed ->
                    failed.message().startsWith("CEL compile error")
                            ? new SelectorOutcome("compile error", "", failed.message())
                            : new SelectorOutcome("runtime error", cost, failed.message());
            };
        } catch (RuntimeException e) {
            return new SelectorOutcome("EXCEPTION", "", e.toString());
        }
    }

    private static Device device(Tree device) {
        String text = SampleDevices.slice(device).json();
        var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        var reading = Manifests.read("sample", in, ReadOptions.DEFAULT.with(Strictness.SERVED));
        return ((ResourceSlice) reading.objects().getFirst()).devices().getFirst();
    }

    // ---- report of differences
    // ----------------------------------------------------------------------------------------

    private String report(List<SelectorDifference> differences, UpstreamProcess upstream) {
        SortedMap<String, List<SelectorDifference>> sorts = new TreeMap<>();
        differences.forEach(each ->
                sorts.computeIfAbsent(each.category(), _ -> new ArrayList<>()).add(each));
        var text = new StringBuilder("%d differences of %d sorts%n".formatted(differences.size(), sorts.size()));
        int shown = 0;
        for (var sort : sorts.entrySet()) {
            text.append("%n== %d times %s%n".formatted(sort.getValue().size(), sort.getKey()));
            int most = sort.getKey().equals("cost") ? 15 : Integer.getInteger("shown", 2);
            for (SelectorDifference each :
                    sort.getValue().subList(0, Math.min(most, sort.getValue().size()))) {
                if (shown++ < SHOWN_MAX) {
                    text.append(describe(shrink(each, upstream)));
                }
            }
        }
        return text.toString();
    }

    private static String describe(SelectorDifference difference) {
        return "seed %d (%s): %s%n  upstream: %s%n  we:       %s%n"
                .formatted(
                        difference.trial.seed,
                        difference.trial.context(),
                        difference.trial.expression.text(),
                        difference.upstream,
                        difference.claimstream);
    }

    private SelectorDifference shrink(SelectorDifference difference, UpstreamProcess upstream) {
        SelectorDifference smallest = difference;
        Optional<SelectorDifference> smaller = Optional.of(difference);
        while (smaller.isPresent()) {
            smallest = smaller.get();
            smaller = findSmaller(smallest, upstream);
        }
        return smallest;
    }

    private Optional<SelectorDifference> findSmaller(SelectorDifference difference, UpstreamProcess upstream) {
        List<SelectorTrial> trials = difference.trial.expression.simplifications().stream()
                .filter(each -> each.text().length()
                        < difference.trial.expression.text().length())
                .map(difference.trial::with)
                .toList();
        return differences(trials, upstream, false).stream()
                .filter(each -> each.category().equals(difference.category()))
                .findFirst();
    }
}
