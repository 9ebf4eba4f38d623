package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests a router and several cells on random histories, with random consumption speeds and restarts. */
class SeveralCellsTest {
    private static final int SIZE = 260;

    static LongStream seeds() {
        return Campaign.seeds(5000, Integer.getInteger("laws.seeds", 40));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothingIsGivenOutTwiceAndNothingThatFitsIsOverlooked(long seed) {
        Failing.holds(
                seed,
                Lives.random(seed, SIZE),
                history -> assertThat(after(history, seed).overlooked()).isEmpty());
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatIsSeenAgainAtOnceOrMuchLaterChangesNothingThatIsSeen(long seed) {
        sameIsSeen(seed, history -> history.withEchoes(seed));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theOrderBetweenDifferentObjectsChangesNothingThatIsSeen(long seed) {
        sameIsSeen(seed, history -> history.shuffled(seed, true));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void echoesInAnotherOrderChangeNothingThatIsSeen(long seed) {
        sameIsSeen(seed, history -> history.shuffled(seed, true).withEchoes(seed));
    }

    /** Decisions may differ, because the cells consume at other times. The observed objects may not. */
    private static void sameIsSeen(long seed, UnaryOperator<History> disturbed) {
        Failing.holds(seed, Lives.random(seed, SIZE), history -> {
            Several other = after(disturbed.apply(history), seed);
            assertThat(other.observed()).isEqualTo(after(history, seed).observed());
            assertThat(other.overlooked()).isEmpty();
        });
    }

    /** Grouping of equivalent items is an optimization without a visible effect. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void lookingAtEachItemForItselfComesToTheSame(long seed) {
        Failing.holds(
                seed,
                Lives.random(seed, SIZE),
                history -> assertThat(after(history, several(seed).lookingAtEach()).said)
                        .isEqualTo(after(history, seed).said));
    }

    private static Several after(History history, long seed) {
        return after(history, several(seed));
    }

    private static Several after(History history, Several several) {
        for (Observation observation : history.observations()) {
            several.observe(observation);
            several.goOn();
        }
        several.settle();
        return several;
    }

    /** Most seeds have few open offers per cell, so that the limit matters in a small history. */
    private static Several several(long seed) {
        int cells = 2 + (int) (seed % 3) * (int) (seed % 3);
        return new Several(cells, seed, 1 + (int) (seed % 4) * (int) (seed % 4));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whoHasLostEverythingLearnsItAnewAndGivesNothingTwice(long seed) {
        Failing.holds(seed, Lives.random(seed, SIZE), history -> {
            var several = several(seed);
            var random = new Random(seed);
            for (Observation observation : history.observations()) {
                several.observe(observation);
                several.goOn();
                if (random.nextInt(80) == 0) {
                    several.rebuild(random.nextBoolean());
                }
            }
            several.rebuild(random.nextBoolean());
            several.settle();
            assertThat(several.overlooked()).isEmpty();
        });
    }
}
