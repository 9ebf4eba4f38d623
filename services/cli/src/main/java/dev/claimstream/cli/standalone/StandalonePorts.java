package dev.claimstream.cli.standalone;

import java.util.OptionalInt;

/** Loopback ports of broker and registry; empty for any free port. */
public record StandalonePorts(OptionalInt broker, OptionalInt registry) {
    public static StandalonePorts free() {
        return new StandalonePorts(OptionalInt.empty(), OptionalInt.empty());
    }
}
