package dev.claimstream.kafka;

import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.StaleMarker;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Prints when each part of a start has completed, in milliseconds since the JVM start.
 *
 * <p>Argument: data folder of the broker.
 */
final class StartTimes {
    private StartTimes() {}

    public static void main(String[] args) throws Exception {
        print("main");
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(Path.of(args[0])))) {
            print("broker");
            var connection = KafkaConnection.plain(broker.bootstrap());
            try (var admin = Admin.create(connection.properties())) {
                print("admin");
                print("topics "
                        + new TopicSetup(admin, Duration.ofSeconds(10))
                                .createMissing(Topics.shipped())
                                .size());
            }
            print("admin closed");
            try (var registry = EmbeddedRegistry.open(connection)) {
                print("registry");
                var serde = AvroSerde.of(InventoryRecord.class, registry);
                byte[] bytes = serde.write(
                        Topics.INVENTORY,
                        InventoryRecord.newBuilder()
                                .setSource("w")
                                .setEpoch(1)
                                .setVersion(1)
                                .setUid("")
                                .setStale(new StaleMarker("Node"))
                                .build());
                print("schema");
                AvroSerde.of(ClaimsRecord.class, registry)
                        .write(
                                Topics.CLAIMS,
                                ClaimsRecord.newBuilder()
                                        .setSource("w")
                                        .setEpoch(1)
                                        .setVersion(1)
                                        .setUid("")
                                        .setStale(new StaleMarker("Node"))
                                        .build());
                print("schema 2");
                try (var producer = new KafkaProducer<>(
                        ProducerSettings.of(connection, "p").properties(),
                        new StringSerializer(),
                        serde.serializer())) {
                    print("producer");
                    producer.send(new ProducerRecord<>(Topics.INVENTORY, "Stale/w/Node", (InventoryRecord)
                                    ((DecodeResult.Value<?>) serde.read(Topics.INVENTORY, bytes)).value()))
                            .get();
                    print("first record acknowledged");
                }
            }
            print("clients closed");
        }
        print("closed; heap used "
                + (ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20) + " MB");
    }

    private static void print(String what) {
        System.out.println(ManagementFactory.getRuntimeMXBean().getUptime() + " " + what);
    }
}
