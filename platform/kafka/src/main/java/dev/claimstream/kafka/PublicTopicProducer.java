package dev.claimstream.kafka;

import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import java.util.List;

/**
 * Produces records to the public topics, from which the allocator learns the state of the cluster.
 *
 * <p>Records are sent asynchronously; {@link #flush} waits for their acknowledgement. Safe for many threads.
 */
public final class PublicTopicProducer implements AutoCloseable {
    /** The public topics of objects. */
    public static final List<String> NAMES = List.of(Topics.INVENTORY, Topics.CLAIMS);

    /** The maximum size of a value in bytes. It leaves room for a key and an envelope in the logs of the cells. */
    public static final int VALUE_BYTES_MAX = AvroSerde.BYTES_MAX - (16 << 10);

    private final Sender sender;
    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;

    /** @param clientId name in logs and metrics */
    public PublicTopicProducer(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        inventory = AvroSerde.of(InventoryRecord.class, registry);
        claims = AvroSerde.of(ClaimsRecord.class, registry);
        sender = new Sender(ProducerSettings.of(kafka, clientId));
    }

    /**
     * Sends a record to {@code inventory.v1}.
     *
     * @throws IllegalArgumentException if the value exceeds {@link #VALUE_BYTES_MAX}
     */
    public void send(List<String> key, InventoryRecord value) {
        send(Topics.INVENTORY, key, inventory.write(Topics.INVENTORY, value));
    }

    /**
     * Sends a record to {@code claims.v1}.
     *
     * @throws IllegalArgumentException if the value exceeds {@link #VALUE_BYTES_MAX}
     */
    public void send(List<String> key, ClaimsRecord value) {
        send(Topics.CLAIMS, key, claims.write(Topics.CLAIMS, value));
    }

    private void send(String topic, List<String> key, byte[] value) {
        if (value.length > VALUE_BYTES_MAX) {
            throw new IllegalArgumentException("%s: %s has %d bytes, at most %d: split the object"
                    .formatted(topic, new RecordKey(key), value.length, VALUE_BYTES_MAX));
        }
        sender.send(topic, new RecordKey(key).text(), value);
    }

    /** Sends a record to one partition of {@code inventory.v1}, independently of its key. */
    public void send(int partition, List<String> key, InventoryRecord value) {
        sender.send(Topics.INVENTORY, partition, new RecordKey(key).text(), inventory.write(Topics.INVENTORY, value));
    }

    /** Sends a record to one partition of {@code claims.v1}, independently of its key. */
    public void send(int partition, List<String> key, ClaimsRecord value) {
        sender.send(Topics.CLAIMS, partition, new RecordKey(key).text(), claims.write(Topics.CLAIMS, value));
    }

    /** Sends a record to every partition of {@code inventory.v1}. */
    public void sendToAll(List<String> key, InventoryRecord value) {
        for (int partition = 0; partition < partitions(Topics.INVENTORY); partition++) {
            send(partition, key, value);
        }
    }

    /** Sends a record to every partition of {@code claims.v1}. */
    public void sendToAll(List<String> key, ClaimsRecord value) {
        for (int partition = 0; partition < partitions(Topics.CLAIMS); partition++) {
            send(partition, key, value);
        }
    }

    /** Sends a tombstone, so that compaction removes the key. */
    public void sendTombstone(String topic, List<String> key) {
        sender.sendTombstone(topic, new RecordKey(key).text());
    }

    /**
     * The number of partitions of a topic.
     *
     * @throws org.apache.kafka.common.KafkaException if the broker does not respond
     */
    public int partitions(String topic) {
        return sender.partitions(topic);
    }

    /**
     * Waits until the broker has acknowledged all records.
     *
     * @throws org.apache.kafka.common.KafkaException if a record was lost
     */
    public void flush() {
        sender.flush();
    }

    /** Whether a broker is connected. Safe for any thread. */
    public boolean isConnected() {
        return sender.isConnected();
    }

    @Override
    public void close() {
        sender.close();
    }

    /** Closes at once; records without acknowledgement may be lost. */
    public void abandon() {
        sender.abandon();
    }
}
