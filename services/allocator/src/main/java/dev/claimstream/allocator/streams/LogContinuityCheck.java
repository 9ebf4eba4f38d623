package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;

/**
 * Checks that restored state, input log, committed offset and published outputs match.
 *
 * <p>It runs whenever a process takes over a cell or the router. If they do not match, inputs or outputs are lost, and the cell must not
 * continue.
 */
final class LogContinuityCheck {
    private final String name;
    private final TopicPartition partition;
    private final TopicPartition ledger;
    private final CellLog log;

    private LogContinuityCheck(String name, TopicPartition partition, TopicPartition ledger, CellLog log) {
        this.name = name;
        this.partition = partition;
        this.ledger = ledger;
        this.log = log;
    }

    static LogContinuityCheck ofCell(int cell, CellLog log) {
        return new LogContinuityCheck("cell " + cell, KafkaAdmin.log(cell), KafkaAdmin.ledger(cell), log);
    }

    /** @param cells number of cells */
    static LogContinuityCheck ofRouter(int cells, CellLog log) {
        return new LogContinuityCheck("the router", KafkaAdmin.ROUTER, KafkaAdmin.ledger(cells), log);
    }

    /**
     * Checks state, log and committed offset.
     *
     * @param header header of the state; empty if there is no state
     * @param applied offset of the last input in the state; -1 for none
     * @throws LogContinuityException if they do not match
     */
    void check(CellLog.LogPosition position, Optional<StateHeader> header, long applied) {
        if (header.isEmpty()) {
            checkEmptyState(position);
        } else {
            checkLog(position, header.get());
            checkOffsets(position, applied);
        }
    }

    private void checkEmptyState(CellLog.LogPosition position) {
        long committed = position.committed().orElse(0);
        if (committed > position.begin() && log.hasInputs(partition, position.begin(), committed)) {
            throw LogContinuityException.rebuildable(
                    ("%s: its state is empty, and inputs up to offset %d were applied before: the"
                                    + " changelog is lost")
                            .formatted(name, committed - 1));
        }
        if (position.begin() > 0) {
            throw LogContinuityException.rebuildable(
                    "%s: its state is empty, and the log begins at offset %d: older inputs are lost"
                            .formatted(name, position.begin()));
        }
    }

    /**
     * Checks that log and ledger match a state whose rows this program cannot decode.
     *
     * @throws LogContinuityException if they do not, so that the state and its format are not the only problem
     */
    void checkOtherFormat(CellLog.LogPosition position, StateHeader header) {
        checkLog(position, header);
        checkPublished(header, _ -> false);
    }

    /** Checks that this program can decode the rows. */
    void checkFormat(StateHeader header, StateFormat format) {
        if (!format.reads(header.format())) {
            throw LogContinuityException.rebuildable("%s: its state has format %d, this program reads formats %d to %d"
                    .formatted(name, header.format(), format.oldestRead(), format.written()));
        }
    }

    /**
     * Checks that a stored row has the key that this program gives it. The state of the router has no format number. A row with another
     * key could not be changed or deleted.
     *
     * @throws LogContinuityException if the key is that of another format
     */
    static void checkKey(String stored, String key) {
        if (!stored.equals(key)) {
            throw LogContinuityException.unreadable(stored, "it is of another format, in this one its key is " + key);
        }
    }

    private void checkLog(CellLog.LogPosition position, StateHeader header) {
        if (!header.log().equals(position.id())) {
            throw LogContinuityException.rebuildable(
                    "%s: topic %s was deleted and recreated: its state belongs to the deleted topic (id %s, now %s)"
                            .formatted(name, partition.topic(), header.log(), position.id()));
        }
    }

    private void checkOffsets(CellLog.LogPosition position, long applied) {
        if (position.end() <= applied) {
            throw LogContinuityException.rebuildable(
                    "%s: the log ends at offset %d, and its state has applied offset %d: records are lost"
                            .formatted(name, position.end(), applied));
        }
        if (position.begin() > applied + 1) {
            throw LogContinuityException.rebuildable(
                    "%s: the log begins at offset %d, and its state has applied inputs only up to offset %d: inputs between are lost"
                            .formatted(name, position.begin(), applied));
        }
        long committed = position.committed().orElse(applied + 1);
        if (committed > applied + 1 && log.hasInputs(partition, applied + 1, committed)) {
            throw LogContinuityException.rebuildable(
                    "%s: its state has applied inputs up to offset %d, and its group has committed %d: the end of the"
                                    .formatted(name, applied, committed)
                            + " changelog is lost");
        }
    }

    /**
     * Checks that the outputs which the state has recorded exist in the topics.
     *
     * <p>State and outputs commit together. The check passes if the state has no output, or was written before headers had the hash of the
     * ledger.
     *
     * @param isRelevant whether the claim of a decision exists or holds devices
     * @throws LogContinuityException if an output is missing
     */
    void checkPublished(StateHeader header, Predicate<DecisionRecord> isRelevant) {
        if (!header.ledgerHash().hasRemaining()) {
            return;
        }
        CellLog.PublicationStatus status = log.publicationStatus(ledger, isRelevant);
        checkLedger(status, header);
        status.missing().ifPresent(decision -> {
            throw LogContinuityException.rebuildable(
                    "%s: decision %d on claim %s/%s is in topic %s, but not in topic %s: the end of the latter is lost"
                            .formatted(
                                    name,
                                    decision.getNumber(),
                                    decision.getNamespace(),
                                    decision.getName(),
                                    Topics.LEDGER,
                                    Topics.DECISIONS));
        });
    }

    /** Checks the last event of the ledger. The check passes if retention has deleted all events. */
    private void checkLedger(CellLog.PublicationStatus status, StateHeader header) {
        boolean isForgotten = status.last().isEmpty() && status.ledgerBegin() > 0;
        if (isForgotten || status.last().map(LedgerEvent::getHash).equals(Optional.of(header.ledgerHash()))) {
            return;
        }
        String end = status.last()
                .map(event ->
                        "ends with event %d of the input at offset %d".formatted(event.getIndex(), event.getOffset()))
                .orElse("is empty");
        throw LogContinuityException.rebuildable(
                "%s: topic %s, partition %d, %s, and its state has written a later event: events are lost and cannot be"
                                .formatted(name, ledger.topic(), ledger.partition(), end)
                        + " restored");
    }
}
