package dev.claimstream.kafka;

import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import java.util.List;

/** Writes to the topics that tell the allocator about the world. What was sent is there once {@link #flush} returns. */
public final class PublicTopics implements AutoCloseable {
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

    /** Sends a record to {@code inventory.v1}. */
    public void send(List<String> key, InventoryRecord value) {
        send(Topics.INVENTORY, key, inventory.write(Topics.INVENTORY, value));
    }

    /** Sends a record to {@code claims.v1}. */
    public void send(List<String> key, ClaimsRecord value) {
        send(Topics.CLAIMS, key, claims.write(Topics.CLAIMS, value));
    }

    private void send(String topic, List<String> key, byte[] value) {
        sender.send(topic, new RecordKey(key).text(), value);
    }

    /**
     * Returns when everything that was sent is kept.
     *
     * @throws org.apache.kafka.common.KafkaException if something is lost
     */
    public void flush() {
        sender.flush();
    }

    @Override
    public void close() {
        sender.close();
    }
}
