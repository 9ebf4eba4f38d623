package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryServer;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.wire.PublicRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Stops the registry while separate services run and before others start; then stops the broker. Each service reports
 * the outage on its health page.
 */
@Tag("part-4")
@Timeout(360)
final class RegistryOutageIT {
    private static final String DRIVER = "gpu.example.com";

    /** The services that start during the outage. */
    private static final List<String> SERVICES = List.of("agent", "console", "watcher", "writer");

    private static final String ALL_UP = "{\"status\":\"up\",\"parts\"";
    private static final String UP = "\"registry\":{\"status\":\"up\"";
    private static final String DEGRADED = "\"registry\":{\"status\":\"degraded\",\"sentence\":\"only cached schemas";

    /** Offset of the schema id, after the magic byte. */
    private static final int ID_AT = 1;

    @TempDir
    private Path folder = Path.of("");

    private final HttpClient http = HttpClient.newHttpClient();
    private BrokerSettings brokerSettings;
    private EmbeddedBroker broker;
    private KafkaConnection kafka;
    private EmbeddedRegistry registry;
    private RegistryServer server;
    private int observability;
    private Map<String, Integer> healthPorts = Map.of();
    private int consolePort;
    private long version;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    RegistryOutageIT() {}

    @BeforeEach
    void start() throws IOException {
        List<Integer> ports = FreePorts.of(SERVICES.size() + 3);
        brokerSettings = BrokerSettings.in(folder.resolve("broker")).onPort(ports.get(2));
        broker = EmbeddedBroker.start(brokerSettings);
        kafka = KafkaConnection.plain(broker.bootstrap());
        assertThat(CommandResult.run("topics", "--bootstrap", kafka.bootstrap(), "--check")
                        .errLines())
                .singleElement()
                .asString()
                .contains(" has no topic bad-records.v1, cells.in, ", ": create them with claimstream topics");
        assertThat(CommandResult.run("topics", "--bootstrap", kafka.bootstrap()).out())
                .contains("topic/cells.in created\n", "topic/telemetry.v1 created\n");
        for (String mode : List.of("--cells=1", "--check")) {
            assertThat(CommandResult.run("topics", "--bootstrap", kafka.bootstrap(), mode)
                            .out()
                            .lines())
                    .isNotEmpty()
                    .allMatch(line -> line.endsWith(" unchanged"));
        }
        assertThat(CommandResult.run("topics", "--bootstrap", kafka.bootstrap(), "--cells", "2")
                        .errLines())
                .singleElement()
                .asString()
                .contains("topic cells.in has 1 partitions, not 2");
        registry = EmbeddedRegistry.open(kafka);
        server = registry.serve(0);
        observability = ports.get(0);
        consolePort = ports.get(1);
        healthPorts = new TreeMap<>();
        for (int i = 0; i < SERVICES.size(); i++) {
            healthPorts.put(SERVICES.get(i), ports.get(i + 3));
        }
    }

    @AfterEach
    void stop() {
        server.close();
        registry.close();
        broker.close();
        http.close();
    }

    @Test
    void decidesRecordsOfNewSchemaAfterRegistryReturns() throws IOException, InterruptedException {
        try (Program allocator = startAllocator()) {
            publish(
                    new Node(ObjectMeta.of("", "node-1", "uid-node-1"), List.of(), false, true),
                    new DeviceClass(ObjectMeta.of("", "gpu", "uid-gpu"), List.of(), List.of(), Optional.empty()),
                    slice("gpu-0", "gpu-1", "gpu-2", "gpu-3", "gpu-4"),
                    claim("before"));
            await("/metrics", allocatedMetric(1));
            assertThat(page("/health")).contains(UP);

            int port = server.url().getPort();
            server.close();
            publishInNewSchema(claim("during"));
            await("/health", DEGRADED);
            publish(claim("behind"));
            assertThat(page("/metrics")).contains(allocatedMetric(1));
            assertThat(allocator.isAlive()).isTrue();

            assertServicesWaitForRegistry(port);
            await("/metrics", allocatedMetric(5));
            await("/health", UP);
        }
    }

