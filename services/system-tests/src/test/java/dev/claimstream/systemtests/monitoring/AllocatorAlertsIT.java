package dev.claimstream.systemtests.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.Topics;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Causes the alerts about an allocator that runs and yet does not do its work, while a real Prometheus evaluates the
 * rules of the chart with shortened durations. Each alert ends after the remedy of its page.
 */
@Tag("part-3")
@Timeout(600)
class AllocatorAlertsIT {
    private static final String INTAKE_THREAD = "intake";
    private static final int DEVICES = 60;
    private static final int LAG_MAX = 10_000;

    /** Exceeds the objective of 250 ms for a decision, and not the objective of 1 s for a commit. */
    private static final Duration THROTTLED = Duration.ofMillis(600);

    private static final String ENDLESS = "device.driver != \"endless\"";

    /** The claim or its pod: the later of both records starts the evaluation. */
    private static final String ENDLESS_OBJECT = " default/endless";

    private static final TopicPartition CELL = new TopicPartition(Topics.CELLS_IN, 0);
    private static final String ATTEMPTS_GROUP = "claimstream-allocator-attempts";

    @TempDir
    private Path folder = Path.of("");

    @BeforeAll
    static void assumePrometheus() {
        PrometheusProgram.assumeInstalled();
    }

    @Test
    void alertsFireForAllocatorThatDoesNotKeepUp() throws IOException, InterruptedException, ExecutionException {
        try (var system = MonitoredSystem.start(folder);
                var prometheus = system.startPrometheus()) {
            apply(system, ClusterManifests.ofDevices(DEVICES));
            prometheus.awaitOnly();
            throttledAllocatorMakesAlert(system, prometheus);
            try (ThreadFreezer freezer = restart(system, Map.of())) {
                Program.await(() -> isActive(system), "an active cell");
                backlogMakesAlert(system, prometheus, freezer);
            }
            endlessInputMakesAlert(system, prometheus);
        }
    }

    private void apply(MonitoredSystem system, String manifests) throws IOException {
        CommandResult.apply(folder, system.data(), manifests);
    }

    // ---- ClaimstreamSlowAllocation

    /** Stops the whole process for a part of each period, as a CPU limit does. */
    private void throttledAllocatorMakesAlert(MonitoredSystem system, PrometheusProgram prometheus)
            throws IOException, InterruptedException {
        for (int claim = 0;
                !prometheus.firingAlerts().contains("ClaimstreamSlowAllocation{objective=decision}");
                claim++) {
            assertThat(claim).as("slow claims without an alert").isLessThan(DEVICES / 2);
            Program allocator = system.allocator();
            allocator.signal("STOP");
            try {
                apply(system, ClusterManifests.usedClaim("late-" + claim, 1));
                TimeUnit.MILLISECONDS.sleep(THROTTLED.toMillis());
            } finally {
                allocator.signal("CONT");
            }
            TimeUnit.MILLISECONDS.sleep(THROTTLED.toMillis());
        }
        prometheus.awaitOnly();
    }

    // ---- ClaimstreamLag

    /** A producer repeats one record while the intake is frozen. Repeated records change nothing. */
    private static void backlogMakesAlert(MonitoredSystem system, PrometheusProgram prometheus, ThreadFreezer freezer)
            throws InterruptedException {
        ConsumerRecord<byte[], byte[]> repeated = firstRecord(system);
        freezer.freeze(INTAKE_THREAD);
        try (var producer = new KafkaProducer<>(
                system.kafka().properties(), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i <= LAG_MAX; i++) {
                var unused = producer.send(new ProducerRecord<>(Topics.INVENTORY, repeated.key(), repeated.value()));
            }
        }
        prometheus.awaitOnly("ClaimstreamLag");
        assertThat(prometheus.query("sum by (topic) (claimstream_intake_lag_records) > " + LAG_MAX))
                .as("what the page says to look at")
                .singleElement()
                .satisfies(each -> assertThat(each.labels()).containsEntry("topic", Topics.INVENTORY));
        freezer.release(INTAKE_THREAD);
        prometheus.awaitOnly();
    }

    private static ConsumerRecord<byte[], byte[]> firstRecord(MonitoredSystem system) {
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(system.kafka(), "test-inventory").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var partition = new TopicPartition(Topics.INVENTORY, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            return consumer.poll(Duration.ofSeconds(30)).records(partition).getFirst();
        }
    }

