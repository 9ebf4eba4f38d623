package dev.claimstream.audit;

import java.time.Instant;
import java.util.Locale;

/**
 * A place where the log is not as it was written.
 *
 * @param time timestamp of the record at that place
 */
public record Finding(FindingKind kind, String topic, int partition, long offset, Instant time, String message) {
    /** What happened to an event. */
    public enum FindingKind {
        /** The bytes of a record differ from those that were written. */
        CHANGED,
        /** Events before this one are missing. */
        MISSING,
        /** The event is not part of the chain. */
        INSERTED,
        /** The event is part of the chain, but at another place. */
        REORDERED,
        /** The log ends before an event that is known from elsewhere. */
        TRUNCATED,
        /** Ledger and inputs contradict each other. */
        INPUT
    }

    static Finding at(LogRecord record, FindingKind kind, String message) {
        return new Finding(kind, record.topic(), record.partition(), record.offset(), record.timestamp(), message);
    }

    /** One line with kind, position and message. */
    public String text() {
        return "%s: %s, partition %d (cell %d), offset %d, %s: %s"
                .formatted(kind.name().toLowerCase(Locale.ROOT), topic, partition, partition, offset, time, message);
    }
}
