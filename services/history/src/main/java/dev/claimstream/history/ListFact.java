package dev.claimstream.history;

import java.util.List;

/**
 * How many partitions have reported the end of the last list of a source and kind.
 *
 * @param seen cell and partition of each report, as cell/partition
 */
record ListFact(long epoch, List<String> seen) {
    ListFact {
        seen = List.copyOf(seen);
    }
}
