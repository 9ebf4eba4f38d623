package dev.claimstream.watcher.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.kafka.AuthorizationFault;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
     * Reads a topic up to its current end and returns the keys as text, with the version of the last record of each.
     *
     * @param isClosed ends the read early
     * @throws PublishException if the broker or the schema registry does not respond
     */
    public Map<String, Long> versionsIn(String topic, BooleanSupplier isClosed) {
        try {
            return topic.equals(Topics.INVENTORY)
                    ? read(topic, inventory, record -> stamp(record.getSource(), record.getVersion()), isClosed)
                    : read(topic, claims, record -> stamp(record.getSource(), record.getVersion()), isClosed);
        } catch (KafkaException | RegistryException e) {
            throw new PublishException(
                    "topic %s cannot be read: %s".formatted(topic, AuthorizationFault.textOr(e, kafka)), e);
        }
    }

    private static Stamp stamp(String source, long version) {
        return new Stamp(source, 0, version);
    }

    private <T extends SpecificRecord> Map<String, Long> read(
            String topic, RecordSerde<T> serde, Function<T, Stamp> stampOf, BooleanSupplier isClosed) {
        Map<String, Long> versions = new TreeMap<>();
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
                consumer.poll(POLL).forEach(record -> collect(record, serde, stampOf, versions));
            }
        }
        return versions;
    }

    private <T extends SpecificRecord> void collect(
            ConsumerRecord<String, byte[]> record,
            RecordSerde<T> serde,
            Function<T, Stamp> stampOf,
            Map<String, Long> versions) {
        if (record.key() == null
                || MARKER_KINDS.contains(RecordKey.parse(record.key()).parts().getFirst())) {
            return;
        }
        Optional<Stamp> stamp = serde.read(record.topic(), record.value()) instanceof DecodeResult.Value<T>(T value)
                ? Optional.of(stampOf.apply(value)).filter(each -> each.source().equals(source))
                : Optional.empty();
        stamp.ifPresentOrElse(each -> versions.put(record.key(), each.version()), () -> versions.remove(record.key()));
    }
}
