package dev.claimstream.cli;

import java.util.OptionalInt;

/** Loopback ports of broker and registry; empty for any free port. */
record StackPorts(OptionalInt broker, OptionalInt registry) {
    static StackPorts free() {
        return new StackPorts(OptionalInt.empty(), OptionalInt.empty());
    }
}
