package dev.claimstream.allocator.streams;

import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/** What Kafka knows about the log of a cell, or of the router, besides its records. Safe for many threads. */
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

    /** Where a log stands now. */
    Bearings bearings(TopicPartition log);

    /** Whether a committed record stands from one offset up to, and not including, another. */
    boolean hasInputs(TopicPartition log, long from, long to);

    /** Whether the first record from this offset on tells its reader to begin anew. */
    boolean isRebuild(TopicPartition log, long offset);
}