    /**
     * The services start without the registry, report it, and continue when it is back. During the next outage they
     * work on, because they have cached the schemas.
     */
    private void assertServicesWaitForRegistry(int port) throws IOException, InterruptedException {
        try (Program agent = startService("agent");
                Program console = startService("console");
                Program watcher = startService("watcher");
                Program writer = startService("writer")) {
            for (String each : SERVICES) {
                awaitHealth(each, DEGRADED);
            }
            assertThat(claimFiles()).isEmpty();

            server = registry.serve(port);
            assertThat(watcher.awaitEnd()).as(watcher.err()).isZero();
            for (String each : List.of("agent", "console", "writer")) {
                awaitHealth(each, UP);
            }
            awaitClaims("before", "during", "behind");

            server.close();
            publish(claim("later"));
            awaitClaims("before", "during", "behind", "later");
            server = registry.serve(port);
            assertServicesWaitForBroker();
            assertThat(Stream.of(agent, console, writer)).allMatch(Program::isAlive);
        }
    }

    /** All services run, except the watcher, which starts without the broker. */
    private void assertServicesWaitForBroker() throws IOException, InterruptedException {
        String without = "no connection to " + kafka.bootstrap();
        broker.close();
        await("/health", "\"broker\":{\"status\":\"down\",\"sentence\":\"%s\"".formatted(without));
        awaitHealth("agent", degraded("agent", without + "; node node-2 is published once connected"));
        awaitHealth("console", degraded("console", "shows the decisions up to the lost connection: " + without));
        awaitHealth("writer", degraded("writer", "0 decisions not committed, retrying: " + without));
        try (Program watcher = startService("watcher")) {
            awaitHealth("watcher", "files not published yet, retrying: " + without);
            broker = EmbeddedBroker.start(brokerSettings);
            assertThat(watcher.awaitEnd()).as(watcher.err()).isZero();
        }
        await("/health", ALL_UP);
        for (String each : List.of("agent", "console", "writer")) {
            awaitHealth(each, ALL_UP);
        }
        publish(claim("last"));
        awaitClaims("before", "during", "behind", "later", "last");
    }

    private static String degraded(String part, String sentence) {
        return "\"%s\":{\"status\":\"degraded\",\"sentence\":\"%s\"".formatted(part, sentence);
    }

