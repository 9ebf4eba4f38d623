package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.TextSelectors;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a trial leaves no row, and that later decisions do not depend on it, on random histories. A failure prints the
 * seed and a minimal history.
 */
class TrialPropertyTest {
    private static final int SIZE = 160;
    private static final int TRIAL_SIZE = 12;
    private static final int INPUTS_PER_TRIAL = 5;

    static LongStream seeds() {
        return Campaign.seeds(0, Integer.getInteger("laws.seeds", 20));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void decidesSameAfterTrialsAsWithoutThem(long seed) {
        PropertyCheck.check(seed, HistoryGenerator.random(seed, SIZE), history -> {
            var tried = new Cell(new State(new TextSelectors()));
            var untouched = new Cell(new State(new TextSelectors()));
            var random = new Random(seed);
            for (Input input : history.inputs()) {
                if (random.nextInt(INPUTS_PER_TRIAL) == 0) {
                    var before = StateSnapshot.of(tried.state());
                    runTrial(tried, history, random, input);
                    assertThat(StateSnapshot.of(tried.state())).isEqualTo(before);
                }
                assertThat(tried.step(input).outputs())
                        .isEqualTo(untouched.step(input).outputs());
                Invariants.check(tried.state());
            }
        });
    }

    /** Processes observations of the whole history, also later ones, in random order. */
    private static void runTrial(Cell cell, History history, Random random, Input input) {
        try (Trial trial = Trial.begin(cell, input.at())) {
            for (int i = 0; i < TRIAL_SIZE; i++) {
                trial.step(history.observations().get(random.nextInt(history.size())));
                Invariants.check(cell.state());
            }
            trial.finishWork(TRIAL_SIZE);
        }
    }

    @Test
    void rejectsSecondTrialOfState() {
        var cell = new Cell(new State(new TextSelectors()));
        try (Trial _ = Trial.begin(cell, History.START)) {
            assertThatThrownBy(() -> Trial.begin(cell, History.START))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("close it first");
        }
        try (Trial again = Trial.begin(cell, History.START)) {
            assertThat(again.step(new Observation.Tick()).facts()).isNotEmpty();
        }
        assertThat(cell.state().rows()).isEqualTo(new State(new TextSelectors()).rows());
        assertThat(List.copyOf(cell.state().rows().values())).isEmpty();
    }

    @Test
    void keepsEffectsOnRequest() {
        var cell = new Cell(new State(new TextSelectors()));
        try (Trial trial = Trial.begin(cell, History.START)) {
            trial.step(new Observation.Tick());
            trial.keep();
        }
        assertThat(cell.state().rows()).isNotEmpty();
        try (Trial again = Trial.begin(cell, History.START)) {
            again.step(new Observation.Tick());
        }
        assertThat(cell.state().count().offset()).as("of the first trial").isZero();
    }
}
