package dev.claimstream.kafka;

import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import java.util.List;

/** Writes to the topics that tell the allocator about the world. What was sent is there once {@link #flush} returns. */
public final class PublicTopics implements AutoCloseable {
    /** Their names. */
    public static final List<String> NAMES = List.of(Topics.INVENTORY, Topics.CLAIMS);

    /** The most bytes of a value: what is made of it further on, with a key and an envelope, still fits a record. */
    public static final int VALUE_BYTES_MAX = AvroSerde.BYTES_MAX - (16 << 10);

    private final Sender sender;
    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;

    /** @param clientId the writer's name in logs and metrics */
    public PublicTopics(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        inventory = AvroSerde.of(InventoryRecord.class, registry);
        claims = AvroSerde.of(ClaimsRecord.class, registry);
        sender = new Sender(ProducerSettings.of(kafka, clientId));
    }

    /**
     * Sends a record to {@code inventory.v1}.
     *
     * @throws IllegalArgumentException if it is too large for readers
     */
    public void send(List<String> key, InventoryRecord value) {
        send(Topics.INVENTORY, key, inventory.write(Topics.INVENTORY, value));
    }

    /**
     * Sends a record to {@code claims.v1}.
     *
     * @throws IllegalArgumentException if it is too large for readers
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

    /** Sends a record to one partition of {@code inventory.v1}, whatever its key. */
    public void send(int partition, List<String> key, InventoryRecord value) {
        sender.send(Topics.INVENTORY, partition, new RecordKey(key).text(), inventory.write(Topics.INVENTORY, value));
    }

    /** Sends a record to one partition of {@code claims.v1}, whatever its key. */
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

    /** Lets a compacted topic forget what stands under a key. */
    public void forget(String topic, List<String> key) {
        sender.sendTombstone(topic, new RecordKey(key).text());
    }

    /**
     * How many partitions one of the topics has.
     *
     * @throws org.apache.kafka.common.KafkaException if the broker does not answer
     */
    public int partitions(String topic) {
        return sender.partitions(topic);
    }

    /**
     * Returns when everything that was sent is kept.
     *
     * @throws org.apache.kafka.common.KafkaException if something is lost
     */
    public void flush() {
        sender.flush();
    }

    /** Whether a broker is connected; any thread may ask. */
    public boolean isConnected() {
        return sender.isConnected();
    }

    @Override
    public void close() {
        sender.close();
    }

    /** Gives up what is not kept yet. */
    public void abandon() {
        sender.abandon();
    }
}
