package dev.claimstream.audit;

import dev.claimstream.audit.Checkpoint.LedgerState;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Compares the heads of an earlier checkpoint with a log, while the log is read. An intact ledger with the same head at the same offset
 * has the same events before it. Not safe for several threads.
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
     * @param last offset of the last event that is not after the head
     * @param head chain head after this event
     */
    private record LedgerPosition(long begin, long last, String head) {}

    /** Adds an event of a ledger, with the chain head after it. */
    void add(LogRecord record, String head) {
        earlier.checkpoint().ledger(record.partition()).ifPresent(state -> {
            LedgerPosition before = positions.get(state.cell());
            if (before == null || record.offset() <= state.last()) {
                positions.put(
                        state.cell(),
                        new LedgerPosition(before == null ? record.offset() : before.begin(), record.offset(), head));
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
                .flatMap(each -> difference(each, Optional.ofNullable(positions.get(each.cell()))).stream())
                .toList();
        if (!differences.isEmpty()) {
            throw new LogReplacedException("the log at %s does not continue the log of the checkpoint of %s (%s): %s"
                    .formatted(
                            log.location(),
                            earlier.checkpoint().time(),
                            earlier.place(),
                            String.join("; ", differences)));
        }
    }

    private static Optional<String> difference(LedgerState state, Optional<LedgerPosition> position) {
        if (position.filter(each -> each.last() == state.last() && each.head().equals(state.head()))
                .isPresent()) {
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
