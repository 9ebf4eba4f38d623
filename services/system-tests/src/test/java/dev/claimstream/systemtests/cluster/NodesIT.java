package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests silent nodes and deleted nodes. A kubelet stops updating its Lease and status, or an agent stops its
 * heartbeats.
 */
@Tag("part-0")
@Timeout(300)
class NodesIT {
    private static final Duration GRACE = Duration.ofSeconds(6);
    private static final String SILENT = "testbed.claimstream.dev/silent";

    @TempDir
    private Path folder = Path.of("");

    private CommandResult run(String... command) {
        var all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--data", folder.resolve("data").toString()));
        return CommandResult.run(all.toArray(String[]::new));
    }

    @Test
    void skipsSilentNodeAndDeallocatesFromDeletedNode() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT.withNodeGrace(GRACE), 2, 1);
                var up = Kubernetes.up(cluster, folder, Map.of("CLAIMSTREAM_LIVENESS_TIMEOUT", "8s"))) {
            setSilent(cluster, "true");
            SlowPoll.await(
                    () -> nodeLine("node-0000").contains("NotReady"),
                    () -> run("get", "nodes").out());
            cluster.apply(Kubernetes.pods("first", 1, ""));
            cluster.awaitStates("first", Map.of("Running", 1));
            assertThat(allocatedNodes(cluster)).containsExactly("node-0001");

            cluster.apply(Kubernetes.pods("second", 1, ""));
            String oneIsClosed = "2 devices → 2 of class gpu.example.com → 1 on allowed nodes";
            SlowPoll.await(
                    () -> explanation(cluster, "second-0").contains(oneIsClosed),
                    () -> explanation(cluster, "second-0"));
            assertThat(cluster.states("second")).isEqualTo(Map.of("SchedulingGated", 1));

            setSilent(cluster, "false");
            cluster.awaitStates("second", Map.of("Running", 1));
            assertThat(allocatedNodes(cluster)).containsExactly("node-0000", "node-0001");

            cluster.kubectl("", "delete", "node", "node-0001");
            SlowPoll.await(
                    () -> allocatedNodes(cluster).equals(List.of("node-0000")),
                    () -> "released: " + allocatedNodes(cluster));
            cluster.apply(Kubernetes.pods("third", 1, ""));
            SlowPoll.await(
                    () -> explanation(cluster, "third-0").contains("because"), () -> explanation(cluster, "third-0"));
            assertThat(cluster.states("third")).isEqualTo(Map.of("SchedulingGated", 1));
            cluster.plane().createNodes(1, "--first=1");
            cluster.publish(2, 1);
            cluster.awaitStates("third", Map.of("Running", 1));
            assertThat(cluster.allocatedDevices()).hasSize(2).doesNotHaveDuplicates();
            assertHeartbeatsMatterOnlyForNodeWithAgent(cluster);
            assertThat(up.err()).doesNotContain("Exception", "ERROR");
        }
    }

    /** The kubelet of the node stays healthy; the other node has no agent. */
    private void assertHeartbeatsMatterOnlyForNodeWithAgent(Kubernetes cluster)
            throws IOException, InterruptedException {
        cluster.kubectl("", "delete", "pods", "--all", "-n", "team", "--wait=false");
        SlowPoll.await(() -> cluster.claims().isEmpty(), "nothing is held");
        Endpoint endpoint = DataFolder.publishedEndpoint(folder.resolve("data")).orElseThrow();
        try (Program agent = startAgent(endpoint, "node-0000")) {
            SlowPoll.await(() -> heartbeats(endpoint.bootstrap()) > 3, () -> "heard of: " + agent.err());
            agent.interrupt();
            assertThat(agent.awaitEnd()).as(agent.err()).isZero();
        }
        SlowPoll.await(
                () -> nodeLine("node-0000").contains("Silent"),
                () -> run("get", "nodes").out());
        assertThat(nodeLine("node-0001")).contains(" Ready ");
        cluster.apply(Kubernetes.pods("fourth", 2, ""));
        SlowPoll.await(() -> !allocatedNodes(cluster).isEmpty(), "the node without an agent serves on");
        SlowPoll.await(
                () -> cluster.states("fourth").equals(Map.of("Running", 1, "SchedulingGated", 1)),
                () -> cluster.states("fourth").toString());
        assertThat(allocatedNodes(cluster)).containsExactly("node-0001");
        try (Program agent = startAgent(endpoint, "node-0000")) {
            cluster.awaitStates("fourth", Map.of("Running", 2));
            assertThat(allocatedNodes(cluster)).containsExactly("node-0000", "node-0001");
            assertThat(nodeLine("node-0000")).contains(" Ready ");
            agent.interrupt();
            assertThat(agent.awaitEnd()).as(agent.err()).isZero();
        }
    }

    /** Starts an agent that sends only heartbeats. */
    private Program startAgent(Endpoint endpoint, String node) throws IOException {
        return Program.start(
                folder,
                Map.of(
                        "CLAIMSTREAM_KAFKA_BOOTSTRAP",
                        endpoint.bootstrap(),
                        "CLAIMSTREAM_REGISTRY_URL",
                        endpoint.registry().toString(),
                        "NODE_NAME",
                        node,
                        "CLAIMSTREAM_AGENT_SYS",
                        folder.toString(),
                        "CLAIMSTREAM_AGENT_SLICES",
                        "false",
                        "CLAIMSTREAM_AGENT_HEARTBEAT_EVERY",
                        "500ms"),
                "dev.claimstream.cli.Main",
                "agent");
    }

    private static long heartbeats(String bootstrap) {
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(KafkaConnection.plain(bootstrap), "test").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> parts = consumer.partitionsFor(Topics.TELEMETRY).stream()
                    .map(each -> new TopicPartition(each.topic(), each.partition()))
                    .toList();
            return consumer.endOffsets(parts).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }

    private static void setSilent(Kubernetes cluster, String value) {
        cluster.kubectl("", "annotate", "--overwrite", "node", "node-0000", SILENT + "=" + value);
    }

    private String nodeLine(String name) {
        return run("get", "nodes")
                .out()
                .lines()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElse("");
    }

    /** Returns the explanation of the claims of a pod. */
    private String explanation(Kubernetes cluster, String pod) {
        return cluster.claims().stream()
                .map(claim -> claim.meta().name())
                .filter(name -> name.startsWith(pod))
                .map(name -> run("explain", "claim", "team/" + name).out())
                .collect(Collectors.joining());
    }

    /** Returns the nodes of the allocated devices. */
    private static List<String> allocatedNodes(Kubernetes cluster) {
        return cluster.claims().stream()
                .map(ResourceClaim::allocation)
                .flatMap(Optional::stream)
                .map(allocation -> allocation.results().getFirst().device().pool())
                .sorted()
                .toList();
    }
}
