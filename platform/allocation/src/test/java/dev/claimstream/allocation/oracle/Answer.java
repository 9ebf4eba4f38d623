package dev.claimstream.allocation.oracle;

import dev.claimstream.dra.Allocation;
import java.util.List;

/** What upstream's allocator returns for one node. */
public sealed interface Answer {
    /** How often {@code allocateOne} was called. */
    long calls();

    /** It fits; one allocation per claim. */
    record Fits(List<Allocation> allocations, long calls) implements Answer {}

    /** It does not fit. */
    record No(long calls) implements Answer {}

    /** An error, in upstream's words. */
    record Fails(String message, long calls) implements Answer {}

    /** The oracle gave up: it is naive, and the problem is too large for it. */
    record TooLong(long calls) implements Answer {}
}
