package dev.claimstream.load.streams;

import java.time.Duration;
import java.util.Optional;

/**
 * What came of traffic at one pace.
 *
 * @param released claims whose release was read while it was measured
 * @param waited claims whose first answer was that they wait
 * @param behind how far it was behind where the pace was not held
 */
public record Round(
        Pace pace,
        Duration length,
        long released,
        long waited,
        Latencies latencies,
        CpuUse cpu,
        Optional<Behind> behind) {
    /** Claims a second, granted and released. */
    public double perSecond() {
        return released / seconds();
    }

    /** Processor time per claim in microseconds, of everything in this JVM. */
    public double cpuMicrosPerClaim() {
        return released == 0 ? 0 : cpu.total().toNanos() / 1e3 / released;
    }

    /** Processors that were busy on average. */
    public double processors() {
        return cpu.total().toNanos() / 1e9 / seconds();
    }

    private double seconds() {
        return length.toNanos() / 1e9;
    }
}
