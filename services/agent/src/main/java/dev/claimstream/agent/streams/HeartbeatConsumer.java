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
import dev.claimstream.wire.PublicRecord;
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
final class HeartbeatConsumer implements AutoCloseable {
    static final String GROUP = "claimstream-liveness";
    /** Longest poll, and longest wait of a broker before it answers a fetch. */
    static final Duration WAIT_MAX = Duration.ofSeconds(1);

    /** Interval while heartbeats are unread or a node is about to become silent; otherwise it is longer. */
    private static final Duration END_CHECK_INTERVAL_MAX = Duration.ofSeconds(1);

    private static final Duration IDLE_END_CHECK_INTERVAL_MAX = Duration.ofSeconds(3);
    private static final Duration END_CHECK_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration COMMIT_EVERY = Duration.ofSeconds(5);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final int GAPS_IN_TIMEOUT = 3;

    /**
     * An end check, a poll and an open fetch must together be shorter than the maximum gap. Otherwise no node ever
     * becomes silent.
     */
    private static final int END_CHECKS_IN_TIMEOUT = 2 * GAPS_IN_TIMEOUT;

    private static final int POLLS_IN_TIMEOUT = 2 * END_CHECKS_IN_TIMEOUT;

    /** An end check waits for the end of an open fetch. */
    private static final int FETCHES_IN_TIMEOUT = 2 * POLLS_IN_TIMEOUT;

    private static final Pattern OFFSET_METADATA = Pattern.compile("[0-9]{1,18}");

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    private final RecordSerde<InventoryRecord> inventory;
    private final HeartbeatTracker tracker;
    private final Duration gapMax;
    private final Duration endCheckInterval;
    private final Duration idleEndCheckInterval;
    private final Duration poll;

    /** By partition: position up to which predecessors have published results, when the partition was assigned. */
    private final Map<TopicPartition, Long> publishedUpTo = new HashMap<>();

    /** By partition: end offset at the last end check. */
    private final Map<TopicPartition, Long> ends = new HashMap<>();

    private final List<PublicRecord> pendingRecords = new ArrayList<>();
    private final long startMillis;
    private Instant nextEndCheck = Instant.MIN;
    private Instant nextCommit = Instant.MIN;
    private Instant caughtUpAt = Instant.MIN;
    private volatile CloseOptions.GroupMembershipOperation groupAtClose = CloseOptions.GroupMembershipOperation.DEFAULT;

