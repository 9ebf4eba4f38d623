package dev.claimstream.cli;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what costs a process each time that it is looked at. */
final class Slowly {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long BETWEEN_LOOKS_MS = 300;

    private Slowly() {}

    static void await(BooleanSupplier reached, String what) throws InterruptedException {
        await(reached, () -> what);
    }

    /** The same; what is there instead is asked for when it has not come. */
    static void await(BooleanSupplier reached, Supplier<String> what) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not after %s: %s".formatted(PATIENCE, what.get()));
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MS);
        }
    }
}
