package dev.claimstream.scenarios.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Chance from a seed. */
final class Dice {
    private final Random random;

    Dice(long seed) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
    }

    /** True that often in a hundred. */
    boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    /** A number from the first to the last. */
    int between(int first, int last) {
        return first + random.nextInt(last - first + 1);
    }

    @SafeVarargs
    final <T> T of(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    <T> T of(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** Some of them, in their order. */
    <T> List<T> some(List<T> choices, int percent) {
        List<T> taken = new ArrayList<>();
        choices.forEach(each -> {
            if (chance(percent)) {
                taken.add(each);
            }
        });
        return taken;
    }
}
