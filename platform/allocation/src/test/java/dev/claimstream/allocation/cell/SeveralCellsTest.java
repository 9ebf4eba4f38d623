package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random histories over a router and several cells, whose logs are read at random speeds and who restart at random moments. */
class SeveralCellsTest {
    private static final int SIZE = 260;

    static LongStream seeds() {
        return LongStream.range(5000, 5000 + Integer.getInteger("laws.seeds", 40));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothingIsGivenOutTwiceAndNothingThatFitsIsOverlooked(long seed) {
        int cells = 2 + (int) (seed % 3) * (int) (seed % 3);
        Failing.holds(seed, Lives.random(seed, SIZE), history -> {
            var several = new Several(cells, seed);
            for (Observation observation : history.observations()) {
                several.observe(observation);
                several.goOn();
            }
            several.settle();
            assertThat(several.overlooked()).isEmpty();
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whoHasLostEverythingLearnsItAnewAndGivesNothingTwice(long seed) {
        int cells = 2 + (int) (seed % 3) * (int) (seed % 3);
        Failing.holds(seed, Lives.random(seed, SIZE), history -> {
            var several = new Several(cells, seed);
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
