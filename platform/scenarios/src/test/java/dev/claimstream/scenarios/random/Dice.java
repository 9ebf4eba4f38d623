package dev.claimstream.scenarios.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A pseudo-random source with a seed, optionally steered by bytes. */
final class Dice {
    private static final byte[] NO_STEERING = {};

    private final Random random;
    private final byte[] steering;
    private int steeringIndex;

    private Dice(long seed, byte[] steering, int from) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        this.steering = steering;
        this.steeringIndex = from;
    }

    Dice(long seed) {
        this(seed, NO_STEERING, 0);
    }

    /**
     * Returns a source steered by bytes. The first byte is the seed, and each further byte shifts one number, so that a
     * small change of the bytes is a small change of the result.
     */
    static Dice of(byte[] bytes) {
        return bytes.length == 0 ? new Dice(0) : new Dice(bytes[0], bytes.clone(), 1);
    }

    private int below(int bound) {
        int thrown = random.nextInt(bound);
        return steeringIndex < steering.length
                ? (thrown + Byte.toUnsignedInt(steering[steeringIndex++])) % bound
                : thrown;
    }

    /** Returns true with this probability. */
    boolean chance(int percent) {
        return below(100) < percent;
    }

    /** Returns a number between both bounds, inclusive. */
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

    /** Returns each element with this probability, in the original order. */
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
