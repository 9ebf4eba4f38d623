package dev.claimstream.watcher.streams;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.wire.Published;
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
public final class Outlet implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Outlet.class);
    private static final int RECORDS_AT_ONCE = 1000;

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final String clientId;
    private volatile Optional<PublicTopics> topics = Optional.empty();

    public Outlet(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        this.kafka = kafka;
        this.registry = registry;
        this.clientId = clientId;
    }

    /**
     * Publishes records in their order and returns once they are acknowledged.
     *
     * <p>Records of other threads may be published between batches of 1,000.
     *
     * @throws OutletFault if an unknown part of the records is not acknowledged
     */
    public void publish(List<Published> records) {
        for (int from = 0; from < records.size(); from += RECORDS_AT_ONCE) {
            publishAtOnce(records.subList(from, Math.min(from + RECORDS_AT_ONCE, records.size())));
        }
    }

    private synchronized void publishAtOnce(List<Published> records) {
        attempt(open -> records.forEach(record -> send(open, record)));
    }

    /**
     * Publishes tombstones for keys; the first part of each key is its kind.
     *
     * @throws OutletFault if an unknown part of the tombstones is not acknowledged
     */
    public synchronized void forget(String topic, List<List<String>> keys) {
        attempt(open -> keys.forEach(key -> open.forget(topic, key)));
    }

    /**
     * Publishes a probe to every partition of every public topic.
     *
     * @throws OutletFault if an unknown part of the probe is not acknowledged
     */
    public synchronized void probe(dev.claimstream.allocation.cell.Stamp stamp, String id) {
        attempt(open -> Probes.send(open, stamp, id));
    }

    /**
     * Why no record can be published now; empty if a broker is connected or none was needed yet. Any thread may call
     * it.
     */
    public Optional<String> cutOff() {
        return topics.filter(open -> !open.isConnected()).map(_ -> "no connection to " + kafka.bootstrap());
    }

    private interface Attempt {
        void on(PublicTopics open);
    }

    private void attempt(Attempt attempt) {
        try {
            PublicTopics open = topics.orElseGet(() -> new PublicTopics(kafka, registry, clientId));
            topics = Optional.of(open);
            attempt.on(open);
            open.flush();
        } catch (KafkaException e) {
            abandon();
            throw new OutletFault(
                    "the broker did not take what %s published: %s".formatted(clientId, e.getMessage()), e);
        } catch (RegistryException e) {
            abandon();
            throw new OutletFault("the registry did not answer %s: %s".formatted(clientId, e.getMessage()), e);
        }
    }

    private static void send(PublicTopics open, Published record) {
        try {
            switch (record) {
                case Published.Inventory inventory
                when record.isForAll() -> open.sendToAll(inventory.key(), inventory.value());
                case Published.Claims claims when record.isForAll() -> open.sendToAll(claims.key(), claims.value());
                case Published.Inventory inventory -> open.send(inventory.key(), inventory.value());
                case Published.Claims claims -> open.send(claims.key(), claims.value());
            }
        } catch (IllegalArgumentException e) {
            LOG.atError()
                    .addKeyValue("key", record.key())
                    .addKeyValue("why", e.getMessage())
                    .log("object not published");
            return;
        }
        if (record.isWithdrawal()) {
            open.forget(topic(record), record.key());
        }
    }

    private static String topic(Published record) {
        return switch (record) {
            case Published.Inventory _ -> Topics.INVENTORY;
            case Published.Claims _ -> Topics.CLAIMS;
        };
    }

    private void abandon() {
        topics.ifPresent(PublicTopics::abandon);
        topics = Optional.empty();
    }

    @Override
    public synchronized void close() {
        topics.ifPresent(PublicTopics::close);
        topics = Optional.empty();
    }
}
