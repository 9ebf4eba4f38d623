package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.agent.SimulatedFleet;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.cli.standalone.DryRunCommits;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.StandaloneStack;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.Topics;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.SnapshotPublisher;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the programs of {@code deploy/producers} as separate processes, on public topics with several partitions. */
final class OutsideProducersIT {
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
        for (Kind kind : Kind.values()) {
            String source = kind == Kind.RESOURCE_SLICE ? SimulatedFleet.SOURCE : SnapshotPublisher.SOURCE;
            Registries.sync(stack.kafka(), stack.registry(), new Stamp(source, 1, 0), kind, PARTITIONS);
        }
    }

    @Test
    void javaProgramReadsAllocation() throws IOException, InterruptedException {
        assertAllocated(OutsideProgram.java());
        // after a restart the new claim replaces the old one, whose devices are released
        OutsideProgram restarted = OutsideProgram.javaWithConfluentClient();
        assertThat(run(restarted)).last().asString().startsWith(restarted.allocatedAgain());
    }

    @Test
    void javaScriptProgramReadsAllocation() throws IOException, InterruptedException {
        OutsideProgram program = OutsideProgram.javaScript();
        assertAllocated(program);
        // after a restart the new claim replaces the old one, whose devices are released
        assertThat(run(program)).last().asString().startsWith(program.allocatedAgain());
    }

    @Test
    void javaScriptProgramWithConfluentClientReadsAllocation() throws IOException, InterruptedException {
        assertAllocated(OutsideProgram.javaScriptWithConfluentClient());
    }

    @Test
    void pythonProgramReadsAllocation() throws IOException, InterruptedException {
        assertAllocated(OutsideProgram.python());
    }

    private static void assertAllocated(OutsideProgram program) throws IOException, InterruptedException {
        assertThat(run(program)).last().isEqualTo(program.allocatedLine());
        assertThat(published(program.site())).hasSize(4).allSatisfy(record -> {
            assertThat(record.partition())
                    .as(record.key())
                    .isEqualTo(Topics.shipped().get(record.topic()).partitionOf(record.key(), PARTITIONS));
        });
    }

    private static List<String> run(OutsideProgram program) throws IOException, InterruptedException {
        List<String> output = program.run(
                folder, stack.broker().bootstrap(), stack.registryUrl().toString());
        assertThat(Registries.versions(stack.registryUrl()))
                .as("programs register no schema")
                .containsOnly(1);
        return output;
    }

    private static List<ConsumerRecord<String, byte[]>> published(String site) {
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
                    if (record.key().matches(".*/" + site + "-(node|gpu|claim).*")) {
                        found.add(record);
                    }
                });
            }
        }
        return found;
    }
}
