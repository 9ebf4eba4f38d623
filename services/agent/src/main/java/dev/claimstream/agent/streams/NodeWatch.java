package dev.claimstream.agent.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.wire.Published;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Consumer of heartbeats, one member of the consumer group. Not thread-safe.
 *
 * <p>The committed offset of a partition is the oldest last heartbeat of its live nodes. A successor that continues
 * there receives a heartbeat of every live node; a node without one was silent. The metadata of the offset contain the
 * position up to which results are published. If a node returned behind that position, the successor publishes it.
 */
final class NodeWatch implements AutoCloseable {
    private static final String GROUP = "claimstream-liveness";
    private static final Duration POLL_MAX = Duration.ofMillis(500);
    private static final Duration FETCH_WAIT_MAX = Duration.ofMillis(500);
    private static final Duration PULSE_EVERY_MAX = Duration.ofSeconds(1);
    private static final Duration PULSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration COMMIT_EVERY = Duration.ofSeconds(5);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final int GAPS_IN_TIMEOUT = 3;

    /**
     * An end check, a poll and an open fetch must together be shorter than the maximum gap. Otherwise no node ever
     * becomes silent.
     */
    private static final int PULSES_IN_TIMEOUT = 2 * GAPS_IN_TIMEOUT;

    private static final int POLLS_IN_TIMEOUT = 2 * PULSES_IN_TIMEOUT;

    /** An end check waits for the end of an open fetch. */
    private static final int FETCHES_IN_TIMEOUT = 2 * POLLS_IN_TIMEOUT;

    private static final Pattern TOLD = Pattern.compile("[0-9]{1,18}");

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordSerde<InventoryRecord> inventory;
    private final Silence silence;
    private final Duration gapMax;
    private final Duration pulseEvery;
    private final Duration poll;

    /** By partition: position up to which predecessors have published results, when the partition was assigned. */
    private final Map<TopicPartition, Long> toldUpTo = new HashMap<>();

    /** By partition: end offset at the last end check. */
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    private final List<Published> news = new ArrayList<>();
    private final long startMillis;
    private Instant pulseAt = Instant.MIN;
    private Instant commitAt = Instant.MIN;
    private Instant currentAt = Instant.MIN;

