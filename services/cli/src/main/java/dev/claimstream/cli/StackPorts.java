package dev.claimstream.cli;

import java.util.OptionalInt;

/** Where broker and registry listen on loopback; absent: any free port. */
record StackPorts(OptionalInt broker, OptionalInt registry) {
    static StackPorts free() {
        return new StackPorts(OptionalInt.empty(), OptionalInt.empty());
    }
}
