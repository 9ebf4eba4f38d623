package dev.claimstream.allocation.oracle;

import dev.claimstream.dra.Allocation;
import java.util.List;

/** The result of the oracle for one node. */
public sealed interface OracleResult {
    /** The number of calls of {@code allocateOne}. */
    long calls();

    /** The item fits; one allocation per claim. */
    record Fits(List<Allocation> allocations, long calls) implements OracleResult {}

    /** The item does not fit. */
    record No(long calls) implements OracleResult {}

    /** Upstream's allocator returns an error with this message. */
    record Fails(String message, long calls) implements OracleResult {}

    /** The problem exceeds the call limit of the oracle. */
    record TooLong(long calls) implements OracleResult {}
}
