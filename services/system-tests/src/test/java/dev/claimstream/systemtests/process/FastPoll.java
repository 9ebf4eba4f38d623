package dev.claimstream.systemtests.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls a cheap condition that another thread fulfils, every 10 ms for up to 20 s. */
public final class FastPoll {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration STEP = Duration.ofMillis(10);

    private FastPoll() {}

    public static void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            LockSupport.parkNanos(STEP.toNanos());
        }
        assertThat(condition.getAsBoolean()).as("%s, after %s", what, LIMIT).isTrue();
    }
}
