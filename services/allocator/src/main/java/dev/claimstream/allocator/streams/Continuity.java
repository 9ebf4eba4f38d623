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
final class Continuity {
    private final String name;
    private final TopicPartition partition;
    private final TopicPartition ledger;
    private final CellLog log;

    private Continuity(String name, TopicPartition partition, TopicPartition ledger, CellLog log) {
        this.name = name;
        this.partition = partition;
        this.ledger = ledger;
        this.log = log;
    }

    static Continuity ofCell(int cell, CellLog log) {
        return new Continuity("cell " + cell, Offsets.log(cell), Offsets.ledger(cell), log);
    }

    /** @param cells number of cells */
    static Continuity ofRouter(int cells, CellLog log) {
        return new Continuity("the router", Offsets.ROUTER, Offsets.ledger(cells), log);
    }

    /**
     * Checks state, log and committed offset.
     *
     * @param note header of the state; empty if there is no state
     * @param applied offset of the last input in the state; -1 for none
     * @throws Discontinuity if they do not match
     */
    void check(CellLog.Bearings now, Optional<Note> note, long applied) {
        if (note.isEmpty()) {
            checkFirst(now);
        } else {
            checkForm(note.get());
            checkLog(now, note.get());
            checkPlace(now, applied);
        }
    }

    private void checkFirst(CellLog.Bearings now) {
        long committed = now.committed().orElse(0);
        if (committed > now.begin() && log.hasInputs(partition, now.begin(), committed)) {
            throw Discontinuity.rebuildable(
                    ("%s: its state is empty, and inputs up to offset %d were applied before: the"
                                    + " changelog is lost")
                            .formatted(name, committed - 1));
        }
        if (now.begin() > 0) {
            throw Discontinuity.rebuildable(
                    "%s: its state is empty, and the log begins at offset %d: older inputs are gone"
                            .formatted(name, now.begin()));
        }
    }

    /** Checks that this program can decode the rows. */
    void checkForm(Note note) {
        if (note.format() < Note.FORMAT_OLDEST || note.format() > Note.FORMAT) {
            throw Discontinuity.rebuildable("%s: its state has format %d, this program reads formats %d to %d"
                    .formatted(name, note.format(), Note.FORMAT_OLDEST, Note.FORMAT));
        }
    }

    private void checkLog(CellLog.Bearings now, Note note) {
        if (!note.log().equals(now.id())) {
            throw Discontinuity.rebuildable(
                    "%s: topic %s was deleted and made again: its state belongs to the one before (id %s, now %s)"
                            .formatted(name, partition.topic(), note.log(), now.id()));
        }
    }

    private void checkPlace(CellLog.Bearings now, long applied) {
        if (now.end() <= applied) {
            throw Discontinuity.rebuildable(
                    "%s: the log ends at offset %d, and its state has applied offset %d: records are lost"
                            .formatted(name, now.end(), applied));
        }
        if (now.begin() > applied + 1) {
            throw Discontinuity.rebuildable(
                    "%s: the log begins at offset %d, and its state has applied only up to %d: inputs between are gone"
                            .formatted(name, now.begin(), applied));
        }
        long committed = now.committed().orElse(applied + 1);
        if (committed > applied + 1 && log.hasInputs(partition, applied + 1, committed)) {
            throw Discontinuity.rebuildable(
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
     * @param stands whether the claim of a decision exists or holds devices
     * @throws Discontinuity if an output is missing
     */
    void checkAnnounced(Note note, Predicate<DecisionRecord> stands) {
        if (!note.ledgerHash().hasRemaining()) {
            return;
        }
        CellLog.Announced announced = log.announced(ledger, stands);
        checkLedger(announced, note);
        announced.missing().ifPresent(decision -> {
            throw Discontinuity.rebuildable(
                    "%s: decision %d on claim %s/%s stands in topic %s and not in topic %s: the end of that is lost"
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
    private void checkLedger(CellLog.Announced announced, Note note) {
        boolean isForgotten = announced.last().isEmpty() && announced.ledgerBegin() > 0;
        if (isForgotten || announced.last().map(LedgerEvent::getHash).equals(Optional.of(note.ledgerHash()))) {
            return;
        }
        String end = announced
                .last()
                .map(event ->
                        "ends with event %d of the input at offset %d".formatted(event.getIndex(), event.getOffset()))
                .orElse("is empty");
        throw Discontinuity.rebuildable(
                "%s: topic %s, partition %d, %s, and its state has written another event after that: events are lost, and nothing makes"
                                .formatted(name, ledger.topic(), ledger.partition(), end)
                        + " them again");
    }
}
