package dev.claimstream.watcher.streams;

import dev.claimstream.dra.Kind;
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
import dev.claimstream.schemas.InventoryRecord;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads which cluster a source has published to {@code inventory.v1}: the uid of its namespace {@code kube-system}. */
public final class PublishedClusterReader {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final String KEY = new RecordKey(List.of(Kind.NAMESPACE.apiName(), "", "kube-system")).text();

    private final KafkaConnection kafka;
    private final String source;
    private final RecordSerde<InventoryRecord> inventory;
    private final BooleanSupplier isClosed;

    /** @param isClosed whether the process ends, so that nothing is read any more */
    public PublishedClusterReader(
            KafkaConnection kafka, SchemaRegistry registry, String source, BooleanSupplier isClosed) {
        this.kafka = kafka;
        this.source = source;
        this.isClosed = isClosed;
        inventory = AvroSerde.of(InventoryRecord.class, registry);
    }

    /**
     * Reads the partition of that namespace up to its current end.
     *
     * @return empty if the source has published no cluster
     * @throws PublishException if the broker or the schema registry does not respond
     * @throws CancellationException if the process ends
     */
    public Optional<String> uid() {
        requireOpen();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, source + "-cluster").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            int count = consumer.partitionsFor(Topics.INVENTORY).size();
            var partition = new TopicPartition(
                    Topics.INVENTORY, Topics.shipped().get(Topics.INVENTORY).partitionOf(KEY, count));
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            Optional<String> uid = Optional.empty();
            while (consumer.position(partition) < end) {
                requireOpen();
                for (var record : consumer.poll(POLL)) {
                    if (KEY.equals(record.key())) {
                        uid = uid(record.value());
                    }
                }
            }
            return uid;
        } catch (KafkaException | RegistryException e) {
            throw new PublishException(
                    "topic %s cannot be read: %s".formatted(Topics.INVENTORY, AuthorizationFault.textOr(e, kafka)), e);
        }
    }

    private void requireOpen() {
        if (isClosed.getAsBoolean()) {
            throw new CancellationException("closed");
        }
    }

    private Optional<String> uid(byte[] value) {
        return inventory.read(Topics.INVENTORY, value)
                        instanceof DecodeResult.Value<InventoryRecord>(InventoryRecord record)
                ? Optional.of(record)
                        .filter(each -> each.getSource().equals(source))
                        .flatMap(InventoryRecord::getNamespace)
                        .map(each -> each.getMeta().getUid())
                : Optional.empty();
    }
}
