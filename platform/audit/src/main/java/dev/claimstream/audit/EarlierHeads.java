package dev.claimstream.audit;

import dev.claimstream.audit.Checkpoint.LedgerState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Compares the heads of an earlier checkpoint with a log, while the log is read. An intact ledger with the same head at the same offset
 * has the same events before it, and so has one whose first event names the head as the hash before it. Not safe for several threads.
 */
final class EarlierHeads {
    private final PublishedCheckpoint earlier;
    private final Map<Integer, LedgerPosition> positions = new TreeMap<>();

    EarlierHeads(PublishedCheckpoint earlier) {
        this.earlier = earlier;
    }

    /**
     * The events of a ledger that were read up to the head of the checkpoint.
     *
     * @param begin offset of the first event
     * @param previous the hash that the first event names as that of the event before it
     * @param last offset of the last event that is not after the head
     * @param head chain head after this event
     */
    private record LedgerPosition(long begin, String previous, long last, String head) {
        boolean isAt(LedgerState state) {
            return last == state.last() && head.equals(state.head());
        }

        /** Whether retention has deleted exactly the events of the checkpoint. */
        boolean follows(LedgerState state) {
            return begin > state.last() && previous.equals(state.head());
        }
    }

    /** Adds an event of a ledger, with the hash that it names as previous, and the chain head after it. */
    void add(LogRecord record, String previous, String head) {
        earlier.checkpoint().ledger(record.partition()).ifPresent(state -> {
            LedgerPosition before = positions.get(state.cell());
            if (before == null || record.offset() <= state.last()) {
                positions.put(
                        state.cell(),
                        new LedgerPosition(
                                before == null ? record.offset() : before.begin(),
                                before == null ? previous : before.previous(),
                                record.offset(),
                                head));
            }
        });
    }

    /**
     * Compares the heads after the whole log was added.
     *
     * @throws LogReplacedException if a ledger does not have the head of the checkpoint
     */
    void check(AuditLog log) {
        List<String> differences = earlier.checkpoint().ledgers().stream()
                .filter(each -> !isEmptied(log, each))
                .flatMap(each -> difference(each, Optional.ofNullable(positions.get(each.cell()))).stream())
                .toList();
        if (!differences.isEmpty()) {
            throw new LogReplacedException("the log at %s does not continue the log of the checkpoint of %s (%s): %s"
                    .formatted(
                            log.location(),
                            earlier.checkpoint().time(),
                            earlier.location(),
                            String.join("; ", differences)));
        }
    }

    /** The states of the ledgers without remaining events: a new checkpoint repeats them, so that a later one can continue them. */
    List<LedgerState> emptied(AuditLog log) {
        return earlier.checkpoint().ledgers().stream()
                .filter(each -> isEmptied(log, each))
                .toList();
    }

    /** Whether retention has deleted all events of a ledger, up to that of the checkpoint, and there is none since. */
    private boolean isEmptied(AuditLog log, LedgerState state) {
        return !positions.containsKey(state.cell())
                && log.partitions(LogVerifier.LEDGER).contains(state.cell())
                && log.begin(LogVerifier.LEDGER, state.cell()) > state.last();
    }

    private static Optional<String> difference(LedgerState state, Optional<LedgerPosition> position) {
        if (position.filter(each -> each.isAt(state) || each.follows(state)).isPresent()) {
            return Optional.empty();
        }
        return Optional.of("cell %d: the checkpoint has head %s at offset %d of %s, and the log %s"
                .formatted(
                        state.cell(),
                        state.head(),
                        state.last(),
                        LogVerifier.LEDGER,
                        position.map(each -> found(state, each)).orElse("has no event of this cell")));
    }

    private static String found(LedgerState state, LedgerPosition position) {
        if (position.begin() > state.last()) {
            return "begins after it, at offset %d".formatted(position.begin());
        }
        return position.last() == state.last()
                ? "has head %s there".formatted(position.head())
                : "ends at offset %d with head %s".formatted(position.last(), position.head());
    }
}
