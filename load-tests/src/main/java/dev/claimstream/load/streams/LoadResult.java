package dev.claimstream.load.streams;

import java.time.Duration;
import java.util.Optional;

/**
 * The result of one run of the load generator.
 *
 * @param released number of claims whose release was read in the window
 * @param pending number of claims whose first decision was pending
 * @param overload present if the rate could not be sustained
 */
public record LoadResult(
        LoadProfile pace,
        Duration length,
        long released,
        long pending,
        Latencies latencies,
        CpuUse cpu,
        Optional<RateOverload> overload) {
    /** Returns the claims per second that were allocated and released. */
    public double perSecond() {
        return released / seconds();
    }

    /** Returns the processor time per claim in microseconds, of the whole JVM. */
    public double cpuMicrosPerClaim() {
        return released == 0 ? 0 : cpu.total().toNanos() / 1e3 / released;
    }

    /** Returns the mean number of busy processors. */
    public double processors() {
        return cpu.total().toNanos() / 1e9 / seconds();
    }

    private double seconds() {
        return length.toNanos() / 1e9;
    }
}
