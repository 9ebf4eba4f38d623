package dev.claimstream.writer.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.wire.Explanations;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes records of {@code explanations.v1} and passes them to a listener.
 *
 * <p>Explanations inform users only, so a record that cannot be decoded is logged and skipped.
 */
public final class Explained {
    private static final Logger LOG = LoggerFactory.getLogger(Explained.class);

    private final RecordSerde<ExplanationRecord> serde;
    private final Listener notes;

    /** Listener for explanations and alarms. */
    public interface Listener {
        /**
         * Called when an explanation of an item was read.
         *
         * @param id position of the record; the same when the record is read again
         * @param since time of the record
         */
        void see(String id, Instant since, Explanation explanation);

        /** Called when an item is deleted. */
        void gone(ItemId item);

        /**
         * Called when an alarm about an allocated device begins.
         *
         * @param key key of the record; the end of the alarm has the same key
         * @param since time of the record
         */
        void alarmed(String key, Instant since, Alarm alarm);

        /** Called when an alarm has ended. */
        void alarmOver(String key);
    }

    public Explained(SchemaRegistry registry, Listener notes) {
        serde = AvroSerde.of(ExplanationRecord.class, registry);
        this.notes = notes;
    }

    /**
     * Processes a record of {@code explanations.v1}.
     *
     * @throws RegistryException if the schema registry does not respond; the record must be read again
     */
    public void take(ConsumerRecord<byte[], byte[]> record) {
        Decoded<ExplanationRecord> decoded = serde.read(record.topic(), record.value());
        String place = "%s-%d-%d".formatted(record.topic(), record.partition(), record.offset());
        try {
            tell(place, record, decoded);
        } catch (IllegalArgumentException e) { // e.g. a reason code of a newer allocator
            LOG.atWarn()
                    .addKeyValue("at", place)
                    .addKeyValue("why", e.getMessage())
                    .log("an explanation is left out");
        }
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    private void tell(String place, ConsumerRecord<byte[], byte[]> record, Decoded<ExplanationRecord> decoded) {
        switch (decoded) {
            case Decoded.Value<ExplanationRecord>(ExplanationRecord value) -> {
                Instant since = Instant.ofEpochMilli(record.timestamp());
                if (Explanations.isOfItem(value)) {
                    notes.see(place, since, Explanations.from(value));
                }
                Explanations.alarm(value).ifPresent(alarm -> notes.alarmed(key(record), since, alarm));
            }
            case Decoded.Tombstone<ExplanationRecord>() -> {
                List<String> parts = RecordKey.parse(key(record)).parts();
                if (Explanations.isAlarm(parts)) {
                    notes.alarmOver(key(record));
                }
                Explanations.item(parts).ifPresent(notes::gone);
            }
            case Decoded.Bad<ExplanationRecord>(var reason, String message) ->
                throw new IllegalArgumentException(reason.code() + ": " + message);
        }
    }
}
