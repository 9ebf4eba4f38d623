package dev.claimstream.scenarios.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Chance from a seed, which bytes may steer. */
final class Dice {
    private static final byte[] NOBODY = {};

    private final Random random;
    private final byte[] steering;
    private int steered;

    private Dice(long seed, byte[] steering, int from) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        this.steering = steering;
        this.steered = from;
    }

    Dice(long seed) {
        this(seed, NOBODY, 0);
    }

    /** The first byte is a seed; each that follows moves one throw, so that a small change of the bytes is a small change of what is made. */
    static Dice of(byte[] bytes) {
        return bytes.length == 0 ? new Dice(0) : new Dice(bytes[0], bytes.clone(), 1);
    }

    private int below(int bound) {
        int thrown = random.nextInt(bound);
        return steered < steering.length ? (thrown + Byte.toUnsignedInt(steering[steered++])) % bound : thrown;
    }

    /** True that often in a hundred. */
    boolean chance(int percent) {
        return below(100) < percent;
    }

    /** A number from the first to the last. */
    int between(int first, int last) {
        return first + below(last - first + 1);
    }

    @SafeVarargs
    final <T> T of(T... choices) {
        return choices[below(choices.length)];
    }

    <T> T of(List<T> choices) {
        return choices.get(below(choices.size()));
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
