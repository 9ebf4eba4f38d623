package dev.claimstream.agent.streams;

import dev.claimstream.agent.FailureTracker;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.wire.PublicRecord;
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
public final class AgentPublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AgentPublisher.class);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final String source;
    private final SlicePublication slicePublication;
    private final RecordSerde<TelemetryRecord> telemetry;
    private final FailureTracker failureTracker = new FailureTracker(LOG, "publishing");
    private volatile Optional<TopicProducers> producers = Optional.empty();
    private volatile Optional<String> denial = Optional.empty();

    private record TopicProducers(PublicTopicProducer topics, Sender sender) implements AutoCloseable {
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
    public AgentPublisher(KafkaConnection kafka, SchemaRegistry registry, String source, long startMillis) {
        this.kafka = kafka;
        this.registry = registry;
        this.source = source;
        this.slicePublication = new SlicePublication(source, startMillis);
        this.telemetry = AvroSerde.of(TelemetryRecord.class, registry);
    }

    /**
     * Publishes changed slices and a heartbeat.
     *
     * @return whether all records are acknowledged; if not, the next call publishes them again
     */
    public boolean publish(Optional<List<ResourceSlice>> slices, Telemetry heartbeat) {
        try {
            TopicProducers to = openProducers();
            slices.ifPresent(all -> slicePublication.recordsFor(all).forEach(record -> send(to.topics(), record)));
            List<Telemetry> parts = heartbeat.parts();
            for (Telemetry each : parts.isEmpty() ? List.of(heartbeat) : parts) {
                to.sender().send(Topics.TELEMETRY, each.node(), telemetry.write(Topics.TELEMETRY, each.toRecord()));
            }
            to.topics().flush();
            to.sender().flush();
            slices.ifPresent(slicePublication::acknowledge);
            recordSuccess();
            return true;
        } catch (KafkaException | RegistryException e) {
            recordFailure(e);
            slicePublication.reset();
            close();
            return false;
        }
    }

    /**
     * Publishes these records in their order.
     *
     * @return whether all are acknowledged; if not, an unknown part of them is
     */
    public boolean publish(List<PublicRecord> records) {
        try {
            TopicProducers to = openProducers();
            records.forEach(record -> send(to.topics(), record));
            to.topics().flush();
            recordSuccess();
            return true;
        } catch (KafkaException | RegistryException e) {
            recordFailure(e);
            close();
            return false;
        }
    }

    private void recordSuccess() {
        denial = Optional.empty();
        failureTracker.recordSuccess();
    }

    private void recordFailure(RuntimeException e) {
        denial = AuthorizationFault.text(e, kafka);
        failureTracker.recordFailure(denial.orElseGet(() -> String.valueOf(e.getMessage())));
    }

    /** The permission that Kafka denied to the last records; empty if it denied none. Any thread may call it. */
    public Optional<String> denial() {
        return denial;
    }

    /** Whether producers are open and no broker is connected; any thread may call it. */
    public boolean isDisconnected() {
        return producers.filter(each -> !each.sender().isConnected()).isPresent();
    }

    private TopicProducers openProducers() {
        TopicProducers opened = producers.orElseGet(() -> {
            var topics = new PublicTopicProducer(kafka, registry, source);
            return new TopicProducers(topics, new Sender(ProducerSettings.of(kafka, source + "-telemetry")));
        });
        producers = Optional.of(opened);
        return opened;
    }

    private static void send(PublicTopicProducer topics, PublicRecord record) {
        switch (record) {
            case PublicRecord.InventoryTopicRecord inventory
            when record.isBroadcast() -> topics.sendToAll(inventory.key(), inventory.value());
            case PublicRecord.InventoryTopicRecord inventory -> topics.send(inventory.key(), inventory.value());
            case PublicRecord.ClaimsTopicRecord claims -> topics.send(claims.key(), claims.value());
        }
        if (record.isDeletion()) {
            topics.sendTombstone(Topics.INVENTORY, record.key());
        }
    }

    @Override
    public void close() {
        producers.ifPresent(TopicProducers::close);
        producers = Optional.empty();
    }
}
