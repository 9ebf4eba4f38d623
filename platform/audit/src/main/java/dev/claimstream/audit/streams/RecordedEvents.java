package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.CellSnapshot;
import dev.claimstream.audit.LedgerEntry;
import dev.claimstream.audit.LedgerEntryReader;
import dev.claimstream.audit.LedgerEntryReader.EntryReadResult;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.LedgerEvent;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** The events of one ledger, in order, with a check of their hash chain. They are read in batches. Not safe for several threads. */
final class RecordedEvents {
    private static final int BATCH = 20_000;

    private final AuditLog log;
    private final int cell;
    private final RecordSerde<LedgerEvent> serde;
    private long end;
    private final LedgerEntryReader reader;
    private final Deque<RecordedEvent> events = new ArrayDeque<>();
    private long next;

    /** The hash that the next event must name as previous; empty if it is not known. */
    private Optional<String> head;

    /**
     * An event as it is recorded.
     *
     * @param chainProblem why the event does not continue the hash chain; empty if it does
     */
    record RecordedEvent(LedgerEvent event, Optional<String> chainProblem) {
        long input() {
            return event.getOffset();
        }

        private boolean isOf(CellSnapshot state) {
            return chainProblem.isEmpty()
                    && input() == state.input()
                    && hex(event.getHash()).equals(state.ledgerHash())
                    && event.getStateHash().map(RecordedEvent::hex).equals(Optional.of(state.stateHash()));
        }

        private static String hex(ByteBuffer hash) {
            byte[] bytes = new byte[hash.remaining()];
            hash.duplicate().get(bytes);
            return HexFormat.of().formatHex(bytes);
        }
    }

    RecordedEvents(AuditLog log, int cell) {
        this.log = log;
        this.cell = cell;
        serde = AvroSerde.of(LedgerEvent.class, new LogSchemas(log));
        reader = new LedgerEntryReader(log::schema);
        next = log.begin(LogVerifier.LEDGER, cell);
        head = next == 0 ? Optional.of("") : Optional.empty();
        end = log.end(LogVerifier.LEDGER, cell);
    }

    /** Includes the events that the ledger has got since. */
    void refresh() {
        end = log.end(LogVerifier.LEDGER, cell);
    }

    /** The next event; empty at the end of the ledger. */
    Optional<RecordedEvent> peek() {
        while (events.isEmpty() && next < end) {
            long from = next;
            next = end;
            log.forEach(LogVerifier.LEDGER, cell, from, end, record -> {
                events.add(new RecordedEvent(decode(record), chainProblem(record)));
                if (events.size() < BATCH) {
                    return true;
                }
                next = record.offset() + 1;
                return false;
            });
        }
        return Optional.ofNullable(events.peek());
    }

    private LedgerEvent decode(LogRecord record) {
        return switch (serde.read(record.topic(), record.value().orElse(null))) {
            case DecodeResult.Value<LedgerEvent>(LedgerEvent event) -> event;
            case DecodeResult.Tombstone<LedgerEvent> _ -> throw unreadable(record, "it has no value");
            case DecodeResult.Failure<LedgerEvent> failure -> throw unreadable(record, failure.message());
        };
    }

    private Optional<String> chainProblem(LogRecord record) {
        LedgerEntry entry = switch (reader.read(record)) {
            case EntryReadResult.DecodedEntry(LedgerEntry read) -> read;
            case EntryReadResult.Unreadable(String message) -> throw unreadable(record, message);
        };
        Optional<String> before = head;
        head = Optional.of(entry.storedHash());
        if (!entry.isIntact()) {
            return Optional.of("%s: the hash of the event is not that of its bytes".formatted(record.position()));
        }
        return before.filter(hash -> !hash.equals(entry.previousHash()))
                .map(_ -> "%s: the previous hash of the event is not the hash of the event before it"
                        .formatted(record.position()));
    }

    static AuditException unreadable(LogRecord record, String reason) {
        return new AuditException(
                "%s cannot be read: %s. Run claimstream audit verify; replay needs the release that wrote the record, or a later one."
                        .formatted(record.position(), reason));
    }

    /**
     * Continues at the event of an archived state, if the ledger has it.
     *
     * @throws AuditException if the ledger has another event there
     */
    void beginAt(CellSnapshot state) {
        if (state.ledgerOffset() < next || state.ledgerOffset() >= end) {
            return;
        }
        next = state.ledgerOffset();
        head = Optional.empty();
        if (peek().filter(each -> each.isOf(state)).isEmpty()) {
            throw new AuditException(
                    "%s: %s, partition %d, has another event than that of this state at offset %d. Verify the ledger; use the archive of this log."
                            .formatted(state.file(), LogVerifier.LEDGER, cell, state.ledgerOffset()));
        }
    }

    /** Skips the events before an input. */
    void skipTo(long input) {
        while (peek().filter(event -> event.input() < input).isPresent()) {
            events.remove();
        }
    }

    /** Removes and returns the events of an input. */
    List<RecordedEvent> take(long input) {
        List<RecordedEvent> taken = new ArrayList<>();
        while (peek().filter(event -> event.input() == input).isPresent()) {
            taken.add(events.remove());
        }
        return taken;
    }
}
