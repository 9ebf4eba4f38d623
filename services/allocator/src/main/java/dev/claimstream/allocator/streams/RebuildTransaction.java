package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
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
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
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

    private final KafkaConnection kafka;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordSerde<CellInputRecord> inputs;
    private final RecordSerde<RouterInputRecord> routerInputs;
    private final RecordSerde<DecisionRecord> decisions;
    private final Deque<Future<RecordMetadata>> inFlight = new ArrayDeque<>();

    RebuildTransaction(KafkaConnection kafka, SchemaRegistry registry) {
        this.kafka = kafka;
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

    /** Commits the sent records and the offsets of these groups atomically. */
    void commit(Map<String, Map<TopicPartition, Long>> groups) {
        groups.forEach((group, offsets) -> {
            Map<TopicPartition, OffsetAndMetadata> to = new LinkedHashMap<>();
            offsets.forEach((partition, offset) -> to.put(partition, new OffsetAndMetadata(offset)));
            producer.sendOffsetsToTransaction(to, memberlessMetadata(group));
        });
        producer.commitTransaction();
    }

    /** Group metadata without a member id. Brokers accept its offsets only while the group has no members. */
    private ConsumerGroupMetadata memberlessMetadata(String group) {
        Properties properties =
                ConsumerSettings.of(kafka, "rebuild").inGroup(group).properties();
        try (var consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return consumer.groupMetadata();
        }
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
