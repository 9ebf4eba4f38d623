package dev.claimstream.watcher.streams;

import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.wire.PublicRecord;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes records to the public topics.
 *
 * <p>A marker record about the whole source goes to every partition. The record of a deletion is followed by a
 * tombstone. Usable again after a fault. Safe for use by several threads.
 */
public final class PublicTopicPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PublicTopicPublisher.class);
    private static final int BATCH_SIZE = 1000;

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final String clientId;
    private volatile Optional<PublicTopicProducer> topics = Optional.empty();

    public PublicTopicPublisher(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        this.kafka = kafka;
        this.registry = registry;
        this.clientId = clientId;
    }

    /**
     * Publishes records in their order and returns once they are acknowledged.
     *
     * <p>Records of other threads may be published between batches of 1,000.
     *
     * @throws PublishException if an unknown part of the records is not acknowledged
     */
    public void publish(List<PublicRecord> records) {
        for (int from = 0; from < records.size(); from += BATCH_SIZE) {
            publishBatch(records.subList(from, Math.min(from + BATCH_SIZE, records.size())));
        }
    }

    private synchronized void publishBatch(List<PublicRecord> records) {
        run(open -> records.forEach(record -> send(open, record)));
    }

    /**
     * Publishes tombstones for keys; the first part of each key is its kind.
     *
     * @throws PublishException if an unknown part of the tombstones is not acknowledged
     */
    public synchronized void sendTombstones(String topic, List<List<String>> keys) {
        run(open -> keys.forEach(key -> open.sendTombstone(topic, key)));
    }

    /**
     * Publishes a probe to every partition of every public topic.
     *
     * @throws PublishException if an unknown part of the probe is not acknowledged
     */
    public synchronized void probe(dev.claimstream.allocation.cell.Stamp stamp, String id) {
        run(open -> ProbeSender.send(open, stamp, id));
    }

    /**
     * Why no record can be published now; empty if a broker is connected or none was needed yet. Any thread may call
     * it.
     */
    public Optional<String> disconnectReason() {
        return topics.filter(open -> !open.isConnected()).map(_ -> "no connection to " + kafka.bootstrap());
    }

    private interface TopicOperation {
        void on(PublicTopicProducer open);
    }

    private void run(TopicOperation operation) {
        try {
            PublicTopicProducer open = topics.orElseGet(() -> new PublicTopicProducer(kafka, registry, clientId));
            topics = Optional.of(open);
            operation.on(open);
            open.flush();
        } catch (KafkaException e) {
            abandon();
            throw new PublishException(
                    "Kafka did not accept the records of %s: %s"
                            .formatted(clientId, AuthorizationFault.textOr(e, kafka)),
                    e);
        } catch (RegistryException e) {
            abandon();
            throw new PublishException(
                    "no response from the schema registry to %s: %s".formatted(clientId, e.getMessage()), e);
        }
    }

    private static void send(PublicTopicProducer open, PublicRecord record) {
        try {
            switch (record) {
                case PublicRecord.InventoryTopicRecord inventory
                when record.isBroadcast() -> open.sendToAll(inventory.key(), inventory.value());
                case PublicRecord.ClaimsTopicRecord claims
                when record.isBroadcast() -> open.sendToAll(claims.key(), claims.value());
                case PublicRecord.InventoryTopicRecord inventory -> open.send(inventory.key(), inventory.value());
                case PublicRecord.ClaimsTopicRecord claims -> open.send(claims.key(), claims.value());
            }
        } catch (IllegalArgumentException e) {
            LOG.atError()
                    .addKeyValue("key", record.key())
                    .addKeyValue("why", e.getMessage())
                    .log("object not published");
            return;
        }
        if (record.isDeletion()) {
            open.sendTombstone(topic(record), record.key());
        }
    }

    private static String topic(PublicRecord record) {
        return switch (record) {
            case PublicRecord.InventoryTopicRecord _ -> Topics.INVENTORY;
            case PublicRecord.ClaimsTopicRecord _ -> Topics.CLAIMS;
        };
    }

    private void abandon() {
        topics.ifPresent(PublicTopicProducer::abandon);
        topics = Optional.empty();
    }

    @Override
    public synchronized void close() {
        topics.ifPresent(PublicTopicProducer::close);
        topics = Optional.empty();
    }
}
