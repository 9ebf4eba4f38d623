package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.LedgerEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** The events of one ledger, in order. They are read in batches. Not safe for several threads. */
final class RecordedEvents {
    private static final int BATCH = 20_000;

    private final AuditLog log;
    private final int cell;
    private final RecordSerde<LedgerEvent> serde;
    private final long end;
    private final Deque<LedgerEvent> events = new ArrayDeque<>();
    private long next;

    RecordedEvents(AuditLog log, int cell) {
        this.log = log;
        this.cell = cell;
        serde = AvroSerde.of(LedgerEvent.class, new LogSchemas(log));
        next = log.begin(LogVerifier.LEDGER, cell);
        end = log.end(LogVerifier.LEDGER, cell);
    }

    /** The next event; empty at the end of the ledger. */
    Optional<LedgerEvent> peek() {
        while (events.isEmpty() && next < end) {
            long from = next;
            next = end;
            log.forEach(LogVerifier.LEDGER, cell, from, end, record -> {
                events.add(decode(record));
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
            case DecodeResult.Failure<LedgerEvent> bad -> throw unreadable(record, bad.message());
        };
    }

    static AuditException unreadable(LogRecord record, String why) {
        return new AuditException(
                "%s cannot be read: %s. Run claimstream audit verify; replay needs the release that wrote the record, or a later one."
                        .formatted(record.position(), why));
    }

    /** Skips the events before an input. */
    void skipTo(long input) {
        while (peek().filter(event -> event.getOffset() < input).isPresent()) {
            events.remove();
        }
    }

    /** Removes and returns the events of an input. */
    List<LedgerEvent> take(long input) {
        List<LedgerEvent> taken = new ArrayList<>();
        while (peek().filter(event -> event.getOffset() == input).isPresent()) {
            taken.add(events.remove());
        }
        return taken;
    }
}
