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
import dev.claimstream.scenarios.random.Expression;
import dev.claimstream.scenarios.random.Grammar;
import dev.claimstream.scenarios.random.Samples;
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
    private static final int ASKED_AGAIN = 20;
    private static final int EXCEPTIONS_MIN = 5;
    private static final int EXCEPTIONS_PER_1000 = 5;
    private static final int SHOWN_MAX = Integer.getInteger("shownMax", 60);

    private final int count = Integer.getInteger("selectors", 4_000);
    private final long firstSeed = Long.getLong("seed", 1);
    private final Map<Setting, CelSelectors> selectors = new EnumMap<>(Setting.class);
    private final SortedMap<String, Integer> outcomes = new TreeMap<>();
    private final SortedMap<Known, Integer> exceptions = new TreeMap<>();

    /** Accepted differences; each has a row in {@code DIFFERENCES.md}. */
    private enum Known {
        /**
         * Upstream iterates over a Go map in random order, or an attribute is published with and without the driver's
         * domain.
         */
        ORDER_OF_A_GO_MAP
    }

    /** The component that compiles a selector, and its feature gates. */
    private enum Setting {
        /** A scheduler compiles a stored selector; the gates have no effect. */
        STORED(true, true),
        /** An API server compiles a selector of a new object. */
        NEW(true, true),
        NEW_WITHOUT_LISTS(true, false),
        NEW_WITHOUT_SHARES(false, true);

        private final boolean shares;
        private final boolean lists;

        Setting(boolean shares, boolean lists) {
            this.shares = shares;
            this.lists = lists;
        }

        Features features() {
            return new Features(shares, lists);
        }

        /** Returns the context of a seed; half of the selectors are stored. */
        static Setting of(long seed) {
            return switch ((int) Math.floorMod(seed, 6L)) {
                case 0 -> NEW;
                case 1 -> NEW_WITHOUT_LISTS;
                case 2 -> NEW_WITHOUT_SHARES;
                default -> STORED;
            };
        }
    }

    /** A selector and a device. */
    private record Trial(long seed, Expression expression, Tree device) {
        static Trial of(long seed) {
            return new Trial(seed, Grammar.of(seed), Samples.device(seed));
        }

        Trial with(Expression other) {
            return new Trial(seed, other, device);
        }

        /**
         * Returns the trial without attributes that are also published with the driver's domain; empty if there are
         * none.
         */
        Optional<Trial> withoutDoubleNames() {
            if (!(device instanceof Tree.Mapping mapping)
                    || !(mapping.fields().get("attributes") instanceof Tree.Mapping attributes)) {
                return Optional.empty();
            }
            SortedMap<String, Tree> kept = new TreeMap<>(attributes.fields());
            kept.keySet().removeIf(name -> attributes.fields().containsKey(Samples.DRIVER + "/" + name));
            SortedMap<String, Tree> fields = new TreeMap<>(mapping.fields());
            fields.put("attributes", new Tree.Mapping(kept));
            boolean isOther = kept.size() < attributes.fields().size();
            return isOther ? Optional.of(new Trial(seed, expression, new Tree.Mapping(fields))) : Optional.empty();
        }

        Setting setting() {
            return Setting.of(seed);
        }

        String line() {
            Features features = setting().features();
            return Tree.mapping(fields -> fields.put("name", Long.toString(seed))
                            .put("expression", expression.text())
                            .put("newExpression", Tree.of(setting() != Setting.STORED))
                            .put(
                                    "features",
                                    Tree.mapping(gates -> gates.put(
                                                    "DRAConsumableCapacity", Tree.of(features.consumableCapacity()))
                                            .put("DRAListTypeAttributes", Tree.of(features.listTypeAttributes()))))
                            .put("driver", Samples.DRIVER)
                            .put("device", device))
                    .json();
        }
    }

    /**
     * The outcome of one evaluation.
     *
     * @param cost empty if it is not compared: nothing was evaluated, or upstream's cost is random
     */
    private record Answer(String outcome, String cost, String text) {
        Answer withoutCost() {
            return new Answer(outcome, "", text);
        }

        boolean isLike(Answer other) {
            return outcome.equals(other.outcome) && cost.equals(other.cost);
        }

        @Override
        public String toString() {
            return outcome + (cost.isEmpty() ? "" : " at " + cost) + (text.isEmpty() ? "" : ": " + text);
        }
    }

    private record Difference(Trial trial, Answer upstream, Answer ours) {
        boolean isOfCost() {
            return upstream.outcome.equals(ours.outcome);
        }

        String sort() {
            return isOfCost()
                    ? "cost"
                    : "upstream %s, we %s | %s"
                            .formatted(
                                    upstream.outcome,
                                    ours.outcome,
                                    (upstream.text + ours.text)
                                            .replaceAll("(?s)\\n.*", "")
                                            .replaceAll("[0-9]+", "#"));
        }
    }

    @Test
    void everySelectorAnswersAndCostsAsUpstreamSays() {
        Upstream.assumeReady();
        List<Difference> differences = new ArrayList<>();
        try (Upstream upstream = Upstream.startAsked("match")) {
            for (long seed = firstSeed; seed < firstSeed + count; seed += BATCH) {
                List<Trial> trials = new ArrayList<>();
                for (long each = seed; each < Math.min(seed + BATCH, firstSeed + count); each++) {
                    trials.add(Trial.of(each));
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

    private Optional<Known> known(Difference difference, Upstream upstream) {
        if (answersByChance(difference, upstream)) {
            return Optional.of(Known.ORDER_OF_A_GO_MAP);
        }
        return difference
                .trial
                .withoutDoubleNames()
                .filter(trial ->
                        theirs(upstream.ask(List.of(trial.line())).getFirst()).isLike(difference.ours))
                .map(_ -> Known.ORDER_OF_A_GO_MAP);
    }

    /** Returns whether upstream has another outcome when the request is repeated. */
    private static boolean answersByChance(Difference difference, Upstream upstream) {
        return upstream.ask(Collections.nCopies(ASKED_AGAIN, difference.trial.line())).stream()
                .map(SelectorDifferenceIT::theirs)
                .anyMatch(again -> !again.isLike(difference.upstream));
    }

    private List<Difference> differences(List<Trial> trials, Upstream upstream, boolean counts) {
        List<DocumentNode.Mapping> answers =
                upstream.ask(trials.stream().map(Trial::line).toList());
        List<Difference> found = new ArrayList<>();
        for (int i = 0; i < trials.size(); i++) {
            Answer theirs = theirs(answers.get(i));
            Answer ours = ours(trials.get(i));
            if (counts) {
                outcomes.merge(theirs.outcome, 1, Integer::sum);
            }
            if (theirs.cost.isEmpty()) {
                ours = ours.withoutCost();
            }
            if (!theirs.isLike(ours)) {
                var difference = new Difference(trials.get(i), theirs, ours);
                Optional<Known> known = known(difference, upstream);
                if (known.isEmpty()) {
                    found.add(difference);
                } else if (counts) {
                    exceptions.merge(known.get(), 1, Integer::sum);
                }
            }
        }
        return found;
    }

    private static Answer theirs(DocumentNode.Mapping answer) {
        boolean varies = answer.text("costVaries").isPresent();
        String cost = varies ? "" : answer.text("cost").orElse("");
        Optional<String> error = answer.text("error");
        if (error.isPresent()) {
            boolean isCompiled = answer.text("compiled").filter("true"::equals).isPresent();
            return isCompiled
                    ? new Answer("runtime error", cost, error.get())
                    : new Answer("compile error", "", error.get());
        }
        return new Answer(answer.text("match").filter("true"::equals).isPresent() ? "yes" : "no", cost, "");
    }

    private Answer ours(Trial trial) {
        try {
            Evaluation evaluation = selectors
                    .computeIfAbsent(trial.setting(), setting -> new CelSelectors(setting.features()))
                    .evaluate(trial.expression.text(), Samples.DRIVER, device(trial.device));
            String cost = Long.toUnsignedString(evaluation.cost());
            return switch (evaluation.match()) {
                case Match.SelectorMatch _ -> new Answer("yes", cost, "");
                case Match.SelectorMismatch _ -> new Answer("no", cost, "");
                case Match.SelectorError failed ->
                    failed.message().startsWith("CEL compile error")
                            ? new Answer("compile error", "", failed.message())
                            : new Answer("runtime error", cost, failed.message());
            };
        } catch (RuntimeException e) {
            return new Answer("EXCEPTION", "", e.toString());
        }
    }

    private static Device device(Tree device) {
        String text = Samples.slice(device).json();
        var in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        var reading = Manifests.read("sample", in, ReadOptions.DEFAULT.with(Strictness.SERVED));
        return ((ResourceSlice) reading.objects().getFirst()).devices().getFirst();
    }

    // ---- report of differences
    // ----------------------------------------------------------------------------------------

    private String report(List<Difference> differences, Upstream upstream) {
        SortedMap<String, List<Difference>> sorts = new TreeMap<>();
        differences.forEach(each ->
                sorts.computeIfAbsent(each.sort(), _ -> new ArrayList<>()).add(each));
        var text = new StringBuilder("%d differences of %d sorts%n".formatted(differences.size(), sorts.size()));
        int shown = 0;
        for (var sort : sorts.entrySet()) {
            text.append("%n== %d times %s%n".formatted(sort.getValue().size(), sort.getKey()));
            int most = sort.getKey().equals("cost") ? 15 : Integer.getInteger("shown", 2);
            for (Difference each :
                    sort.getValue().subList(0, Math.min(most, sort.getValue().size()))) {
                if (shown++ < SHOWN_MAX) {
                    text.append(told(shrunk(each, upstream)));
                }
            }
        }
        return text.toString();
    }

    private static String told(Difference difference) {
        return "seed %d (%s): %s%n  upstream: %s%n  we:       %s%n"
                .formatted(
                        difference.trial.seed,
                        difference.trial.setting(),
                        difference.trial.expression.text(),
                        difference.upstream,
                        difference.ours);
    }

    private Difference shrunk(Difference difference, Upstream upstream) {
        Difference smallest = difference;
        Optional<Difference> smaller = Optional.of(difference);
        while (smaller.isPresent()) {
            smallest = smaller.get();
            smaller = smaller(smallest, upstream);
        }
        return smallest;
    }

    private Optional<Difference> smaller(Difference difference, Upstream upstream) {
        List<Trial> trials = difference.trial.expression.simpler().stream()
                .filter(each -> each.text().length()
                        < difference.trial.expression.text().length())
                .map(difference.trial::with)
                .toList();
        return differences(trials, upstream, false).stream()
                .filter(each -> each.sort().equals(difference.sort()))
                .findFirst();
    }
}
