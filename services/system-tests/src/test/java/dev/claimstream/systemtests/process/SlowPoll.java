package dev.claimstream.systemtests.process;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Polls a condition whose check starts a process, every 300 ms for up to 2 minutes. */
public final class SlowPoll {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long BETWEEN_LOOKS_MS = 300;

    private SlowPoll() {}

    public static void await(BooleanSupplier reached, String what) throws InterruptedException {
        await(reached, () -> what);
    }

    /**
     * Waits for the condition.
     *
     * @param what supplies the actual state for the error
     */
    public static void await(BooleanSupplier reached, Supplier<String> what) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("not after %s: %s".formatted(PATIENCE, what.get()));
            }
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MS);
        }
    }
}
