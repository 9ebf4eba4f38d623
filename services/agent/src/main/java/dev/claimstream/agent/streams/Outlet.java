package dev.claimstream.agent.streams;

import dev.claimstream.agent.Trouble;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.wire.Published;
import dev.claimstream.wire.Telemetry;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the slices and heartbeats of an agent. Not thread-safe.
 *
 * <p>While Kafka or the schema registry does not respond, nothing is published; afterwards the state of that time is.
 */
public final class Outlet implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Outlet.class);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final String source;
    private final Announcements announcements;
    private final RecordSerde<TelemetryRecord> telemetry;
    private final Trouble trouble = new Trouble(LOG, "publishing");
    private volatile Optional<Open> open = Optional.empty();

    private record Open(PublicTopics topics, Sender sender) implements AutoCloseable {
        @Override
        public void close() {
            topics.close();
            sender.close();
        }
    }

    /**
     * @param source name of the source in records
     * @param startMillis start time in milliseconds since 1970; higher than those of earlier starts
     */
    public Outlet(KafkaConnection kafka, SchemaRegistry registry, String source, long startMillis) {
        this.kafka = kafka;
        this.registry = registry;
        this.source = source;
        this.announcements = new Announcements(source, startMillis);
        this.telemetry = AvroSerde.of(TelemetryRecord.class, registry);
    }

    /**
     * Publishes changed slices and a heartbeat.
     *
     * @return whether all records are acknowledged; if not, the next call publishes them again
     */
    public boolean say(Optional<List<ResourceSlice>> slices, Telemetry heartbeat) {
        try {
            Open to = opened();
            slices.ifPresent(all -> announcements.of(all).forEach(record -> send(to.topics(), record)));
            to.sender()
                    .send(Topics.TELEMETRY, heartbeat.node(), telemetry.write(Topics.TELEMETRY, heartbeat.toRecord()));
            to.topics().flush();
            to.sender().flush();
            slices.ifPresent(announcements::kept);
            trouble.worked();
            return true;
        } catch (KafkaException | RegistryException e) {
            trouble.failed(String.valueOf(e.getMessage()));
            announcements.lost();
            close();
            return false;
        }
    }

    /**
     * Publishes these records in their order.
     *
     * @return whether all are acknowledged; if not, an unknown part of them is
     */
    public boolean say(List<Published> records) {
        try {
            Open to = opened();
            records.forEach(record -> send(to.topics(), record));
            to.topics().flush();
            trouble.worked();
            return true;
        } catch (KafkaException | RegistryException e) {
            trouble.failed(String.valueOf(e.getMessage()));
            close();
            return false;
        }
    }

    /** Whether producers are open and no broker is connected; any thread may call it. */
    public boolean isCutOff() {
        return open.filter(each -> !each.sender().isConnected()).isPresent();
    }

    private Open opened() {
        Open now = open.orElseGet(() -> {
            var topics = new PublicTopics(kafka, registry, source);
            return new Open(topics, new Sender(ProducerSettings.of(kafka, source + "-telemetry")));
        });
        open = Optional.of(now);
        return now;
    }

    private static void send(PublicTopics topics, Published record) {
        switch (record) {
            case Published.Inventory inventory
            when record.isForAll() -> topics.sendToAll(inventory.key(), inventory.value());
            case Published.Inventory inventory -> topics.send(inventory.key(), inventory.value());
            case Published.Claims claims -> topics.send(claims.key(), claims.value());
        }
        if (record.isWithdrawal()) {
            topics.forget(Topics.INVENTORY, record.key());
        }
    }

    @Override
    public void close() {
        open.ifPresent(Open::close);
        open = Optional.empty();
    }
}
