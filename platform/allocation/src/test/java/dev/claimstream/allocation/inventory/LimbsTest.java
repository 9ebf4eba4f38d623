package dev.claimstream.allocation.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares arithmetic on limbs with arithmetic of {@link BigInteger}. */
class LimbsTest {
    private final Random random = new Random(Long.getLong("seed", 1));

    @Test
    void agreesWithBigInteger() {
        for (int i = 0; i < 20_000; i++) {
            List<Integer> widths = IntStream.range(0, 1 + random.nextInt(3))
                    .mapToObj(each -> 1 + random.nextInt(3))
                    .toList();
            List<BigInteger> left = new ArrayList<>(numbers(widths));
            Limbs limbs = Limbs.of(widths);
            long[] array = split(left, widths);
            int[] indexes = IntStream.range(0, limbs.size()).toArray();
            assertThat(limbs.values(array)).isEqualTo(left);
            for (int take = 0; take < 3; take++) {
                List<BigInteger> amounts = numbers(widths);
                long[] subtrahend = split(amounts, widths);
                boolean isCovered = IntStream.range(0, left.size())
                        .allMatch(each -> left.get(each).compareTo(amounts.get(each)) >= 0);
                assertThat(limbs.covers(array, indexes, subtrahend))
                        .as("%s of %s", amounts, left)
                        .isEqualTo(isCovered);
                long[] before = array.clone();
                limbs.subtract(array, indexes, subtrahend);
                for (int each = 0; each < left.size(); each++) {
                    left.set(each, left.get(each).subtract(amounts.get(each)));
                }
                assertThat(limbs.values(array)).isEqualTo(left);
                if (isCovered) {
                    long[] back = array.clone();
                    limbs.add(back, indexes, subtrahend);
                    assertThat(back).isEqualTo(before);
                }
            }
        }
    }

    /** Random numbers and numbers at limb boundaries. */
    private List<BigInteger> numbers(List<Integer> widths) {
        return widths.stream()
                .map(width -> switch (random.nextInt(3)) {
                    case 0 -> new BigInteger(1 + random.nextInt(width * Limbs.BITS - 1), random);
                    case 1 -> BigInteger.ONE.shiftLeft((width - 1) * Limbs.BITS);
                    default ->
                        BigInteger.ONE.shiftLeft((width - 1) * Limbs.BITS).subtract(BigInteger.ONE);
                })
                .toList();
    }

    private static long[] split(List<BigInteger> numbers, List<Integer> widths) {
        return IntStream.range(0, numbers.size())
                .mapToObj(each -> Limbs.split(numbers.get(each), widths.get(each)))
                .flatMapToLong(Arrays::stream)
                .toArray();
    }

    @Test
    void subtractsOnlyAtSelectedPositions() {
        Limbs limbs = Limbs.concat(List.of(Limbs.of(List.of(1, 2)), Limbs.of(List.of(1))));
        long[] remaining = {5, 1, 0, 7};
        limbs.subtract(remaining, new int[] {1, 2}, new long[] {0, 1});
        assertThat(remaining).containsExactly(5, 0, (1L << Limbs.BITS) - 1, 7);
    }

    @Test
    void staysNegativeBelowRange() {
        Limbs limbs = Limbs.of(List.of(1));
        long[] remaining = {0};
        for (int i = 0; i < 3; i++) {
            limbs.subtract(remaining, new int[] {0}, new long[] {CounterScale.INFEASIBLE});
        }
        assertThat(remaining).containsExactly(Long.MIN_VALUE);
    }
}
