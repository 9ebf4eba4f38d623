package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.ClusterObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests a cell on random histories: rebuilds, determinism, repeated and reordered records.
 *
 * <p>A failure prints the seed and a minimal history.
 */
class LawsTest {
    private static final int SIZE = 260;

    static LongStream seeds() {
        return Campaign.seeds(0, Integer.getInteger("laws.seeds", 40));
    }

    /** Checks a property on the history of a seed. */
    private static void holds(long seed, Consumer<History> law) {
        Failing.holds(seed, Lives.budgeted(seed, SIZE), law);
    }

    private static State empty() {
        return new State(new TextSelectors());
    }

    /** Runs inputs and checks the invariants after every step. */
    private static List<Step> run(State state, List<Input> inputs) {
        var cell = new Cell(state);
        List<Step> steps = new ArrayList<>();
        for (Input input : inputs) {
            steps.add(cell.step(input));
            Invariants.check(state);
        }
        return steps;
    }

    private static Seen after(History history) {
        State state = empty();
        run(state, history.inputs());
        return Seen.of(state);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void factsAloneRebuildTheState(long seed) {
        holds(seed, history -> {
            State live = empty();
            State rebuilt = empty();
            run(live, history.inputs()).forEach(step -> step.facts().forEach(rebuilt::apply));
            assertThat(Seen.of(rebuilt)).isEqualTo(Seen.of(live));
            Invariants.check(rebuilt);
        });
    }

    /** Grouping of equivalent items is an optimization without a visible effect. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void lookingAtEachItemForItselfComesToTheSame(long seed) {
        holds(seed, history -> {
            State together = empty();
            State apart = empty();
            var cell = new Cell(together);
            var other = new Cell(apart);
            for (Input input : history.inputs()) {
                apart.queue().separateAll();
                assertThat(other.step(input)).isEqualTo(cell.step(input));
            }
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theLastFactOfEveryRowIsEnough(long seed) {
        holds(seed, history -> {
            State live = empty();
            Map<String, Fact> last = new LinkedHashMap<>();
            run(live, history.inputs()).forEach(step -> step.facts().forEach(fact -> last.put(fact.key(), fact)));
            State rebuilt = empty();
            last.values().forEach(rebuilt::apply);
            assertThat(Seen.of(rebuilt)).isEqualTo(Seen.of(live));
            State fromRows = State.of(new TextSelectors(), live.rows().values());
            assertThat(Seen.of(fromRows)).isEqualTo(Seen.of(live));
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theSameHistoryLeadsToTheSameSteps(long seed) {
        holds(seed, history -> assertThat(run(empty(), history.inputs())).isEqualTo(run(empty(), history.inputs())));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void anInputThatWasTakenBeforeLeadsToNothing(long seed) {
        holds(seed, history -> {
            State state = empty();
            List<Input> inputs = history.inputs();
            run(state, inputs);
            Seen before = Seen.of(state);
            assertThat(run(state, inputs))
                    .allSatisfy(step -> assertThat(step.facts()).isEmpty());
            assertThat(Seen.of(state)).isEqualTo(before);
        });
    }

    // ---- repeated, late and reordered records

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void seeingEverythingTwiceChangesNothingThatIsSeen(long seed) {
        holds(seed, history -> {
            List<Observation> twice = new ArrayList<>();
            history.observations().forEach(each -> {
                twice.add(each);
                twice.add(each);
            });
            assertThat(after(new History(twice)).observed())
                    .isEqualTo(after(history).observed());
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void seeingSomethingAgainMuchLaterChangesNothingThatIsSeen(long seed) {
        holds(seed, history -> sameIsSeen(history.withEchoes(seed), history));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theOrderBetweenDifferentObjectsChangesNothingThatIsSeen(long seed) {
        holds(seed, history -> sameIsSeen(history.shuffled(seed, true), history));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void evenTheOrderOfWordsAboutOneObjectChangesNothingWithinOneListing(long seed) {
        holds(seed, history -> sameIsSeen(history.shuffled(seed, false), history));
    }

    private static void sameIsSeen(History other, History history) {
        List<String> expected = after(history).observed();
        List<String> actual = after(other).observed();
        assertThat(actual.stream().filter(each -> !expected.contains(each)))
                .as(
                        "rows that should not be, instead of %s",
                        expected.stream().filter(each -> !actual.contains(each)).toList())
                .isEmpty();
        assertThat(actual).hasSameSizeAs(expected);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void afterAListOfEverythingTheCellKnowsWhatStandsAndNothingElseEvenIfTheListLags(long seed) {
        Lives.Ended ended = Lives.ended(seed, SIZE, seed % 2 == 1);
        assertThat(known(ended.history())).as("seed %d", seed).isEqualTo(byKey(ended.standing()));
    }

    /** Every third seed has two watchers, and some changes are reported by only one of them. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatStandsIsKnownWhicheverWatcherHasToldIt(long seed) {
        Lives.Ended told = Lives.told(seed, SIZE);
        assertThat(known(told.history())).as("seed %d", seed).containsAllEntriesOf(byKey(told.standing()));
    }

    private static SortedMap<String, ClusterObject> byKey(List<ClusterObject> objects) {
        SortedMap<String, ClusterObject> byKey = new TreeMap<>();
        objects.forEach(object -> byKey.put(Row.ObjectRow.key(object.kind(), object.key()), object));
        return byKey;
    }

    private static SortedMap<String, ClusterObject> known(History history) {
        SortedMap<String, ClusterObject> known = new TreeMap<>();
        after(history).rows().forEach((key, row) -> {
            if (row instanceof Row.ObjectRow object) {
                object.content().ifPresent(content -> known.put(key, content));
            }
        });
        return known;
    }

    // ---- rebuilt state

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aRebuiltStateGoesOnAsTheLiveOneDoes(long seed) {
        holds(seed, history -> {
            List<Input> inputs = history.inputs();
            List<Step> live = run(empty(), inputs);
            var random = new Random(seed);
            for (int i = 0; i < 3 && !inputs.isEmpty(); i++) {
                int cut = random.nextInt(inputs.size());
                State before = empty();
                run(before, inputs.subList(0, cut));
                State rebuilt = State.of(new TextSelectors(), before.rows().values());
                assertThat(run(rebuilt, inputs.subList(cut, inputs.size())))
                        .as("rebuilt before input %d", cut)
                        .isEqualTo(live.subList(cut, live.size()));
            }
        });
    }
}
