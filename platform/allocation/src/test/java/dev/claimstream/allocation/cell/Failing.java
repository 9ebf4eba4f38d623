package dev.claimstream.allocation.cell;

import java.util.function.Consumer;

/**
 * Checks a property on a random history.
 *
 * <p>A failure reports the seed and a minimal history that still violates the property.
 */
final class Failing {
    private Failing() {}

    static void holds(long seed, History history, Consumer<History> law) {
        try {
            law.accept(history);
        } catch (AssertionError | RuntimeException broken) {
            History few = history.shrunk(fewer -> breaks(fewer, law, broken.getClass()));
            try {
                law.accept(few);
            } catch (AssertionError | RuntimeException again) {
                throw new AssertionError(
                        "seed %d, %d observations are enough:%n%s".formatted(seed, few.size(), few.text()), again);
            }
        }
    }

    private static boolean breaks(History history, Consumer<History> law, Class<?> how) {
        try {
            law.accept(history);
            return false;
        } catch (AssertionError | RuntimeException broken) {
            return how.isInstance(broken);
        }
    }
}
