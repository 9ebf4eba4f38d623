package dev.claimstream.kubernetes.streams;

import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.miniature.ClusterStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Stores a {@code MiniatureCluster} in the compacted topic {@code cluster.v1}.
 *
 * <p>Each {@link #save} is one transaction. Each {@link #load} fences the producers of earlier loads, so that none of their records can
 * arrive later. Safe for use by several threads.
 */
public final class TopicStore implements ClusterStore {
    private static final TopicPartition PARTITION = new TopicPartition(Topics.CLUSTER, 0);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(15);

    /** A broker that has just started on a busy machine has no coordinator yet. */
    private static final Duration COORDINATOR_TIMEOUT = Duration.ofSeconds(30);

    private final KafkaConnection connection;
    private Optional<KafkaProducer<String, String>> producer = Optional.empty();

    public TopicStore(KafkaConnection connection) {
        this.connection = connection;
    }

    @Override
    public synchronized SortedMap<String, String> load() {
        try {
            closeProducer();
            var fresh = new KafkaProducer<>(settings(), new StringSerializer(), new StringSerializer());
            producer = Optional.of(fresh);
            initTransactions(fresh);
            return read();
        } catch (KafkaException e) {
            throw fault("cannot be read", e);
        }
    }

    private static void initTransactions(KafkaProducer<String, String> producer) {
        long start = System.nanoTime();
        while (true) {
            try {
                producer.initTransactions();
                return;
            } catch (TimeoutException e) {
                if (System.nanoTime() - start > COORDINATOR_TIMEOUT.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /** Uses shorter timeouts than other producers, because a user waits for every save. */
    private Properties settings() {
        Properties settings = ProducerSettings.of(connection, "cluster")
                .transactional("claimstream-cluster")
                .properties();
        settings.put("max.block.ms", "5000");
        settings.put("request.timeout.ms", "4000");
        settings.put("delivery.timeout.ms", "8000");
        return settings;
    }

    private SortedMap<String, String> read() {
        Properties settings = ConsumerSettings.of(connection, "cluster").properties();
        settings.put("fetch.max.wait.ms", "10"); // closing a consumer waits for the fetch in flight
        SortedMap<String, String> texts = new TreeMap<>();
        try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION), READ_TIMEOUT).getOrDefault(PARTITION, 0L);
            long lastRecordNanos = System.nanoTime();
            while (consumer.position(PARTITION, READ_TIMEOUT) < end) {
                var records = consumer.poll(POLL).records(PARTITION);
                records.forEach(record -> apply(texts, record));
                lastRecordNanos = records.isEmpty() ? lastRecordNanos : System.nanoTime();
                if (System.nanoTime() - lastRecordNanos > READ_TIMEOUT.toNanos()) {
                    throw new ClusterFault("topic %s was not read to its end: no response from Kafka; try again"
                            .formatted(PARTITION.topic()));
                }
            }
        }
        return texts;
    }

    private static void apply(SortedMap<String, String> texts, ConsumerRecord<String, String> record) {
        if (record.value() == null) {
            texts.remove(record.key());
        } else {
            texts.put(record.key(), record.value());
        }
    }

    @Override
    public synchronized void save(SortedMap<String, Optional<String>> changes) {
        KafkaProducer<String, String> open = producer.orElseThrow(
                () -> new ClusterFault("topic %s must be read before it is written".formatted(PARTITION.topic())));
        try {
            open.beginTransaction();
            changes.forEach((key, text) -> {
                var unused = open.send(record(key, text));
            });
            open.commitTransaction();
        } catch (KafkaException e) {
            closeProducer();
            throw fault("did not accept a change", e);
        }
    }

    @SuppressWarnings("NullAway") // a record without a value is a tombstone
    private static ProducerRecord<String, String> record(String key, Optional<String> text) {
        return new ProducerRecord<>(PARTITION.topic(), PARTITION.partition(), key, text.orElse(null));
    }

    private static ClusterFault fault(String problem, KafkaException cause) {
        return ClusterFault.withRemedy(
                "topic %s %s: %s. No acknowledged write is lost"
                        .formatted(PARTITION.topic(), problem, root(cause).getMessage()),
                "try again when Kafka responds",
                cause);
    }

    /** Returns the root cause, because Kafka wraps it in an exception that only says that an earlier error occurred. */
    private static Throwable root(Throwable thrown) {
        Throwable root = thrown;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private void closeProducer() {
        producer.ifPresent(open -> open.close(Duration.ZERO));
        producer = Optional.empty();
    }

    @Override
    public synchronized void close() {
        producer.ifPresent(open -> open.close(Duration.ofSeconds(5)));
        producer = Optional.empty();
    }
}
