package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.BadRecords;
import dev.claimstream.kafka.CommitThrottle;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.BadRecord;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.RouterInputRecord;
import dev.claimstream.wire.RouterInputCodec;
import dev.claimstream.wire.SettingsCodec;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One consumer and one producer of the intake, from their creation until an error.
 *
 * <p>Offsets are committed only after the broker has acknowledged the inputs that were made of the records. Only the thread of the intake
 * uses it, except {@link #wakeUp}, {@link #isConnected} and {@link #positions}.
 */
final class IntakeSession implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IntakeSession.class);
    private static final Duration POLL_SOON = Duration.ofMillis(200);
    private static final Duration CLOSE_WITHIN = Duration.ofSeconds(1);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Sender sender;
    private final RecordValidator validator;
    private final RecordSerde<CellInputRecord> inputs;
    private final RecordSerde<RouterInputRecord> routerInputs;
    private final RecordSerde<BadRecord> badRecords;
    private final CellSettings settings;
    private final InstantSource clock;
    private final IntakeMeters meters;
    private final CommitThrottle commitThrottle = CommitThrottle.ofHalfSeconds();
    private final Map<String, Integer> partitions = new TreeMap<>();
    private boolean hasSentSettings;
    private boolean hasUnflushed;
    private boolean isClosing;
    private boolean isCommitDue;
    private boolean hasRouter;
    private CloseOptions.GroupMembershipOperation groupAtClose = CloseOptions.GroupMembershipOperation.DEFAULT;
    private volatile boolean hasRead;
    private volatile Map<TopicPartition, OptionalLong> positions = Map.of();

    IntakeSession(
            KafkaConnection kafka,
            SchemaRegistry registry,
            CellSettings settings,
            InstantSource clock,
            String instance,
            IntakeMeters meters) {
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
        validator = new RecordValidator(registry, clock);
        inputs = AvroSerde.of(CellInputRecord.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        routerInputs = AvroSerde.of(RouterInputRecord.class, registry).withBytesMax(3 * AvroSerde.BYTES_MAX);
        badRecords = AvroSerde.of(BadRecord.class, registry);
        sender = new Sender(ProducerSettings.of(kafka, instance + "-intake"));
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, instance + "-intake")
                        .inGroup(Intake.GROUP)
                        .withFetchWait(ConsumerSettings.IDLE)
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(RecordValidator.TOPICS, new RebalanceListener());
    }

    /** Polls once, and returns when the broker has acknowledged the inputs. */
    void step() {
        var records = consumer.poll(isCommitDue || !hasSentSettings ? POLL_SOON : ConsumerSettings.IDLE);
        records.forEach(this::process);
        if (!records.isEmpty()) {
            hasRead = true;
            flush();
            isCommitDue = true;
        }
        if (isCommitDue && commitThrottle.tryAcquire()) {
            consumer.commitAsync();
            isCommitDue = false;
        }
        publishPositions();
    }

    /** Whether a record was read. */
    boolean hasRead() {
        return hasRead;
    }

    boolean isConnected() {
        return KafkaConnection.isOpen(consumer.metrics());
    }

    void wakeUp() {
        consumer.wakeup();
    }

    /** Commits before a rebalance, so that other members continue after the acknowledged records. */
    private final class RebalanceListener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> added) {
            partitions.clear();
            RecordValidator.TOPICS.forEach(
                    topic -> partitions.put(topic, consumer.partitionsFor(topic).size()));
            hasRouter = consumer.partitionsFor(Topics.CELLS_IN).size() > 1;
            if (!hasSentSettings) {
                // The settings are sent only by a member of the group. A rebuild that has found no member must not find
                // settings after its own inputs.
                send(CellInputRecord.newBuilder()
                        .setAt(clock.instant())
                        .setSettings(SettingsCodec.to(settings))
                        .build());
                hasSentSettings = true;
            }
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
            if (!hasUnflushed && !isClosing) {
                consumer.commitSync();
            }
        }
    }

    private void flush() {
        hasUnflushed = true;
        sender.flush();
        hasUnflushed = false;
    }

    /** Publishes the consumed positions for other threads. An unknown position means the committed offset. */
    private void publishPositions() {
        Map<TopicPartition, OptionalLong> now = new HashMap<>();
        consumer.assignment().forEach(each -> now.put(each, position(each)));
        positions = Collections.unmodifiableMap(now);
    }

    private OptionalLong position(TopicPartition partition) {
        try {
            return OptionalLong.of(consumer.position(partition, Duration.ZERO));
        } catch (TimeoutException e) {
            return OptionalLong.empty();
        }
    }

    /** The assigned partitions with the first offset that is not consumed, if it is known. Any thread may call it. */
    Map<TopicPartition, OptionalLong> positions() {
        return positions;
    }

    private void process(ConsumerRecord<byte[], byte[]> record) {
        hasUnflushed = true;
        meters.countRecord(record.topic());
        switch (validator.validate(record, partitions.getOrDefault(record.topic(), 1))) {
            case RecordValidator.ValidationResult.Accepted accepted -> send(accepted.input());
            case RecordValidator.ValidationResult.Rejected rejected -> sendBadRecord(record, rejected.failure());
            case RecordValidator.ValidationResult.Tombstone empty -> {}
        }
    }

    private void send(CellInputRecord input) {
        if (hasRouter) {
            sender.send(Topics.ROUTER_IN, 0, routerInputs.write(Topics.ROUTER_IN, RouterInputCodec.to(input)));
        } else {
            sender.send(Topics.CELLS_IN, 0, inputs.write(Topics.CELLS_IN, input));
        }
    }

    private void sendBadRecord(ConsumerRecord<byte[], byte[]> record, DecodeResult.Failure<?> failure) {
        sender.send(
                Topics.BAD_RECORDS,
                record.topic(),
                badRecords.write(Topics.BAD_RECORDS, BadRecords.of(record, failure)));
        meters.countBadRecord(record.topic(), failure.reason());
        LOG.atWarn()
                .addKeyValue("topic", record.topic())
                .addKeyValue("partition", record.partition())
                .addKeyValue("offset", record.offset())
                .addKeyValue("reason", failure.reason().code())
                .log("record set aside");
    }

    /**
     * Makes {@link #close} leave the group, so that another intake takes over at once. A static member would stay until its
     * session expires.
     */
    void leaveGroupAtClose() {
        groupAtClose = CloseOptions.GroupMembershipOperation.LEAVE_GROUP;
    }

    /** Commits acknowledged records if this is possible at once. All other records are read and sent again later. */
    @Override
    public void close() {
        isClosing = true;
        try {
            if (hasRead && !hasUnflushed) {
                consumer.commitSync(CLOSE_WITHIN);
            }
        } catch (KafkaException e) {
            LOG.atDebug().setCause(e).log("no response to the last commit of the intake");
        } finally {
            consumer.close(
                    CloseOptions.timeout(ConsumerSettings.CLOSE_WITHIN).withGroupMembershipOperation(groupAtClose));
            sender.abandon();
        }
    }
}
