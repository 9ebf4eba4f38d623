package dev.claimstream.allocator.streams;

import java.util.OptionalLong;

/** What Kafka knows about the log of a cell besides its records. */
interface CellLog {
    /**
     * Where a log and its reader stand.
     *
     * @param id of the topic; a topic that is deleted and made again has another
     * @param begin offset of the first record that is still there
     * @param end offset of the next record to be written
     * @param committed the next input by the group's offset, which committed with the state
     */
    record Bearings(String id, long begin, long end, OptionalLong committed) {}

    /** Where the log of this cell stands now. */
    Bearings bearings(int cell);

    /** Whether a committed record stands from one offset up to, and not including, another. */
    boolean hasInputs(int cell, long from, long to);

    /** Whether the first record from this offset on tells the cell to begin anew. */
    boolean isRebuild(int cell, long offset);
}
