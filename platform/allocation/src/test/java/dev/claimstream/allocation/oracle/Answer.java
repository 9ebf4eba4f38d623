package dev.claimstream.allocation.oracle;

import dev.claimstream.dra.Allocation;
import java.util.List;

/** The result of the oracle for one node. */
public sealed interface Answer {
    /** The number of calls of {@code allocateOne}. */
    long calls();

    /** The item fits; one allocation per claim. */
    record Fits(List<Allocation> allocations, long calls) implements Answer {}

    /** The item does not fit. */
    record No(long calls) implements Answer {}

    /** Upstream's allocator returns an error with this message. */
    record Fails(String message, long calls) implements Answer {}

    /** The problem exceeds the call limit of the oracle. */
    record TooLong(long calls) implements Answer {}
}