    /** @throws org.apache.kafka.common.KafkaException if Kafka does not respond */
    NodeWatch(KafkaConnection kafka, SchemaRegistry registry, String instance, Duration timeout, Instant now) {
        startMillis = now.toEpochMilli();
        inventory = AvroSerde.of(InventoryRecord.class, registry);
        silence = new Silence(timeout);
        gapMax = timeout.dividedBy(GAPS_IN_TIMEOUT);
        pulseEvery = shorter(timeout.dividedBy(PULSES_IN_TIMEOUT), PULSE_EVERY_MAX);
        poll = shorter(timeout.dividedBy(POLLS_IN_TIMEOUT), POLL_MAX);
        producer = new KafkaProducer<>(
                ProducerSettings.of(kafka, instance).transactional(instance).properties(),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        Properties reading = ConsumerSettings.of(kafka, instance)
                .inGroup(GROUP)
                .withFetchWait(shorter(timeout.dividedBy(FETCHES_IN_TIMEOUT), FETCH_WAIT_MAX))
                .properties();
        consumer = new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            producer.initTransactions();
            consumer.subscribe(List.of(Topics.TELEMETRY), new Assignment());
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Polls once, detects silent nodes if an end check is due, and publishes the results.
     *
     * @return whether an end check has shown that every heartbeat is consumed
     */
    boolean step(InstantSource clock) {
        var records = consumer.poll(poll);
        Instant now = clock.instant();
        records.forEach(record -> hear(record, now));
        boolean isCurrent = !now.isBefore(pulseAt) && isCurrent(now);
        if (isCurrent) {
            judge(now);
        }
        tell(now);
        return isCurrent;
    }

    /** The number of nodes that are not silent. */
    int heard() {
        return silence.heard();
    }

    /** Processes a heartbeat. The key is the node; the value is ignored. */
    private void hear(ConsumerRecord<byte[], byte[]> record, Instant now) {
        if (record.key() == null || record.key().length == 0) {
            return;
        }
        String node = RecordKey.parse(new String(record.key(), StandardCharsets.UTF_8))
                .parts()
                .getFirst();
        var place = new Silence.Place(record.partition(), record.offset(), record.timestamp());
        boolean isNew = silence.heard(node, place, now);
        var partition = new TopicPartition(record.topic(), record.partition());
        if (isNew && record.offset() >= toldUpTo.getOrDefault(partition, 0L)) {
            news.add(Published.heard(stamp(2 * place.timestampMillis()), node, false, now));
        }
    }

    /** Versions derive from the broker's timestamp of the last heartbeat, so that they increase across instances. */
    private Stamp stamp(long version) {
        return new Stamp(Liveness.SOURCE, startMillis, version);
    }

    /** Requests the end offsets; returns whether the consumer has reached those of the previous check. */
    private boolean isCurrent(Instant now) {
        pulseAt = now.plus(pulseEvery);
        Set<TopicPartition> assigned = consumer.assignment();
        try {
            boolean isCurrent = ends.keySet().containsAll(assigned)
                    && assigned.stream()
                            .allMatch(each -> consumer.position(each, PULSE_TIMEOUT) >= ends.getOrDefault(each, 0L));
            ends.putAll(consumer.endOffsets(assigned, PULSE_TIMEOUT));
            return isCurrent && !assigned.isEmpty();
        } catch (TimeoutException e) {
            return false; // an outage of Kafka says nothing about the nodes
        }
    }

    private void judge(Instant now) {
        if (currentAt.isBefore(now.minus(gapMax))) {
            silence.startAnew(now);
        }
        currentAt = now;
        silence.judge(now)
                .forEach(each -> news.add(
                        Published.heard(stamp(2 * each.last().timestampMillis() + 1), each.node(), true, now)));
    }

    /** Whether a broker is connected; any thread may call it. */
    boolean isConnected() {
        return KafkaConnection.isOpen(consumer.metrics());
    }

    /** Publishes results and commits offsets in one transaction; without results commits offsets every 5 s. */
    private void tell(Instant now) {
        if (!news.isEmpty()) {
            producer.beginTransaction();
            news.forEach(this::send);
            producer.sendOffsetsToTransaction(places(), consumer.groupMetadata());
            producer.commitTransaction();
            news.clear();
        } else if (!now.isBefore(commitAt)) {
            commitAt = now.plus(COMMIT_EVERY);
            consumer.commitSync(places());
        }
    }

    private void send(Published record) {
        if (record instanceof Published.Inventory(List<String> key, InventoryRecord value)) {
            // a transaction with a lost record does not commit
            var unused = producer.send(new ProducerRecord<>(
                    Topics.INVENTORY,
                    new RecordKey(key).text().getBytes(StandardCharsets.UTF_8),
                    inventory.write(Topics.INVENTORY, value)));
        }
    }

    /** Returns the offsets to commit; the metadata are the position up to which results are published. */
    private Map<TopicPartition, OffsetAndMetadata> places() {
        Map<TopicPartition, OffsetAndMetadata> places = new HashMap<>();
        for (TopicPartition each : consumer.assignment()) {
            long told = consumer.position(each);
            long place = silence.oldest(each.partition()).orElse(told);
            places.put(each, new OffsetAndMetadata(place, Long.toString(told)));
        }
        return places;
    }

    /**
     * Returns the position up to which the predecessor published results; the end if its metadata have no such
     * position.
     */
    private static long told(OffsetAndMetadata place, long end) {
        return TOLD.matcher(place.metadata()).matches() ? Math.min(Long.parseLong(place.metadata()), end) : end;
    }

    /** Gives all nodes the full timeout again after partitions are assigned. */
    private final class Assignment implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            Map<TopicPartition, Long> now = consumer.endOffsets(partitions);
            consumer.committed(Set.copyOf(partitions)).forEach((partition, place) -> {
                if (place != null) {
                    toldUpTo.put(partition, told(place, now.getOrDefault(partition, 0L)));
                }
            });
            ends.putAll(now);
            currentAt = Instant.MIN;
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            for (TopicPartition each : partitions) {
                silence.forget(each.partition());
                toldUpTo.remove(each);
                ends.remove(each);
            }
        }
    }

    @Override
    public void close() {
        producer.close(CLOSE_TIMEOUT);
        consumer.close(CloseOptions.timeout(ConsumerSettings.CLOSE_WITHIN));
    }
}
