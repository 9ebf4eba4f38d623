package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.RouterInputRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The transaction of a rebuild.
 *
 * <p>The next rebuild aborts a transaction that was left open; otherwise the brokers abort it after ten minutes.
 */
final class RebuildTransaction implements AutoCloseable {
    private static final String TRANSACTION = "claimstream-rebuild";
    private static final String TIMEOUT_MS = "600000";
    private static final int IN_FLIGHT_MAX = 10_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordSerde<CellInputRecord> inputs;
    private final RecordSerde<RouterInputRecord> routerInputs;
    private final RecordSerde<DecisionRecord> decisions;
    private final Deque<Future<RecordMetadata>> inFlight = new ArrayDeque<>();

    RebuildTransaction(KafkaConnection kafka, SchemaRegistry registry) {
        Properties properties =
                ProducerSettings.of(kafka, "rebuild").transactional(TRANSACTION).properties();
        properties.put("transaction.timeout.ms", TIMEOUT_MS);
        properties.put("linger.ms", "5");
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        inputs = AvroSerde.of(CellInputRecord.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        routerInputs = AvroSerde.of(RouterInputRecord.class, registry).withBytesMax(3 * AvroSerde.BYTES_MAX);
        decisions = AvroSerde.of(DecisionRecord.class, registry);
    }

    void begin() {
        producer.initTransactions();
        producer.beginTransaction();
    }

    void send(int cell, CellInputRecord input) {
        send(record(cell, input));
    }

    void sendToRouter(RouterInputRecord input) {
        send(record(input));
    }

    /** Publishes a decision again that {@code decisions.v1} has lost. */
    void sendDecision(DecisionRecord decision) {
        send(new ProducerRecord<>(
                Topics.DECISIONS,
                decision.getClaimUid().getBytes(StandardCharsets.UTF_8),
                decisions.write(Topics.DECISIONS, decision)));
    }

    /** Writes a tombstone for a claim. */
    void sendTombstone(String claimUid) {
        send(new ProducerRecord<>(Topics.DECISIONS, claimUid.getBytes(StandardCharsets.UTF_8), null));
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        inFlight.add(producer.send(record));
        if (inFlight.size() > IN_FLIGHT_MAX) {
            long unused = offset(inFlight.remove());
        }
    }

    /** Sends an input and returns its offset. */
    long sendAndWait(int cell, CellInputRecord input) {
        return offset(producer.send(record(cell, input)));
    }

    /** Sends an input to the router and returns its offset. */
    long sendToRouterAndWait(RouterInputRecord input) {
        return offset(producer.send(record(input)));
    }

    private ProducerRecord<byte[], byte[]> record(int cell, CellInputRecord input) {
        return new ProducerRecord<>(Topics.CELLS_IN, cell, null, inputs.write(Topics.CELLS_IN, input));
    }

    private ProducerRecord<byte[], byte[]> record(RouterInputRecord input) {
        return new ProducerRecord<>(
                KafkaAdmin.ROUTER.topic(),
                KafkaAdmin.ROUTER.partition(),
                null,
                routerInputs.write(KafkaAdmin.ROUTER.topic(), input));
    }

    /**
     * Commits the sent records and the offsets of these groups atomically.
     *
     * @throws LogContinuityException if a group has a member; nothing is committed
     */
    void commit(Map<String, Map<TopicPartition, Long>> groups) {
        groups.forEach((group, offsets) -> {
            Map<TopicPartition, OffsetAndMetadata> to = new LinkedHashMap<>();
            offsets.forEach((partition, offset) -> to.put(partition, new OffsetAndMetadata(offset)));
            try {
                producer.sendOffsetsToTransaction(to, metadataOfEmpty(group));
            } catch (CommitFailedException e) {
                throw LogContinuityException.hasMembers(group);
            }
        });
        producer.commitTransaction();
    }

    /**
     * Metadata of a group without members: a negative generation with the id of a member that does not exist.
     *
     * <p>Brokers accept it only while the group is empty. Without a member id they accept the offsets of a transaction also
     * while the group has members.
     */
    @SuppressWarnings({"deprecation", "removal"}) // no consumer returns metadata of a member that has not joined
    private static ConsumerGroupMetadata metadataOfEmpty(String group) {
        return new ConsumerGroupMetadata(group, -1, TRANSACTION, Optional.empty());
    }

    private static long offset(Future<RecordMetadata> sent) {
        try {
            return sent.get().offset();
        } catch (ExecutionException e) {
            throw new KafkaException("an input was not written: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
    }
}
