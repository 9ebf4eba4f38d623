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
class CellPropertyTest {
    private static final int SIZE = 260;

    static LongStream seeds() {
        return Campaign.seeds(0, Integer.getInteger("laws.seeds", 40));
    }

    /** Checks a property on the history of a seed. */
    private static void check(long seed, Consumer<History> law) {
        PropertyCheck.check(seed, HistoryGenerator.randomWithBudget(seed, SIZE), law);
    }

    private static State emptyState() {
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

    private static StateSnapshot snapshotAfter(History history) {
        State state = emptyState();
        run(state, history.inputs());
        return StateSnapshot.of(state);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rebuildsStateFromFacts(long seed) {
        check(seed, history -> {
            State live = emptyState();
            State rebuilt = emptyState();
            run(live, history.inputs()).forEach(step -> step.facts().forEach(rebuilt::apply));
            assertThat(StateSnapshot.of(rebuilt)).isEqualTo(StateSnapshot.of(live));
            Invariants.check(rebuilt);
        });
    }

    /** Grouping of equivalent items is an optimization without a visible effect. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void decidesSameWithoutGroupingItems(long seed) {
        check(seed, history -> {
            State together = emptyState();
            State apart = emptyState();
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
    void rebuildsStateFromLastFactOfEachRow(long seed) {
        check(seed, history -> {
            State live = emptyState();
            Map<String, Fact> last = new LinkedHashMap<>();
            run(live, history.inputs()).forEach(step -> step.facts().forEach(fact -> last.put(fact.key(), fact)));
            State rebuilt = emptyState();
            last.values().forEach(rebuilt::apply);
            assertThat(StateSnapshot.of(rebuilt)).isEqualTo(StateSnapshot.of(live));
            State fromRows = State.of(new TextSelectors(), live.rows().values());
            assertThat(StateSnapshot.of(fromRows)).isEqualTo(StateSnapshot.of(live));
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void producesSameStepsForSameHistory(long seed) {
        check(
                seed,
                history ->
                        assertThat(run(emptyState(), history.inputs())).isEqualTo(run(emptyState(), history.inputs())));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void ignoresInputsWithEarlierOffsets(long seed) {
        check(seed, history -> {
            State state = emptyState();
            List<Input> inputs = history.inputs();
            run(state, inputs);
            StateSnapshot before = StateSnapshot.of(state);
            assertThat(run(state, inputs))
                    .allSatisfy(step -> assertThat(step.facts()).isEmpty());
            assertThat(StateSnapshot.of(state)).isEqualTo(before);
        });
    }

    // ---- repeated, late and reordered records

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsObjectsAfterImmediateRepetitions(long seed) {
        check(seed, history -> {
            List<Observation> twice = new ArrayList<>();
            history.observations().forEach(each -> {
                twice.add(each);
                twice.add(each);
            });
            assertThat(snapshotAfter(new History(twice)).observedRows())
                    .isEqualTo(snapshotAfter(history).observedRows());
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsObjectsAfterLateRepetitions(long seed) {
        check(seed, history -> assertSameObservations(history.withRepetitions(seed), history));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsObjectsAfterReorderingBetweenObjects(long seed) {
        check(seed, history -> assertSameObservations(history.shuffle(seed, true), history));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsObjectsAfterReorderingWithinOneList(long seed) {
        check(seed, history -> assertSameObservations(history.shuffle(seed, false), history));
    }

    private static void assertSameObservations(History other, History history) {
        List<String> expected = snapshotAfter(history).observedRows();
        List<String> actual = snapshotAfter(other).observedRows();
        assertThat(actual.stream().filter(each -> !expected.contains(each)))
                .as(
                        "rows that should not be, instead of %s",
                        expected.stream().filter(each -> !actual.contains(each)).toList())
                .isEmpty();
        assertThat(actual).hasSameSizeAs(expected);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void knowsExactlyExistingObjectsAfterRelistOfAllKinds(long seed) {
        HistoryGenerator.HistoryWithObjects generated =
                HistoryGenerator.randomWithFinalLists(seed, SIZE, seed % 2 == 1);
        assertThat(knownObjects(generated.history())).as("seed %d", seed).isEqualTo(byKey(generated.objects()));
    }

    /** Every third seed has two watchers, and some changes are reported by only one of them. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void knowsObjectsReportedByEitherWatcher(long seed) {
        HistoryGenerator.HistoryWithObjects generated = HistoryGenerator.randomWithObjects(seed, SIZE);
        assertThat(knownObjects(generated.history()))
                .as("seed %d", seed)
                .containsAllEntriesOf(byKey(generated.objects()));
    }

    private static SortedMap<String, ClusterObject> byKey(List<ClusterObject> objects) {
        SortedMap<String, ClusterObject> byKey = new TreeMap<>();
        objects.forEach(object ->
                byKey.put(ObservedRow.ObjectRow.key(object.kind(), object.key()).text(), object));
        return byKey;
    }

    private static SortedMap<String, ClusterObject> knownObjects(History history) {
        SortedMap<String, ClusterObject> known = new TreeMap<>();
        snapshotAfter(history).rows().forEach((key, row) -> {
            if (row instanceof ObservedRow.ObjectRow object) {
                object.content().ifPresent(content -> known.put(key, content));
            }
        });
        return known;
    }

    // ---- rebuilt state

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rebuiltStateProducesSameStepsAsLiveState(long seed) {
        check(seed, history -> {
            List<Input> inputs = history.inputs();
            List<Step> live = run(emptyState(), inputs);
            var random = new Random(seed);
            for (int i = 0; i < 3 && !inputs.isEmpty(); i++) {
                int cut = random.nextInt(inputs.size());
                State before = emptyState();
                run(before, inputs.subList(0, cut));
                State rebuilt = State.of(new TextSelectors(), before.rows().values());
                assertThat(run(rebuilt, inputs.subList(cut, inputs.size())))
                        .as("rebuilt before input %d", cut)
                        .isEqualTo(live.subList(cut, live.size()));
            }
        });
    }
}