    /**
     * @param waitMax longest wait of a poll and of a fetch
     * @throws org.apache.kafka.common.KafkaException if Kafka does not respond
     */
    HeartbeatConsumer(
            KafkaConnection kafka,
            SchemaRegistry registry,
            String instance,
            Duration timeout,
            Duration waitMax,
            Instant now) {
        startMillis = now.toEpochMilli();
        inventory = AvroSerde.of(InventoryRecord.class, registry);
        tracker = new HeartbeatTracker(timeout);
        gapMax = timeout.dividedBy(GAPS_IN_TIMEOUT);
        endCheckInterval = shorter(timeout.dividedBy(END_CHECKS_IN_TIMEOUT), END_CHECK_INTERVAL_MAX);
        idleEndCheckInterval = shorter(timeout.dividedBy(END_CHECKS_IN_TIMEOUT), IDLE_END_CHECK_INTERVAL_MAX);
        poll = shorter(timeout.dividedBy(POLLS_IN_TIMEOUT), waitMax);
        producer = new KafkaProducer<>(
                ProducerSettings.of(kafka, instance).transactional(instance).properties(),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        Properties reading = ConsumerSettings.of(kafka, instance)
                .inGroup(GROUP)
                .withFetchWait(shorter(timeout.dividedBy(FETCHES_IN_TIMEOUT), waitMax))
                .properties();
        consumer = new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            producer.initTransactions();
            consumer.subscribe(List.of(Topics.TELEMETRY), new HeartbeatRebalanceListener());
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
        records.forEach(record -> onHeartbeat(record, now));
        boolean isCaughtUp = !now.isBefore(nextEndCheck) && isCaughtUp(now);
        if (isCaughtUp) {
            detectSilentNodes(now);
        }
        publish(now);
        return isCaughtUp;
    }

    /** The number of nodes that are not silent. */
    int liveNodes() {
        return tracker.heartbeat();
    }

    /** Processes a heartbeat. The key is the node; the value is ignored. */
    private void onHeartbeat(ConsumerRecord<byte[], byte[]> record, Instant now) {
        if (record.key() == null || record.key().length == 0) {
            return;
        }
        String node = RecordKey.parse(new String(record.key(), StandardCharsets.UTF_8))
                .parts()
                .getFirst();
        var position = new HeartbeatTracker.HeartbeatPosition(record.partition(), record.offset(), record.timestamp());
        boolean isNew = tracker.heartbeat(node, position, now);
        var partition = new TopicPartition(record.topic(), record.partition());
        if (isNew && record.offset() >= publishedUpTo.getOrDefault(partition, 0L)) {
            pendingRecords.add(PublicRecord.liveness(stamp(2 * position.timestampMillis()), node, false, now));
        }
    }

    /** Versions derive from the broker's timestamp of the last heartbeat, so that they increase across instances. */
    private Stamp stamp(long version) {
        return new Stamp(LivenessMonitor.SOURCE, startMillis, version);
    }

    /** Requests the end offsets; returns whether the consumer has reached those of the previous check. */
    private boolean isCaughtUp(Instant now) {
        nextEndCheck = now.plus(endCheckInterval);
        Set<TopicPartition> assigned = consumer.assignment();
        try {
            boolean isCaughtUp = ends.keySet().containsAll(assigned)
                    && assigned.stream()
                            .allMatch(
                                    each -> consumer.position(each, END_CHECK_TIMEOUT) >= ends.getOrDefault(each, 0L));
            ends.putAll(consumer.endOffsets(assigned, END_CHECK_TIMEOUT));
            return isCaughtUp && !assigned.isEmpty();
        } catch (TimeoutException e) {
            return false; // an outage of Kafka says nothing about the nodes
        }
    }

    private void detectSilentNodes(Instant now) {
        if (caughtUpAt.isBefore(now.minus(gapMax))) {
            tracker.restartTimeouts(now);
        }
        caughtUpAt = now;
        nextEndCheck = now.plus(untilEndCheck(now));
        tracker.expire(now)
                .forEach(each -> pendingRecords.add(
                        PublicRecord.liveness(stamp(2 * each.last().timestampMillis() + 1), each.node(), true, now)));
    }

    /**
     * Returns the time until the next end check of a consumer that has read everything.
     *
     * <p>An end check precedes the timeout of a node by the short interval, because the next one expires the node only if the consumer has
     * reached the end of this one.
     */
    private Duration untilEndCheck(Instant now) {
        Duration untilTimeout = tracker.nextTimeout()
                .map(timeout -> Duration.between(now, timeout).minus(endCheckInterval))
                .orElse(idleEndCheckInterval);
        return untilTimeout.compareTo(endCheckInterval) < 0
                ? endCheckInterval
                : shorter(untilTimeout, idleEndCheckInterval);
    }

    /** Ends an open poll, so that {@link #step} throws, and makes {@link #close} leave the group; any thread may call it. */
    void stop() {
        groupAtClose = CloseOptions.GroupMembershipOperation.LEAVE_GROUP;
        consumer.wakeup();
    }

    /** Whether a broker is connected; any thread may call it. */
    boolean isConnected() {
        return KafkaConnection.isOpen(consumer.metrics());
    }

    /** Publishes results and commits offsets in one transaction; without results commits offsets every 5 s. */
    private void publish(Instant now) {
        if (!pendingRecords.isEmpty()) {
            producer.beginTransaction();
            pendingRecords.forEach(this::send);
            producer.sendOffsetsToTransaction(offsets(), consumer.groupMetadata());
            producer.commitTransaction();
            pendingRecords.clear();
        } else if (!now.isBefore(nextCommit)) {
            nextCommit = now.plus(COMMIT_EVERY);
            consumer.commitSync(offsets());
        }
    }

    private void send(PublicRecord record) {
        if (record instanceof PublicRecord.InventoryTopicRecord(List<String> key, InventoryRecord value)) {
            // a transaction with a lost record does not commit
            var unused = producer.send(new ProducerRecord<>(
                    Topics.INVENTORY,
                    new RecordKey(key).text().getBytes(StandardCharsets.UTF_8),
                    inventory.write(Topics.INVENTORY, value)));
        }
    }

    /** Returns the offsets to commit; the metadata are the position up to which results are published. */
    private Map<TopicPartition, OffsetAndMetadata> offsets() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (TopicPartition each : consumer.assignment()) {
            long published = consumer.position(each);
            long committed = tracker.oldestOffset(each.partition()).orElse(published);
            offsets.put(each, new OffsetAndMetadata(committed, Long.toString(published)));
        }
        return offsets;
    }

    /**
     * Returns the position up to which the predecessor published results; the end if its metadata have no such
     * position.
     */
    private static long publishedOffset(OffsetAndMetadata committed, long end) {
        return OFFSET_METADATA.matcher(committed.metadata()).matches()
                ? Math.min(Long.parseLong(committed.metadata()), end)
                : end;
    }

    /** Gives all nodes the full timeout again after partitions are assigned. */
    private final class HeartbeatRebalanceListener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            Map<TopicPartition, Long> now = consumer.endOffsets(partitions);
            consumer.committed(Set.copyOf(partitions)).forEach((partition, committed) -> {
                if (committed != null) {
                    publishedUpTo.put(partition, publishedOffset(committed, now.getOrDefault(partition, 0L)));
                }
            });
            ends.putAll(now);
            caughtUpAt = Instant.MIN;
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            for (TopicPartition each : partitions) {
                tracker.forget(each.partition());
                publishedUpTo.remove(each);
                ends.remove(each);
            }
        }
    }

    /** Closes. After {@link #stop} it leaves the group, so that another monitor takes over at once. */
    @Override
    public void close() {
        producer.close(CLOSE_TIMEOUT);
        consumer.close(CloseOptions.timeout(ConsumerSettings.CLOSE_WITHIN).withGroupMembershipOperation(groupAtClose));
    }
}