    private Program startService(String service) throws IOException {
        Files.createDirectories(folder.resolve("sys/bus/pci/devices"));
        Path file = Files.writeString(folder.resolve("class.yaml"), """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: other}
            spec: {}
            """);
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_KAFKA_BOOTSTRAP", kafka.bootstrap(),
                        "CLAIMSTREAM_REGISTRY_URL", server.url().toString(),
                        "CLAIMSTREAM_AGENT_SYS", folder.resolve("sys").toString(),
                        "CLAIMSTREAM_WATCHER_FILES", file.toString(),
                        "CLAIMSTREAM_WRITER_FOLDER", folder.resolve("claims").toString(),
                        "NODE_NAME", "node-2",
                        "CLAIMSTREAM_CONSOLE_PORT", Integer.toString(consolePort),
                        "CLAIMSTREAM_OBSERVABILITY_PORT",
                                healthPorts.getOrDefault(service, 0).toString()),
                "dev.claimstream.%s.Main".formatted(service));
    }

    private void awaitHealth(String service, String text) throws InterruptedException {
        int at = healthPorts.getOrDefault(service, 0);
        Program.await(() -> page(at, "/health").contains(text), service + ": " + text);
    }

    /** Waits until the writer has written these claims and the console shows them. */
    private void awaitClaims(String... names) throws InterruptedException {
        Program.await(() -> claimFiles().size() == names.length, "files of " + List.of(names));
        Program.await(
                () -> {
                    String granted = page(consolePort, "/api/v1/claims?state=allocated");
                    return Stream.of(names).allMatch(name -> granted.contains("\"name\":\"%s\"".formatted(name)));
                },
                "claims " + List.of(names));
    }

    private List<Path> claimFiles() {
        Path claims = folder.resolve("claims");
        try (Stream<Path> files = Files.isDirectory(claims) ? Files.walk(claims) : Stream.of()) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Program startAllocator() throws IOException {
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_KAFKA_BOOTSTRAP", kafka.bootstrap(),
                        "CLAIMSTREAM_REGISTRY_URL", server.url().toString(),
                        "CLAIMSTREAM_ALLOCATOR_STATE_FOLDER",
                                folder.resolve("state").toString(),
                        "CLAIMSTREAM_OBSERVABILITY_PORT", Integer.toString(observability)),
                "dev.claimstream.allocator.Main");
    }

    private static String allocatedMetric(int claims) {
        return "claimstream_claims{reason=\"\",state=\"allocated\"} %d.0".formatted(claims);
    }

    private void await(String path, String text) throws InterruptedException {
        Program.await(() -> page(path).contains(text), text);
    }

    private String page(String path) {
        return page(observability, path);
    }

    /** Returns the body; empty if the server does not respond. */
    private String page(int port, String path) {
        try {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                    .build();
            return http.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void publish(ClusterObject... objects) {
        try (var topics = new PublicTopicProducer(kafka, registry, "test")) {
            for (ClusterObject object : objects) {
                switch (upsert(object)) {
                    case PublicRecord.InventoryTopicRecord(var key, var value) -> topics.send(key, value);
                    case PublicRecord.ClaimsTopicRecord(var key, var value) -> topics.send(key, value);
                }
            }
            topics.flush();
        }
    }

    private PublicRecord upsert(ClusterObject object) {
        return PublicRecord.upsert(new Stamp("test", 1, ++version), object);
    }

    /** Publishes the claim as a producer of a later release would. */
    private void publishInNewSchema(ResourceClaim claim) {
        if (!(upsert(claim) instanceof PublicRecord.ClaimsTopicRecord(var key, var value))) {
            throw new AssertionError("a claim is no claim");
        }
        byte[] known = AvroSerde.of(ClaimsRecord.class, registry).write(Topics.CLAIMS, value);
        byte[] bytes = Arrays.copyOf(known, known.length + 1); // the new field: the first branch of its union, null
        ByteBuffer.wrap(bytes).putInt(ID_AT, registry.register(Topics.CLAIMS + "-value", withOneMoreField()));
        try (var sender = new Sender(ProducerSettings.of(kafka, "test"))) {
            sender.send(Topics.CLAIMS, String.join("/", key), bytes);
            sender.flush();
        }
    }

    private static Schema withOneMoreField() {
        Schema known = ClaimsRecord.getClassSchema();
        List<Schema.Field> fields = new ArrayList<>();
        known.getFields().forEach(field -> fields.add(new Schema.Field(field, field.schema())));
        Schema optional = SchemaBuilder.unionOf().nullType().and().stringType().endUnion();
        fields.add(new Schema.Field("later", optional, "Of a later release.", JsonProperties.NULL_VALUE));
        return Schema.createRecord(known.getName(), known.getDoc(), known.getNamespace(), false, fields);
    }

    private static ResourceSlice slice(String... devices) {
        return ResourceSlice.builder(ObjectMeta.of("", "slice-1", "uid-slice-1"), DRIVER, "node-1")
                .generation(1)
                .scope(new NodeScope.SingleNode("node-1"))
                .devices(Stream.of(devices)
                        .map(name -> Device.of(name, new TreeMap<>(), new TreeMap<>()))
                        .toList())
                .build();
    }

    private static ResourceClaim claim(String name) {
        var spec = new RequestSpec("gpu", List.of(), AllocationMode.EXACT_COUNT, 1, List.of(), new TreeMap<>());
        return new ResourceClaim(
                ObjectMeta.of("team", name, "uid-" + name),
                new ClaimSpec(List.of(new DeviceRequest.Exactly("gpus", spec, Optional.empty())), List.of(), List.of()),
                Optional.empty(),
                List.of());
    }
}
