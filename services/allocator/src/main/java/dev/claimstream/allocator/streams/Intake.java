package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.BadReason;
import dev.claimstream.kafka.BadRecords;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.BadRecord;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.Origin;
import dev.claimstream.wire.Inputs;
import dev.claimstream.wire.SettingsWire;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the records of the public topics into one order, which is the order of the world for the cell. What cannot be read or breaks a
 * rule is set aside. A record can come twice after a crash; the cell does not mind.
 */
public final class Intake implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final List<String> TOPICS = List.of(Topics.INVENTORY, Topics.CLAIMS);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Sender sender;
    private final RecordSerde<CellInput> inputs;
    private final RecordSerde<InventoryRecord> inventory;
    private final RecordSerde<ClaimsRecord> claims;
    private final RecordSerde<BadRecord> badRecords;
    private final Settings settings;
    private final InstantSource clock;
    private final Thread thread = new Thread(this::run, "intake");
    private volatile Optional<RuntimeException> failure = Optional.empty();

    public Intake(
            KafkaConnection kafka, SchemaRegistry registry, Settings settings, InstantSource clock, String instance) {
        this.settings = settings;
        this.clock = clock;
        inputs = AvroSerde.of(CellInput.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        inventory = AvroSerde.of(InventoryRecord.class, registry).withBytesMax(PublicTopics.VALUE_BYTES_MAX);
        claims = AvroSerde.of(ClaimsRecord.class, registry).withBytesMax(PublicTopics.VALUE_BYTES_MAX);
        badRecords = AvroSerde.of(BadRecord.class, registry);
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, instance + "-intake")
                        .inGroup("claimstream-intake")
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        sender = new Sender(ProducerSettings.of(kafka, instance + "-intake"));
    }

    /** Begins to read. */
    public void start() {
        thread.start();
    }

    /** What ended the reading, if something did. */
    public Optional<RuntimeException> failure() {
        return failure;
    }

    private void run() {
        try (consumer;
                sender) {
            send(CellInput.newBuilder()
                    .setAt(clock.instant())
                    .setSettings(SettingsWire.to(settings))
                    .build());
            consumer.subscribe(TOPICS);
            while (!Thread.currentThread().isInterrupted()) {
                var records = consumer.poll(POLL);
                records.forEach(this::take);
                if (!records.isEmpty()) {
                    sender.flush();
                    consumer.commitAsync();
                }
            }
        } catch (WakeupException e) {
            LOG.atDebug().log("the intake stops");
        } catch (RuntimeException e) {
            failure = Optional.of(e);
            LOG.atError().setCause(e).log("the intake stops");
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        switch (record.topic()) {
            case Topics.INVENTORY ->
                take(record, inventory, Inputs::problem, (input, value) -> input.setInventory(value));
            case Topics.CLAIMS -> take(record, claims, Inputs::problem, (input, value) -> input.setClaims(value));
            default -> throw new IllegalStateException("the intake does not read " + record.topic());
        }
    }

    private interface Placing<T> {
        CellInput.Builder place(CellInput.Builder input, T value);
    }

    private <T extends SpecificRecord> void take(
            ConsumerRecord<byte[], byte[]> record,
            RecordSerde<T> serde,
            Function<T, Optional<String>> problem,
            Placing<T> placing) {
        switch (serde.read(record.topic(), record.value())) {
            case Decoded.Tombstone<T>() -> {
                // says nothing that the withdrawal before it did not say
            }
            case Decoded.Bad<T> bad -> setAside(record, bad);
            case Decoded.Value<T>(T value) ->
                problem.apply(value)
                        .ifPresentOrElse(
                                message -> setAside(record, new Decoded.Bad<T>(BadReason.RULE_BROKEN, message)),
                                () -> send(placing.place(input(record), value).build()));
        }
    }

    private CellInput.Builder input(ConsumerRecord<byte[], byte[]> record) {
        int partitions = consumer.partitionsFor(record.topic()).size();
        return CellInput.newBuilder()
                .setAt(clock.instant())
                .setOrigin(new Origin(record.topic(), record.partition(), partitions, record.offset()));
    }

    private void send(CellInput input) {
        sender.send(Topics.CELLS_IN, 0, inputs.write(Topics.CELLS_IN, input));
    }

    private void setAside(ConsumerRecord<byte[], byte[]> record, Decoded.Bad<?> bad) {
        sender.send(
                Topics.BAD_RECORDS, record.topic(), badRecords.write(Topics.BAD_RECORDS, BadRecords.of(record, bad)));
        LOG.atWarn()
                .addKeyValue("topic", record.topic())
                .addKeyValue("partition", record.partition())
                .addKeyValue("offset", record.offset())
                .addKeyValue("reason", bad.reason().code())
                .log("record set aside");
    }

    @Override
    public void close() {
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
