package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.CellInputRecord;

/** Decodes the inputs of a log. */
final class InputDecoder {
    private final RecordSerde<CellInputRecord> serde;

    InputDecoder(AuditLog log) {
        serde = AvroSerde.of(CellInputRecord.class, new LogSchemas(log));
    }

    /** @throws AuditException if the record is not an input, or names were erased in it */
    CellInputRecord decode(LogRecord record) {
        if (record.isErased()) {
            throw new AuditException(
                    "%s: names were erased in this input, so it cannot be decided again: name a later --from, at which the archive has a state"
                            .formatted(record.position()));
        }
        return switch (serde.read(record.topic(), record.value().orElse(null))) {
            case DecodeResult.Value<CellInputRecord>(CellInputRecord input) -> input;
            case DecodeResult.Tombstone<CellInputRecord> _ ->
                throw RecordedEvents.unreadable(record, "it has no value");
            case DecodeResult.Failure<CellInputRecord> failure ->
                throw RecordedEvents.unreadable(record, failure.message());
        };
    }
}
