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
 * One membership in the group that listens to nodes. The group's place in a partition is that of the node which was heard longest ago and is
 * not silent: a successor that reads on from there hears of every such node, and one that it does not hear of was silent. With the place
 * stands how far was told, so that a node which came back behind that is said to be back.
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

    /** A pulse, a poll and an open fetch together have to be shorter than a gap, or no node would ever be judged. */
    private static final int PULSES_IN_TIMEOUT = 2 * GAPS_IN_TIMEOUT;

    private static final int POLLS_IN_TIMEOUT = 2 * PULSES_IN_TIMEOUT;

    /** A pulse waits for the end of an open fetch. */
    private static final int FETCHES_IN_TIMEOUT = 2 * POLLS_IN_TIMEOUT;

    private static final Pattern TOLD = Pattern.compile("[0-9]{1,18}");

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordSerde<InventoryRecord> inventory;
    private final Silence silence;
    private final Duration gapMax;
    private final Duration pulseEvery;
    private final Duration poll;

    /** How far a partition was told when it was assigned: what is before was heard by a predecessor. */
    private final Map<TopicPartition, Long> toldUpTo = new HashMap<>();

    /** Where a partition ended at the last pulse. */
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    private final List<Published> news = new ArrayList<>();
    private final long startMillis;
    private Instant pulseAt = Instant.MIN;
    private Instant commitAt = Instant.MIN;
    private Instant currentAt = Instant.MIN;

    /** @throws org.apache.kafka.common.KafkaException where Kafka does not answer */
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
     * Listens for a moment, judges where it is time, and says what is new.
     *
     * @return whether it is known that nothing is left to hear
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

    /** How many nodes are not silent. */
    int heard() {
        return silence.heard();
    }

    /** The key is the node; that something was said is all that matters here. */
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

    /** Versions come from the broker's time of what was heard last, so that they grow whoever judges. */
    private Stamp stamp(long version) {
        return new Stamp(Liveness.SOURCE, startMillis, version);
    }

    /** Asks the broker for the ends; current is who has read up to those of the last time. */
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
            return false; // Kafka is away, which says nothing about the nodes
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

    /** Whether a broker is connected; any thread may ask. */
    boolean isConnected() {
        return KafkaConnection.isOpen(consumer.metrics());
    }

    /** What is new and the group's place are kept together or not at all. */
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

    /** With each place stands how far was told. */
    private Map<TopicPartition, OffsetAndMetadata> places() {
        Map<TopicPartition, OffsetAndMetadata> places = new HashMap<>();
        for (TopicPartition each : consumer.assignment()) {
            long told = consumer.position(each);
            long place = silence.oldest(each.partition()).orElse(told);
            places.put(each, new OffsetAndMetadata(place, Long.toString(told)));
        }
        return places;
    }

    /** How far a predecessor has told; of one that did not say so, everything that is there. */
    private static long told(OffsetAndMetadata place, long end) {
        return TOLD.matcher(place.metadata()).matches() ? Math.min(Long.parseLong(place.metadata()), end) : end;
    }

    /** Every node of a partition that was just assigned gets the full time, and so do all others. */
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
