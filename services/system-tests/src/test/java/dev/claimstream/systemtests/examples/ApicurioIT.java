package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.registry.RestRegistry.Registration;
import dev.claimstream.kafka.registry.RestRegistry.RegistrySettings;
import dev.claimstream.systemtests.process.AllocatorProgram;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.watcher.ClusterWatcher;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.avro.Schema;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs an allocator and the programs of {@code deploy/producers} with Apicurio's registry, each as a process. */
@Timeout(240)
@Tag("part-0")
final class ApicurioIT {
    private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(30);

    @TempDir
    private Path folder = Path.of("");

    @Test
    void programsReadAllocationsWithoutRegisteringSchemas()
            throws IOException, InterruptedException, ExecutionException {
        Path home = OutsideProgram.apicurio();
        List<OutsideProgram> programs = List.of(
                OutsideProgram.javaWithConfluentClient(),
                OutsideProgram.javaScript(),
                OutsideProgram.javaScriptWithConfluentClient(),
                OutsideProgram.python());
        int port = FreePorts.of(1).getFirst();
        URI url = URI.create("http://127.0.0.1:%d/apis/ccompat/v7".formatted(port));
        Process apicurio = startApicurio(home, port);
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("kafka")))) {
            var kafka = KafkaConnection.plain(broker.bootstrap());
            try (var admin = Admin.create(kafka.properties())) {
                assertThat(new TopicSetup(admin, ADMIN_TIMEOUT).createMissing(Topics.shipped()))
                        .isNotEmpty();
            }
            Program.await(() -> isReady(url) || !apicurio.isAlive(), "response of Apicurio");
            try (Program allocator = AllocatorProgram.start(folder, "a", broker.bootstrap(), url.toString());
                    var registry = new RestRegistry(RegistrySettings.of(url))) {
                for (Kind kind : Kind.values()) {
                    Registries.sync(kafka, registry, new Stamp(ClusterWatcher.SOURCE, 1, 0), kind, 1);
                }
                for (OutsideProgram program : programs) {
                    assertThat(program.run(folder, broker.bootstrap(), url.toString()))
                            .as(program.site())
                            .last()
                            .isEqualTo(program.allocatedLine());
                }
                assertThat(allocator.isAlive()).as(allocator.err()).isTrue();
            }
            assertThat(Registries.versions(url)).containsOnly(1);
            assertThat(Registries.get(url, "/config/inventory.v1-value")).contains("FULL_TRANSITIVE");
            assertLookUpFindsRegisteredIds(url);
            assertThat(Registries.versions(url)).containsOnly(1);
        } finally {
            apicurio.destroyForcibly();
        }
    }

    /** As with the chart, whose Job registers the schemas, and whose services look them up. */
    private static void assertLookUpFindsRegisteredIds(URI url) {
        RegistrySettings settings = RegistrySettings.of(url);
        try (var registrar = new RestRegistry(settings);
                var service = new RestRegistry(settings.with(Registration.LOOK_UP))) {
            for (String subject : List.of("a-value", Topics.INVENTORY + "-value")) {
                assertThatExceptionOfType(RegistryException.class)
                        .isThrownBy(() -> service.register(subject, Schema.create(Schema.Type.STRING)))
                        .withMessageContaining("is not registered under " + subject);
            }
            SubjectSchemas.ofServices().bySubject().forEach((subject, schema) -> {
                int id = registrar.register(subject, schema);
                assertThat(service.register(subject, schema)).as(subject).isEqualTo(id);
            });
        }
    }

    private Process startApicurio(Path home, int port) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-Dquarkus.http.host=127.0.0.1",
                        "-Dquarkus.http.port=" + port,
                        "-jar",
                        "quarkus-run.jar")
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("apicurio.out").toFile())
                .start();
    }

    private static boolean isReady(URI url) {
        try {
            return !Registries.get(url, "/subjects").isEmpty();
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
