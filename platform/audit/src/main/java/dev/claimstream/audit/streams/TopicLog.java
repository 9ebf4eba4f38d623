package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.registry.SchemaRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The log in the topics of a broker. Only committed records are read. Not safe for several threads. */
public final class TopicLog implements AuditLog {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final Optional<RestRegistry> owned;
    private final Properties settings;
    private final Map<TopicPartition, KafkaConsumer<byte[], byte[]>> consumers = new HashMap<>();
    private final KafkaConsumer<byte[], byte[]> lookup;

    /** Opens the topics of a broker. The registry stays open when the log is closed. */
    public TopicLog(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        this(kafka, registry, clientId, Optional.empty());
    }

    /** Opens the topics of a broker, with a client of its registry that is closed with the log. */
    public static TopicLog owning(KafkaConnection kafka, RestRegistry registry, String clientId) {
        return new TopicLog(kafka, registry, clientId, Optional.of(registry));
    }

    private TopicLog(KafkaConnection kafka, SchemaRegistry registry, String clientId, Optional<RestRegistry> owned) {
        this.kafka = kafka;
        this.registry = registry;
        this.owned = owned;
        settings = ConsumerSettings.of(kafka, clientId).properties();
        settings.put("default.api.timeout.ms", Long.toString(ANSWER_WITHIN.toMillis()));
        settings.put("max.poll.records", "5000");
        lookup = answered(this::consumer);
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public SortedSet<Integer> partitions(String topic) {
        List<PartitionInfo> partitions = answered(() -> lookup.partitionsFor(topic));
        var numbers = new TreeSet<Integer>();
        Optional.ofNullable(partitions).ifPresent(all -> all.forEach(each -> numbers.add(each.partition())));
        return numbers;
    }

    @Override
    public long begin(String topic, int partition) {
        var key = new TopicPartition(topic, partition);
        return answered(() -> lookup.beginningOffsets(List.of(key))).getOrDefault(key, 0L);
    }

    @Override
    public long end(String topic, int partition) {
        var key = new TopicPartition(topic, partition);
        return answered(() -> lookup.endOffsets(List.of(key))).getOrDefault(key, 0L);
    }

    @Override
    public long offsetAt(String topic, int partition, Instant time) {
        var key = new TopicPartition(topic, partition);
        Optional<OffsetAndTimestamp> found =
                Optional.ofNullable(answered(() -> lookup.offsetsForTimes(Map.of(key, time.toEpochMilli())))
                        .get(key));
        return found.map(OffsetAndTimestamp::offset).orElseGet(() -> end(topic, partition));
    }

    @Override
    public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
        var key = new TopicPartition(topic, partition);
        KafkaConsumer<byte[], byte[]> consumer = consumers.computeIfAbsent(key, this::assigned);
        if (answered(() -> consumer.position(key)) != from) {
            consumer.seek(key, from);
        }
        Instant lastResponse = Instant.now();
        while (answered(() -> consumer.position(key)) < to) {
            boolean isSilent = true;
            for (ConsumerRecord<byte[], byte[]> record : answered(() -> consumer.poll(POLL))) {
                isSilent = false;
                if (record.offset() >= to || !action.test(of(record))) {
                    consumer.seek(key, Math.min(record.offset(), to));
                    return;
                }
            }
            lastResponse = isSilent ? lastResponse : Instant.now();
            if (lastResponse.plus(RESPONSE_TIMEOUT).isBefore(Instant.now())) {
                throw new AuditException("%s, partition %d: no record from %s for %d s. Check that Kafka is up."
                        .formatted(topic, partition, kafka.bootstrap(), RESPONSE_TIMEOUT.toSeconds()));
            }
        }
    }

    private KafkaConsumer<byte[], byte[]> assigned(TopicPartition partition) {
        KafkaConsumer<byte[], byte[]> consumer = answered(this::consumer);
        consumer.assign(List.of(partition));
        return consumer;
    }

    private static LogRecord of(ConsumerRecord<byte[], byte[]> record) {
        return new LogRecord(
                record.topic(),
                record.partition(),
                record.offset(),
                Instant.ofEpochMilli(record.timestamp()),
                Optional.ofNullable(record.key()),
                Optional.ofNullable(record.value()));
    }

    @Override
    public Optional<Schema> schema(int id) {
        try {
            return Optional.of(registry.byId(id));
        } catch (RegistryException e) {
            if (e.errorCode().isRetriable()) {
                throw new AuditException("schema id %d: %s".formatted(id, e.getMessage()), e);
            }
            return Optional.empty();
        }
    }

    @Override
    public String location() {
        return kafka.bootstrap();
    }

    private <T> T answered(Supplier<T> request) {
        try {
            return request.get();
        } catch (KafkaException e) {
            throw new AuditException(
                    AuthorizationFault.denial(e, kafka)
                            .orElseGet(() -> "reading from %s failed: %s. Check that Kafka is up."
                                    .formatted(kafka.bootstrap(), e.getMessage())),
                    e);
        }
    }

    @Override
    public void close() {
        consumers.values().forEach(each -> each.close(CloseOptions.timeout(Duration.ofSeconds(1))));
        lookup.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        owned.ifPresent(RestRegistry::close);
    }
}
