package dev.claimstream.allocator.streams;

import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;

/** What Kafka knows about the log of a cell, or of the router, besides its records, and of what they have said. Safe for many threads. */
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

    /**
     * What a cell, or the router, has told the world.
     *
     * @param ledgerBegin offset of the first event of its ledger that is still there
     * @param last event of its ledger; nothing where it has none, or they are older than they are kept
     * @param missing a decision of its ledger that has to stand in {@code decisions.v1} and does not
     */
    record Announced(long ledgerBegin, Optional<LedgerEvent> last, Optional<DecisionRecord> missing) {}

    /**
     * What was told by the end of a ledger.
     *
     * @param stands whether a decision is on a claim that is there, or has something: only of others the last word may be forgotten
     */
    Announced announced(TopicPartition ledger, Predicate<DecisionRecord> stands);
}
