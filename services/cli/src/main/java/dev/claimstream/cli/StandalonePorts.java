package dev.claimstream.cli;

import java.util.OptionalInt;

/** Loopback ports of broker and registry; empty for any free port. */
record StandalonePorts(OptionalInt broker, OptionalInt registry) {
    static StandalonePorts free() {
        return new StandalonePorts(OptionalInt.empty(), OptionalInt.empty());
    }
}
