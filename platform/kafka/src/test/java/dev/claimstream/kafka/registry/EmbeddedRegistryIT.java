package dev.claimstream.kafka.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublishedSchema;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.schemas.DeviceIdRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.StaleMarker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.avro.AvroSchema;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.CachedSchemaRegistryClient;
import org.apache.flink.avro.registry.confluent.shaded.io.confluent.kafka.schemaregistry.client.rest.exceptions.RestClientException;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded schema registry on a broker, with the REST client and Confluent's client. */
class EmbeddedRegistryIT {
    private static final Schema PET =
            SchemaBuilder.record("Pet").fields().requiredString("name").endRecord();
    private static final Schema PET_WITH_AGE = SchemaBuilder.record("Pet")
            .fields()
            .requiredString("name")
            .optionalInt("age")
            .endRecord();
    private static final Schema PET_WITHOUT_NAME =
            SchemaBuilder.record("Pet").fields().requiredInt("age").endRecord();

    @TempDir
    Path folder;

    @Test
    void keepsIdsAndLevelsOverBrokerRestart() {
        try (var broker = startBroker()) {
            try (var registry = EmbeddedRegistry.open(KafkaConnection.plain(broker.bootstrap()));
                    var server = registry.serve(0);
                    var rest = new RestRegistry(RestRegistry.RegistrySettings.of(server.url()))) {
                assertThat(registry.register("pet-value", PET)).isEqualTo(1);
                assertThat(rest.register("pet-value", PET_WITH_AGE)).isEqualTo(2);
                assertThat(registry.register("other-value", PET)).isEqualTo(1);
                rest.setLevel("other-value", CompatibilityLevel.NONE);
            }
        }
        try (var broker = startBroker()) {
            long start = System.nanoTime();
            try (var registry = EmbeddedRegistry.open(KafkaConnection.plain(broker.bootstrap()))) {
                System.out.printf("registry open after a restart: %d ms%n", (System.nanoTime() - start) / 1_000_000);
                assertThat(registry.byId(2)).isEqualTo(PET_WITH_AGE);
                assertThat(registry.register("pet-value", PET)).isEqualTo(1);
                assertThat(registry.register("other-value", PET_WITHOUT_NAME)).isEqualTo(3);
                assertThatExceptionOfType(RegistryException.class)
                        .isThrownBy(() -> registry.register("pet-value", PET_WITHOUT_NAME));
            }
        }
    }

    @Test
    void acceptsConfluentClient() throws Exception {
        try (var broker = startBroker();
                var registry = EmbeddedRegistry.open(KafkaConnection.plain(broker.bootstrap()));
                var server = registry.serve(0);
                var client = new CachedSchemaRegistryClient(server.url().toString(), 100)) {
            int id = client.register("pet-value", new AvroSchema(PET.toString()));
            assertThat(registry.byId(id)).isEqualTo(PET);
            assertThat(client.getAllSubjects()).containsExactly("pet-value");
            assertThat(client.getSchemaById(id).canonicalString()).contains("Pet");
            assertThat(client.getLatestSchemaMetadata("pet-value").getId()).isEqualTo(id);
            assertThat(client.getVersion("pet-value", new AvroSchema(PET.toString())))
                    .isEqualTo(1);
            assertThat(client.getAllVersions("pet-value")).containsExactly(1);
            assertThat(client.testCompatibility("pet-value", new AvroSchema(PET_WITH_AGE.toString())))
                    .isTrue();
            assertThat(client.testCompatibility("pet-value", new AvroSchema(PET_WITHOUT_NAME.toString())))
                    .isFalse();
            assertThatExceptionOfType(RestClientException.class)
                    .isThrownBy(() -> client.register("pet-value", new AvroSchema(PET_WITHOUT_NAME.toString())))
                    .satisfies(e -> assertThat(e.getStatus()).isEqualTo(409));
            assertThatExceptionOfType(RestClientException.class)
                    .isThrownBy(() -> client.getLatestSchemaMetadata("none"))
                    .satisfies(e -> assertThat(e.getErrorCode()).isEqualTo(40401));
            assertThat(client.updateCompatibility("pet-value", "NONE")).isEqualTo("NONE");
            assertThat(client.getCompatibility("pet-value")).isEqualTo("NONE");
            assertThat(client.register("pet-value", new AvroSchema(PET_WITHOUT_NAME.toString())))
                    .isEqualTo(2);
        }
    }

    @Test
    void registersTopicSchemasReadableByForeignClient() throws Exception {
        try (var broker = startBroker();
                var registry = EmbeddedRegistry.open(KafkaConnection.plain(broker.bootstrap()));
                var server = registry.serve(0);
                var client = new CachedSchemaRegistryClient(server.url().toString(), 100)) {
            var serde = AvroSerde.of(InventoryRecord.class, registry);
            var value = InventoryRecord.newBuilder()
                    .setSource("w")
                    .setEpoch(1)
                    .setVersion(1)
                    .setUid("")
                    .setStale(new StaleMarker("Node"))
                    .build();
            byte[] bytes = serde.write(Topics.INVENTORY, value);
            int id = client.getId(
                    "inventory.v1-value",
                    new AvroSchema(PublishedSchema.of(value.getSchema()).toString()));
            assertThat(bytes).startsWith(0, 0, 0, 0, id);
            try (var rest = new RestRegistry(RestRegistry.RegistrySettings.of(server.url()))) {
                var reader = AvroSerde.of(InventoryRecord.class, rest);
                assertThat(reader.read(Topics.INVENTORY, bytes)).isEqualTo(new DecodeResult.Value<>(value));
                assertThat(AvroSerde.of(DeviceIdRecord.class, rest).read(Topics.INVENTORY, bytes))
                        .isInstanceOf(DecodeResult.Failure.class);
            }
        }
    }

    private EmbeddedBroker startBroker() {
        var broker = EmbeddedBroker.start(BrokerSettings.in(folder));
        try (var admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.bootstrap()))) {
            var unused = new TopicSetup(admin, Duration.ofSeconds(10)).createMissing(Topics.shipped());
        }
        return broker;
    }
}
