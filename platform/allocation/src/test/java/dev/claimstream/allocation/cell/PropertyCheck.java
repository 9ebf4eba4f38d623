package dev.claimstream.allocation.cell;

import java.util.function.Consumer;

/**
 * Checks a property on a random history.
 *
 * <p>A failure reports the seed and a minimal history that still violates the property.
 */
final class PropertyCheck {
    private PropertyCheck() {}

    static void check(long seed, History history, Consumer<History> law) {
        try {
            law.accept(history);
        } catch (AssertionError | RuntimeException broken) {
            History minimal = history.shrink(fewer -> violates(fewer, law, broken.getClass()));
            try {
                law.accept(minimal);
            } catch (AssertionError | RuntimeException again) {
                throw new AssertionError(
                        "seed %d, %d observations are enough:%n%s".formatted(seed, minimal.size(), minimal.text()),
                        again);
            }
        }
    }

    private static boolean violates(History history, Consumer<History> law, Class<?> type) {
        try {
            law.accept(history);
            return false;
        } catch (AssertionError | RuntimeException broken) {
            return type.isInstance(broken);
        }
    }
}
