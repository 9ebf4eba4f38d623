package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests a router and several cells on random histories, with random consumption speeds and restarts. */
class MultiCellPropertyTest {
    private static final int SIZE = 260;

    static LongStream seeds() {
        return Campaign.seeds(5000, Integer.getInteger("laws.seeds", 40));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void allocatesOnceAndLeavesNoFittingItemPending(long seed) {
        PropertyCheck.check(seed, HistoryGenerator.random(seed, SIZE), history -> {
            MultiCellSimulation simulation = replay(history, seed);
            assertThat(simulation.findOmissions()).isEmpty();
            simulation.settleRevocations();
            assertThat(simulation.findOmissions()).isEmpty();
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsObjectsAfterRepetitions(long seed) {
        assertSameObservations(seed, history -> history.withRepetitions(seed));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsObjectsAfterReorderingBetweenObjects(long seed) {
        assertSameObservations(seed, history -> history.shuffle(seed, true));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsObjectsAfterReorderedRepetitions(long seed) {
        assertSameObservations(seed, history -> history.shuffle(seed, true).withRepetitions(seed));
    }

    /** Decisions may differ, because the cells consume at other times. The observed objects may not. */
    private static void assertSameObservations(long seed, UnaryOperator<History> disturbed) {
        PropertyCheck.check(seed, HistoryGenerator.random(seed, SIZE), history -> {
            MultiCellSimulation other = replay(disturbed.apply(history), seed);
            assertThat(other.observedRows()).isEqualTo(replay(history, seed).observedRows());
            assertThat(other.findOmissions()).isEmpty();
        });
    }

    /** Grouping of equivalent items is an optimization without a visible effect. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void decidesSameWithoutGroupingItems(long seed) {
        PropertyCheck.check(
                seed,
                HistoryGenerator.random(seed, SIZE),
                history -> assertThat(replay(history, simulation(seed).withoutGrouping()).outputs)
                        .isEqualTo(replay(history, seed).outputs));
    }

    private static MultiCellSimulation replay(History history, long seed) {
        return replay(history, simulation(seed));
    }

    private static MultiCellSimulation replay(History history, MultiCellSimulation simulation) {
        for (Observation observation : history.observations()) {
            simulation.observe(observation);
            simulation.runSomeSteps();
        }
        simulation.settle();
        return simulation;
    }

    /** Most seeds have few open offers per cell, so that the limit matters in a small history. */
    private static MultiCellSimulation simulation(long seed) {
        int cells = 2 + (int) (seed % 3) * (int) (seed % 3);
        return new MultiCellSimulation(cells, seed, 1 + (int) (seed % 4) * (int) (seed % 4));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rebuildsFromTopicsWithoutDoubleAllocation(long seed) {
        PropertyCheck.check(seed, HistoryGenerator.random(seed, SIZE), history -> {
            var simulation = simulation(seed);
            var random = new Random(seed);
            for (Observation observation : history.observations()) {
                simulation.observe(observation);
                simulation.runSomeSteps();
                if (random.nextInt(80) == 0) {
                    simulation.rebuild(random.nextBoolean());
                }
            }
            simulation.rebuild(random.nextBoolean());
            simulation.settle();
            assertThat(simulation.findOmissions()).isEmpty();
            simulation.settleRevocations();
            assertThat(simulation.findOmissions()).isEmpty();
        });
    }
}
