package dev.claimstream.allocator.streams;

import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;

/** Reads the metadata of the logs of the cells and of the router, and the end of their outputs. Safe for many threads. */
interface CellLog {
    /**
     * The offsets of a log and of its reader.
     *
     * @param id id of the topic; a topic that is deleted and created again has another id
     * @param begin offset of the first available record
     * @param end log end offset
     * @param committed offset of the next input by the group's commit, which is in one transaction with the state
     */
    record LogPosition(String id, long begin, long end, OptionalLong committed) {}

    /** Reads the present offsets of a log. */
    LogPosition position(TopicPartition log);

    /** Whether a committed record exists between an offset (inclusive) and another one (exclusive). */
    boolean hasInputs(TopicPartition log, long from, long to);

    /** Whether the first record from this offset on is a rebuild. */
    boolean isRebuild(TopicPartition log, long offset);

    /**
     * The published outputs of a cell or of the router.
     *
     * @param ledgerBegin offset of the first available event of its ledger
     * @param last last event of its ledger; empty if there is none, or retention has deleted all of them
     * @param missing a decision in its ledger that {@code decisions.v1} should have and has not
     */
    record PublicationStatus(long ledgerBegin, Optional<LedgerEvent> last, Optional<DecisionRecord> missing) {}

    /**
     * Compares the end of a ledger with {@code decisions.v1}.
     *
     * @param isRelevant whether the claim of a decision exists or holds devices; compaction may delete the last record of any other claim
     */
    PublicationStatus publicationStatus(TopicPartition ledger, Predicate<DecisionRecord> isRelevant);
}
