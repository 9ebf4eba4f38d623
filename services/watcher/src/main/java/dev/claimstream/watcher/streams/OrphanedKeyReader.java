package dev.claimstream.watcher.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Reads the keys of a source in the public topics that have no tombstone.
 *
 * <p>A process can stop between the record of a deletion and its tombstone, and an object can be deleted while no
 * watcher runs. Compaction would keep these records for ever; the watcher deletes them by tombstones.
 */
public final class OrphanedKeyReader {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Set<String> MARKER_KINDS = Set.of("Synced", "Stale", "Probe", "Liveness");

    private final KafkaConnection kafka;
    private final String source;
    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;

    public OrphanedKeyReader(KafkaConnection kafka, SchemaRegistry registry, String source) {
        this.kafka = kafka;
        this.source = source;
        inventory = AvroSerde.of(InventoryRecord.class, registry);
        claims = AvroSerde.of(ClaimsRecord.class, registry);
    }

    /**
     * Reads a topic up to its current end and returns the keys as text.
     *
     * @param isClosed ends the read early
     * @throws PublishException if the broker or the schema registry does not respond
     */
    public Set<String> keysIn(String topic, BooleanSupplier isClosed) {
        try {
            return topic.equals(Topics.INVENTORY)
                    ? read(topic, inventory, InventoryRecord::getSource, isClosed)
                    : read(topic, claims, ClaimsRecord::getSource, isClosed);
        } catch (KafkaException | RegistryException e) {
            throw new PublishException("topic %s cannot be read: %s".formatted(topic, e.getMessage()), e);
        }
    }

    private <T extends SpecificRecord> Set<String> read(
            String topic, RecordSerde<T> serde, Function<T, String> sourceOf, BooleanSupplier isClosed) {
        Set<String> keys = new TreeSet<>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, source + "-leftovers").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            var ends = consumer.endOffsets(partitions);
            while (!isClosed.getAsBoolean()
                    && partitions.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
                consumer.poll(POLL).forEach(record -> collect(record, serde, sourceOf, keys));
            }
        }
        return keys;
    }

    private <T extends SpecificRecord> void collect(
            ConsumerRecord<String, byte[]> record,
            RecordSerde<T> serde,
            Function<T, String> sourceOf,
            Set<String> keys) {
        if (record.key() == null
                || MARKER_KINDS.contains(RecordKey.parse(record.key()).parts().getFirst())) {
            return;
        }
        Optional<String> recordSource =
                serde.read(record.topic(), record.value()) instanceof DecodeResult.Value<T>(T value)
                        ? Optional.of(sourceOf.apply(value))
                        : Optional.empty();
        if (recordSource.filter(source::equals).isPresent()) {
            keys.add(record.key());
        } else {
            keys.remove(record.key());
        }
    }
}
