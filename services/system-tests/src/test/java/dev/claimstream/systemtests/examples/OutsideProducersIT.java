package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.agent.SimulatedFleet;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.cli.standalone.DryRunCommits;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.StandaloneStack;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.Topics;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.SnapshotPublisher;
import dev.claimstream.wire.PublicRecord;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the programs of {@code deploy/producers} as separate processes, on public topics with several partitions. */
final class OutsideProducersIT {
    static final Path PRODUCERS = Path.of("..", "..", "deploy", "producers");
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PARTITIONS = 3;

    @TempDir
    static Path folder;

    private static StandaloneStack stack;
    private static ApplicationContext services;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    OutsideProducersIT() {}

    @BeforeAll
    static void start() throws InterruptedException, ExecutionException {
        stack = StandaloneStack.start(folder);
        try (var admin = Admin.create(stack.kafka().properties())) {
            var more = NewPartitions.increaseTo(PARTITIONS);
            admin.createPartitions(Map.of(Topics.INVENTORY, more, Topics.CLAIMS, more))
                    .all()
                    .get();
        }
        services = stack.startServices(
                new ObjectListing(List.of()),
                new CelSelectors(),
                new DryRunCommits(),
                RunSettings.defaults(),
                folder.resolve("a"));
        services.getBean(SimulatedFleet.class).publish();
        services.getBean(SnapshotPublisher.class).publish();
        publishSyncMarkersToAllPartitions();
    }

    @AfterAll
    static void stop() {
        services.close();
        stack.close();
    }

    /** A list is complete when every partition has its sync marker. */
    private static void publishSyncMarkersToAllPartitions() throws InterruptedException, ExecutionException {
        var inventory = AvroSerde.of(InventoryRecord.class, stack.registry());
        var claims = AvroSerde.of(ClaimsRecord.class, stack.registry());
        for (Kind kind : Kind.values()) {
            String source = kind == Kind.RESOURCE_SLICE ? SimulatedFleet.SOURCE : SnapshotPublisher.SOURCE;
            switch (PublicRecord.syncMarker(new Stamp(source, 1, 0), kind, 0)) {
                case PublicRecord.InventoryTopicRecord record ->
                    sendToAllPartitions(
                            Topics.INVENTORY, record.key(), inventory.write(Topics.INVENTORY, record.value()));
                case PublicRecord.ClaimsTopicRecord record ->
                    sendToAllPartitions(Topics.CLAIMS, record.key(), claims.write(Topics.CLAIMS, record.value()));
            }
        }
    }

    private static void sendToAllPartitions(String topic, List<String> key, byte[] value)
            throws InterruptedException, ExecutionException {
        try (var producer =
                new KafkaProducer<>(stack.kafka().properties(), new StringSerializer(), new ByteArraySerializer())) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                producer.send(new ProducerRecord<>(topic, partition, new RecordKey(key).text(), value))
                        .get();
            }
        }
    }

    @Test
    void javaProgramReadsAllocation() throws IOException, InterruptedException {
        assertAllocated("java", PRODUCERS.resolve("java"), javaCommand());
    }

    /** Returns the command of the README, to be run in the folder of the program. */
    static List<String> javaCommand() {
        Path jar = Path.of("target", "outside-producer.jar");
        assumeReady(PRODUCERS.resolve("java").resolve(jar), "Maven", "mvn -q package");
        return List.of(java(), "-jar", jar.toString());
    }

    @Test
    void javaScriptProgramReadsAllocation() throws IOException, InterruptedException {
        Path home = PRODUCERS.resolve("javascript");
        assumeReady(home.resolve("node_modules"), "Node.js and npm", "npm ci");
        List<String> command = List.of("node", "publish-and-read.mjs");
        assertAllocated("javascript", home, command);
        // after a restart the new claim replaces the old one, whose devices are released
        assertThat(run("javascript", home, command))
                .last()
                .asString()
                .startsWith("allocated outside/javascript-claim on javascript-node");
    }

    @Test
    void pythonProgramReadsAllocation() throws IOException, InterruptedException {
        Path home = PRODUCERS.resolve("python");
        Path python = home.resolve(Path.of(".venv", "bin", "python"));
        assumeReady(
                python, "Python 3.11 or newer", "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt");
        assertAllocated("python", home, List.of(python.toAbsolutePath().toString(), "publish_and_read.py"));
    }

    /** Skips the test if a tool is missing on a user's machine, and names the remedy. The gate installs the tools. */
    private static void assumeReady(Path needed, String tools, String remedy) {
        String message = "NOT TRIED: %s is missing. Install %s, then: cd deploy/producers/%s && %s"
                .formatted(
                        needed.getFileName(),
                        tools,
                        PRODUCERS.relativize(needed).getName(0),
                        remedy);
        boolean isReady = Files.exists(needed);
        if (!isReady && System.getenv("CI") == null) {
            System.err.println(message);
        }
        assertThat(isReady || System.getenv("CI") == null).as(message).isTrue();
        assumeTrue(isReady, message);
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static void assertAllocated(String language, Path home, List<String> command)
            throws IOException, InterruptedException {
        assertThat(run(language, home, command)).last().isEqualTo(allocatedLine(language));
        assertThat(published(language)).hasSize(4).allSatisfy(record -> {
            assertThat(record.partition())
                    .as(record.key())
                    .isEqualTo(Topics.shipped().get(record.topic()).partitionOf(record.key(), PARTITIONS));
        });
    }

    /** Returns the expected last line of a program. */
    static String allocatedLine(String language) {
        return "allocated outside/%1$s-claim on %1$s-node: %1$s.example.com/%1$s-node/gpu-0".formatted(language);
    }

    /** Runs a program, asserts that it succeeds, and returns its output. */
    private static List<String> run(String language, Path home, List<String> command)
            throws IOException, InterruptedException {
        return run(
                command,
                home,
                folder.resolve(language + ".out"),
                stack.broker().bootstrap(),
                stack.registryUrl().toString());
    }

    static List<String> run(List<String> command, Path home, Path out, String bootstrap, String registry)
            throws IOException, InterruptedException {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of(bootstrap, registry));
        Process process = new ProcessBuilder(whole)
                .directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        process.destroyForcibly();
        String text = Files.readString(out);
        assertThat(ended).as("%s ends; it said: %s", home.getFileName(), text).isTrue();
        assertThat(process.exitValue()).as(text).isZero();
        return text.lines().toList();
    }

    private static List<ConsumerRecord<String, byte[]>> published(String language) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (String topic : List.of(Topics.INVENTORY, Topics.CLAIMS)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                partitions.add(new TopicPartition(topic, partition));
            }
        }
        List<ConsumerRecord<String, byte[]>> found = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(stack.kafka(), "test").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> {
                    if (record.key().contains("/" + language + "-")) {
                        found.add(record);
                    }
                });
            }
        }
        return found;
    }
}
