package dev.claimstream.allocation.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares scaled counter arithmetic with exact arithmetic on the same amounts. */
class CounterScaleTest {
    private static final List<String> AMOUNTS = List.of(
            "0",
            "1",
            "2",
            "3",
            "0.5",
            "0.0015",
            "4",
            "7",
            "1073741824",
            "5e18",
            "8e18",
            "9223372036854775807",
            "9007199254740993",
            "50e18",
            "1e30",
            "3e30",
            "-1",
            "-3e18");

    private static BigDecimal amount(String text) {
        return new BigDecimal(text);
    }

    private static List<BigDecimal> amounts(String... texts) {
        return List.of(texts).stream().map(CounterScaleTest::amount).toList();
    }

    /** Subtracts like upstream. Negative consumption, or consumption above the total, never fits. */
    private static boolean fitsByAmounts(BigDecimal available, List<BigDecimal> allocated, BigDecimal wanted) {
        boolean areHeldPossible =
                allocated.stream().allMatch(each -> each.signum() >= 0 && each.compareTo(available) <= 0);
        BigDecimal left = allocated.stream().reduce(available, BigDecimal::subtract);
        return areHeldPossible && wanted.signum() >= 0 && wanted.compareTo(left) <= 0;
    }

    private static boolean fitsByLimbs(CounterScale scale, List<BigDecimal> allocated, BigDecimal wanted) {
        int width = scale.unit().width();
        Limbs limbs = Limbs.of(List.of(width));
        int[] places = IntStream.range(0, width).toArray();
        long[] remaining = scale.total();
        allocated.forEach(each -> limbs.subtract(remaining, places, scale.consumed(each)));
        return limbs.covers(remaining, places, scale.consumed(wanted));
    }

    @Test
    void agreesWithExactAmounts() {
        long seed = Long.getLong("seed", 1);
        var random = new Random(seed);
        int wide = 0;
        for (int i = 0; i < 100_000; i++) {
            BigDecimal available = amount(AMOUNTS.get(random.nextInt(AMOUNTS.size() - 2)));
            List<BigDecimal> consumptions = new ArrayList<>();
            int size = 1 + random.nextInt(5);
            for (int j = 0; j < size; j++) {
                consumptions.add(amount(AMOUNTS.get(random.nextInt(AMOUNTS.size()))));
            }
            var scale = CounterScale.of(available, consumptions);
            List<BigDecimal> allocated = consumptions.subList(0, random.nextInt(size));
            BigDecimal wanted = consumptions.getLast();
            boolean byNumbers = fitsByLimbs(scale, allocated, wanted);
            boolean byAmounts = fitsByAmounts(available, allocated, wanted);
            String description = "seed %d, %d: %s of %s beside %s".formatted(seed, i, wanted, available, allocated);
            assertThat(byNumbers).as(description).isEqualTo(byAmounts);
            wide += scale.unit().width() > 1 ? 1 : 0;
        }
        assertThat(wide).isGreaterThan(10_000);
    }

    @Test
    void infeasibleConsumptionDoesNotAddLimbs() {
        var scale = CounterScale.of(amount("4"), amounts("1", "3", "50e18"));
        assertThat(scale.total()).containsExactly(4);
        assertThat(scale.consumed(amount("3"))).containsExactly(3);
        assertThat(scale.consumed(amount("50e18"))).containsExactly(CounterScale.INFEASIBLE);
    }

    @Test
    void storesAmountsOf62BitsInOneLimb() {
        var scale = CounterScale.of(amount("4611686018427387903"), amounts("1", "4611686018427387902"));
        assertThat(scale.total()).containsExactly(4_611_686_018_427_387_903L);
    }

    @Test
    void storesLargeAmountsWithCommonDivisorInOneLimb() {
        var scale =
                CounterScale.of(amount("27670116110564327424"), amounts("9223372036854775808", "18446744073709551616"));
        assertThat(scale.total()).containsExactly(3);
    }

    @Test
    void rejectsEveryAmountIfOvercommitted() {
        for (String tiny : List.of("8e18", "1")) {
            var scale = CounterScale.of(amount("8e18"), amounts("8e18", "8e18", "8e18", tiny));
            assertThat(fitsByLimbs(scale, amounts("8e18", "8e18", "8e18"), amount(tiny)))
                    .isFalse();
        }
    }
}
