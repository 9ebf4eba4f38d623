package dev.claimstream.writer.streams;

import dev.claimstream.allocation.cell.Alarm;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ExplanationRecord;
import dev.claimstream.wire.ExplanationCodec;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes records of {@code explanations.v1} and passes them to listeners. Only the thread of the consumer uses it.
 *
 * <p>Explanations inform users only, so a record that cannot be decoded is logged and skipped.
 */
public final class ExplanationDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(ExplanationDispatcher.class);

    private final RecordSerde<ExplanationRecord> serde;
    private final List<ExplanationListener> listeners;
    private final CatchUp catchUp = new CatchUp();

    /** Listener for explanations and alarms. */
    public interface ExplanationListener {
        /** Called before all explanations are read from the beginning. */
        void beginRestore();

        /** Called when everything that was in the topic at assignment has been read; may be called repeatedly. */
        void completeRestore();

        /**
         * Called when an explanation of an item was read.
         *
         * @param id position of the record; the same when the record is read again
         * @param since time of the record
         */
        void onExplanation(String id, Instant since, Explanation explanation);

        /** Called when an item is deleted. */
        void onItemDeleted(ItemId item);

        /**
         * Called when an alarm about an allocated device begins.
         *
         * @param key key of the record; the end of the alarm has the same key
         * @param since time of the record
         */
        default void onAlarm(String key, Instant since, Alarm alarm) {}

        /** Called when an alarm has ended. */
        default void onAlarmCleared(String key) {}
    }

    public ExplanationDispatcher(SchemaRegistry registry, List<? extends ExplanationListener> listeners) {
        serde = AvroSerde.of(ExplanationRecord.class, registry);
        this.listeners = List.copyOf(listeners);
    }

    /** Reads explanations from the beginning: an explanation of an earlier process is valid until it is replaced. */
    public void restore(List<TopicPartition> partitions, Consumer<?, ?> consumer) {
        listeners.forEach(ExplanationListener::beginRestore);
        catchUp.add(partitions, consumer);
        if (!partitions.isEmpty()) { // an empty collection would mean all partitions, those of decisions too
            consumer.seekToBeginning(partitions);
        }
    }

    /** Removes revoked partitions. */
    public void remove(Collection<TopicPartition> partitions) {
        catchUp.remove(partitions);
    }

    /** Returns whether everything that was in the topic at assignment has been read. */
    public boolean isRestored() {
        return catchUp.isComplete();
    }

    /** Completes the restore if everything has been read. */
    public void updateRestore(Consumer<?, ?> consumer) {
        if (!isRestored()) {
            catchUp.update(consumer);
        }
        if (isRestored()) {
            listeners.forEach(ExplanationListener::completeRestore);
        }
    }

    /**
     * Processes a record of {@code explanations.v1}.
     *
     * @throws RegistryException if the schema registry does not respond; the record must be read again
     */
    public void accept(ConsumerRecord<byte[], byte[]> record) {
        DecodeResult<ExplanationRecord> decoded = serde.read(record.topic(), record.value());
        String position = "%s-%d-%d".formatted(record.topic(), record.partition(), record.offset());
        try {
            dispatch(position, record, decoded);
        } catch (IllegalArgumentException e) { // e.g. a reason code of a newer allocator
            LOG.atWarn()
                    .addKeyValue("at", position)
                    .addKeyValue("why", e.getMessage())
                    .log("an explanation is skipped");
        }
    }

    private static String key(ConsumerRecord<byte[], byte[]> record) {
        return new String(record.key(), StandardCharsets.UTF_8);
    }

    private void dispatch(
            String position, ConsumerRecord<byte[], byte[]> record, DecodeResult<ExplanationRecord> decoded) {
        switch (decoded) {
            case DecodeResult.Value<ExplanationRecord>(ExplanationRecord value) -> {
                Instant since = Instant.ofEpochMilli(record.timestamp());
                if (ExplanationCodec.isOfItem(value)) {
                    Explanation explanation = ExplanationCodec.from(value);
                    listeners.forEach(each -> each.onExplanation(position, since, explanation));
                }
                ExplanationCodec.alarm(value)
                        .ifPresent(alarm -> listeners.forEach(each -> each.onAlarm(key(record), since, alarm)));
            }
            case DecodeResult.Tombstone<ExplanationRecord>() -> {
                List<String> parts = RecordKey.parse(key(record)).parts();
                if (ExplanationCodec.isAlarm(parts)) {
                    listeners.forEach(each -> each.onAlarmCleared(key(record)));
                }
                ExplanationCodec.item(parts).ifPresent(item -> listeners.forEach(each -> each.onItemDeleted(item)));
            }
            case DecodeResult.Failure<ExplanationRecord>(var reason, String message) ->
                throw new IllegalArgumentException(reason.code() + ": " + message);
        }
    }
}
