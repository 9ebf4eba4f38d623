package dev.claimstream.agent.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.wire.Telemetry;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A broker with the topics of Claimstream, and readers of their records. */
public final class KafkaFixture implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final BrokerSettings settings;
    private final KafkaConnection connection;
    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private EmbeddedBroker broker;

    private KafkaFixture(BrokerSettings settings) {
        broker = EmbeddedBroker.start(settings);
        connection = KafkaConnection.plain(broker.bootstrap());
        String port = broker.bootstrap().substring(broker.bootstrap().lastIndexOf(':') + 1);
        this.settings = settings.onPort(Integer.parseInt(port));
    }

    public static KafkaFixture start(Path folder) {
        return startWith(BrokerSettings.in(folder));
    }

    public static KafkaFixture startWith(BrokerSettings settings) {
        return startWith(settings, Topics.shipped());
    }

    /** Starts a broker with this number of partitions of {@code inventory.v1}. */
    public static KafkaFixture withPartitions(Path folder, int partitions) {
        return startWith(
                BrokerSettings.in(folder), Topics.shipped().withPartitions(Map.of(Topics.INVENTORY, partitions)));
    }

    private static KafkaFixture startWith(BrokerSettings settings, Topics topics) {
        var kafka = new KafkaFixture(settings);
        try (var admin = Admin.create(kafka.connection().properties())) {
            new TopicSetup(admin, TIMEOUT).createMissing(topics);
        }
        return kafka;
    }

    public KafkaConnection connection() {
        return connection;
    }

    /** Stops the broker. */
    public void stopBroker() {
        broker.close();
    }

    /** Starts the broker again on the same port and data. */
    public void restartBroker() {
        broker = EmbeddedBroker.start(settings);
    }

    public SchemaRegistry registry() {
        return registry;
    }

    /** All records of {@code inventory.v1}, oldest first in each partition. */
    public List<InventoryRecord> inventory() {
        return values(Topics.INVENTORY, InventoryRecord.class);
    }

    /** All records of {@code telemetry.v1}, oldest first. */
    public List<Telemetry> telemetry() {
        return values(Topics.TELEMETRY, TelemetryRecord.class).stream()
                .map(Telemetry::from)
                .toList();
    }

    private <T extends SpecificRecord> List<T> values(String topic, Class<T> type) {
        var serde = AvroSerde.of(type, registry);
        List<T> values = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(connection(), "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(POLL).forEach(record -> {
                    if (serde.read(topic, record.value()) instanceof DecodeResult.Value<T>(T value)) {
                        values.add(value);
                    }
                });
            }
        }
        return values;
    }

    /** Liveness records as text, for example {@code node-1 silent}, oldest first. */
    public List<String> liveness() {
        return inventory().stream()
                .flatMap(record -> record.getLiveness().stream())
                .map(each -> each.getNode() + " " + each.getState())
                .toList();
    }

    /** Creates a heartbeat of a node. */
    static Telemetry heartbeat(String node) {
        return new Telemetry(node, Instant.parse("2026-01-01T00:00:00Z"), List.of());
    }

    @Override
    public void close() {
        broker.close();
    }
}
