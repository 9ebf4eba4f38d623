package dev.claimstream.audit.streams;

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

    /** @throws dev.claimstream.audit.AuditException if the record is not an input */
    CellInputRecord decode(LogRecord record) {
        return switch (serde.read(record.topic(), record.value().orElse(null))) {
            case DecodeResult.Value<CellInputRecord>(CellInputRecord input) -> input;
            case DecodeResult.Tombstone<CellInputRecord> _ ->
                throw RecordedEvents.unreadable(record, "it has no value");
            case DecodeResult.Failure<CellInputRecord> bad -> throw RecordedEvents.unreadable(record, bad.message());
        };
    }
}