    // ---- ClaimstreamCellBlocked

    /** An evaluation does not end, and the process is killed twice. Then the claim is deleted, and the cell rebuilt. */
    private void endlessInputMakesAlert(MonitoredSystem system, PrometheusProgram prometheus)
            throws IOException, InterruptedException, ExecutionException {
        try (ThreadFreezer freezer = restart(system, Map.of())) {
            Program.await(() -> isActive(system), "an active cell");
            apply(
                    system,
                    ClusterManifests.usedClaim(
                            "endless",
                            "gpu.example.com",
                            "count: 1, selectors: [{cel: {expression: %s}}]".formatted(ENDLESS)));
            awaitAttempt(system, freezer, 1);
            system.allocator().kill(); // before the freezer lets the thread continue
        }
        try (ThreadFreezer freezer = restart(system, Map.of())) {
            awaitAttempt(system, freezer, 2);
            system.allocator().kill();
        }
        try (ThreadFreezer freezer = restart(system, Map.of())) {
            awaitAttempt(system, freezer, 3);
            prometheus.awaitOnly("ClaimstreamCellBlocked{cell=0}");
            assertThat(system.allocatorHealth())
                    .as("what the page says to look at")
                    .contains(ENDLESS_OBJECT, "attempt 3");
            delete(system, "pod");
            delete(system, "resourceclaim");
            system.allocator().kill();
        }
        rebuild(system);
        apply(system, ClusterManifests.usedClaim("next", 1));
        prometheus.awaitOnly();
        Program.await(
                () -> prometheus
                        .query("sum(claimstream_claims{state=\"pending\"}) > 0")
                        .isEmpty(),
                "no pending claim");
        assertThat(prometheus.firingAlerts()).isEmpty();
    }

    /** Waits until the cell works on the claim, and the attempt is recorded, so that it counts after a kill. */
    private static void awaitAttempt(MonitoredSystem system, ThreadFreezer freezer, int count)
            throws InterruptedException, ExecutionException {
        freezer.awaitFrozen();
        try (var admin = Admin.create(system.kafka().properties())) {
            String recorded = "";
            while (!recorded.startsWith("attempt=%d\t".formatted(count)) || !recorded.contains(ENDLESS_OBJECT)) {
                TimeUnit.MILLISECONDS.sleep(100);
                OffsetAndMetadata offset = admin.listConsumerGroupOffsets(ATTEMPTS_GROUP)
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .get(CELL);
                recorded = offset == null ? "" : offset.metadata();
            }
        }
    }

    private static void delete(MonitoredSystem system, String kind) {
        CommandResult result = CommandResult.run(
                "delete", kind, "endless", "--data", system.data().toString());
        assertThat(result.exitCode()).as(result.err()).isZero();
    }

    /**
     * Like the kubelet, starts the allocator again while the broker still counts the killed one as a member, or removes it
     * at the start.
     */
    private static void rebuild(MonitoredSystem system) throws IOException, InterruptedException {
        boolean isRebuilt = false;
        while (!isRebuilt) {
            try (ThreadFreezer _ = restart(system, Map.of("CLAIMSTREAM_ALLOCATOR_REBUILD", "true"))) {
                Program.await(
                        () -> !system.allocator().isAlive() || isActive(system),
                        "an allocator that has rebuilt, or has ended");
                isRebuilt = system.allocator().isAlive();
                if (!isRebuilt) {
                    assertThat(system.allocator().err())
                            .containsAnyOf("has members: stop every other allocator", "UnknownMemberIdException");
                }
            }
        }
    }

    private static boolean isActive(MonitoredSystem system) {
        return system.allocatorHealth().contains("1 cell active");
    }

    /** Starts the allocator with a debug interface. */
    private static ThreadFreezer restart(MonitoredSystem system, Map<String, String> settings)
            throws IOException, InterruptedException {
        int port = FreePorts.of(1).getFirst();
        Map<String, String> all = new HashMap<>(settings);
        all.put("JAVA_TOOL_OPTIONS", ThreadFreezer.option(port));
        system.restartAllocator(all);
        return ThreadFreezer.attach(port, ENDLESS);
    }
}
