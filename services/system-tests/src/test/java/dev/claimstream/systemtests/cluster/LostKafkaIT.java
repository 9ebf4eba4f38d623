package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a cluster whose Kafka is lost, or was restored from an older copy, while pods use their devices. Each test has
 * its own devices ({@link TestNamespace}) on the node of one cluster.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LostKafkaIT {
    private static final List<String> NAMESPACES = List.of("lost", "older", "separate");

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;
    private ApiCluster api;

    @SuppressWarnings("NullAway.Init") // start sets the fields before the first test
    LostKafkaIT() {}

    @BeforeAll
    void start() {
        cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT, 1, 0);
        api = ApiCluster.open(
                ApiAccess.of(cluster.plane().kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        String all = String.join(
                ",", NAMESPACES.stream().map(TestNamespace::deviceClass).toList());
        cluster.configure("{\"drivers\":\"%1$s\",\"classes\":\"%1$s\"}".formatted(all));
        cluster.apply(TestNamespace.KUBECTL_AS_WRITER);
    }

    @AfterAll
    void stop() {
        api.close();
        cluster.close();
    }

    private TestNamespace openNamespace(String name) {
        TestNamespace namespace = TestNamespace.open(cluster, api, name);
        namespace.publish("node-0000", "gpu-0", "gpu-1", "gpu-2", "gpu-3");
        return namespace;
    }

    private static boolean isBound(String state) {
        return state.startsWith("on ");
    }

    @Test
    @Tag("part-3")
    void newKafkaTakesOverAllocations() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("lost");
        Path old = folder.resolve("lost-old");
        try (Program up = Kubernetes.up(cluster, folder, old)) {
            namespace.createPods("a", "b");
            namespace.await(2, LostKafkaIT::isBound);
            up.kill();
            up.awaitEnd();
        }
        Map<String, String> before = namespace.podStates();
        String device = commitWithoutOpeningGate(namespace, "c");
        namespace.createPods("d");

        Path data = folder.resolve("lost-new");
        try (Program up = Kubernetes.up(cluster, folder, data)) {
            namespace.await(4, LostKafkaIT::isBound);
            assertThat(namespace.podStates())
                    .containsAllEntriesOf(before)
                    .containsEntry("c", "on node-0000 with node-0000/" + device);
            assertThat(namespace.devices()).hasSize(4).doesNotHaveDuplicates();
            namespace.createPods("e");
            namespace.awaitEvent("DevicesInUse", "pod/e");
            namespace.delete("a");
            SlowPoll.await(
                    () -> Objects.equals(before.get("a"), namespace.podStates().get("e")),
                    () -> "e gets the device of a: " + namespace.podStates());
            assertThat(namespace.devices()).hasSize(4).doesNotHaveDuplicates();
            up.interrupt();
            assertThat(up.awaitEnd()).as(up.err()).isZero();
        }
        CommandResult refused = Program.run(folder, cluster.command(old));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .contains("is outdated", "start with an empty log")
                .doesNotContain("Exception");
        cluster.kubectl("", "delete", "lease", "claimstream-log", "-n", "claimstream"); // for the next test
    }

    /** The same with a process for each service. The writer of the new Kafka waits for the Lease of the lost one. */
    @Test
    @Tag("part-0")
    void newKafkaOfSeparateServicesTakesOverAllocations() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("separate");
        List<String> names = List.of("watcher-0", "writer-0");
        try (var services = openServices("separate-old", names)) {
            services.startAll(names);
            namespace.createPods("a", "b");
            namespace.await(2, LostKafkaIT::isBound);
        }
        Map<String, String> before = namespace.podStates();
        String device = commitWithoutOpeningGate(namespace, "c");
        namespace.createPods("d");
        try (var services = openServices("separate-new", names)) {
            services.startAll(names);
            namespace.await(4, LostKafkaIT::isBound);
            assertThat(namespace.podStates())
                    .containsAllEntriesOf(before)
                    .containsEntry("c", "on node-0000 with node-0000/" + device);
            assertThat(namespace.devices()).hasSize(4).doesNotHaveDuplicates();
            services.assertHealthy();
        }
        cluster.kubectl("", "delete", "lease", "claimstream-log", "-n", "claimstream"); // for the next test
    }

    private SeparateServices openServices(String name, List<String> names) throws IOException {
        return new SeparateServices(cluster, Files.createDirectories(folder.resolve(name)), names, Map.of());
    }

    /** Allocates a claim of a gated pod, as a writer that ends before it opens the gate. Returns the device. */
    private static String commitWithoutOpeningGate(TestNamespace namespace, String name) throws InterruptedException {
        namespace.createPods(name);
        SlowPoll.await(() -> claim(namespace, name).isPresent(), () -> "claim of " + name);
        String free = Stream.of("gpu-0", "gpu-1", "gpu-2", "gpu-3")
                .filter(each -> !namespace.devices().contains("node-0000/" + each))
                .findFirst()
                .orElseThrow();
        Pod pod = namespace.pods().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
        namespace.allocate(claim(namespace, name).orElseThrow().meta().name(), "node-0000", free, pod);
        return free;
    }

    private static Optional<ResourceClaim> claim(TestNamespace namespace, String pod) {
        return namespace.claims().stream()
                .filter(each -> each.meta().name().startsWith(pod + "-"))
                .findFirst();
    }

    @Test
    @Tag("part-4")
    void rejectsOlderCopyOfKafka() throws IOException, InterruptedException {
        TestNamespace namespace = openNamespace("older");
        Path data = folder.resolve("older");
        Path copy = folder.resolve("copy");
        runUntil(data, () -> {
            namespace.createPods("a");
            namespace.await(1, LostKafkaIT::isBound);
        });
        copy(data, copy);
        runUntil(data, () -> {
            namespace.createPods("b", "c");
            namespace.await(3, LostKafkaIT::isBound);
        });
        Map<String, String> before = namespace.podStates();
        CommandResult refused = Program.run(folder, cluster.command(copy));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errLines())
                .singleElement()
                .asString()
                .contains("is an older copy of the log that serves the cluster", "start with an empty log");

        runUntil(folder.resolve("empty"), () -> {
            namespace.createPods("d", "e");
            namespace.await(4, LostKafkaIT::isBound);
            namespace.awaitEvent("DevicesInUse", "pod/");
        });
        assertThat(namespace.podStates()).containsAllEntriesOf(before);
        assertThat(namespace.devices()).hasSize(4).doesNotHaveDuplicates();
    }

    private interface Steps {
        void run() throws InterruptedException;
    }

    /** Runs {@code up} for these steps, and stops it in order. */
    private void runUntil(Path data, Steps steps) throws IOException, InterruptedException {
        try (Program up = Kubernetes.up(cluster, folder, data)) {
            steps.run();
            up.interrupt();
            assertThat(up.awaitEnd()).as(up.err()).isZero();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
    }
}
