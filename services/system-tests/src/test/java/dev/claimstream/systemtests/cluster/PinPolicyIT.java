package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Pod;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the writer's pin policy. Another pod takes the room on the node between the commit and the attempt of
 * kube-scheduler. The fate of the pod, of its claim and of a pod with lower priority depends on whether the pod is
 * bound to the node. By then another node has a free device too.
 */
@Timeout(240)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("part-4")
class PinPolicyIT {
    private static final String PRIORITY = """
            apiVersion: scheduling.k8s.io/v1
            kind: PriorityClass
            metadata: {name: high}
            value: 1000
            """;

    /** Leaves 24 of 64 CPUs free. */
    private static final String SMALL = pod("small", "40", "");

    private static final String INTRUDER = pod("intruder", "24", "  nodeName: node-0000\n  priorityClassName: high\n");

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;

    @SuppressWarnings("NullAway.Init") // start sets the field before the first test
    PinPolicyIT() {}

    @BeforeAll
    void start() {
        cluster = Kubernetes.start(2, 0);
    }

    @AfterEach
    void clear() throws InterruptedException {
        cluster.plane().resume(ControlPlaneComponent.SCHEDULER);
        cluster.clear();
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private static String pod(String name, String cpu, String more) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: team, labels: {set: %s}}
                spec:
                  terminationGracePeriodSeconds: 0
                  containers: [{name: main, image: none, resources: {requests: {cpu: "%s"}}}]
                """.formatted(name, name, cpu) + more;
    }

    private static String pendingPod(String priorityClass) {
        String more = priorityClass.equals("none") ? "" : "  priorityClassName: %s\n".formatted(priorityClass);
        return Kubernetes.pods("asks", 1, Duration.ofSeconds(1), more) // deletion by force: quarantine
                .replace("{claims: [{name: gpu}]}", "{requests: {cpu: \"20\"}, claims: [{name: gpu}]}");
    }

    @ParameterizedTest(name = "{0}, priority {1}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            auto   | none | asks on node-0001, its claim is decided again, small stays
            auto   | high | asks on node-0000, its claim is kept, small is evicted
            never  | high | asks on node-0001, its claim is decided again, small is evicted
            always | none | asks nowhere, its claim is kept, small stays
            """)
    void appliesPinPolicyWhenNodeFillsUp(String setting, String priorityClass, String outcome)
            throws IOException, InterruptedException {
        cluster.publish(1, 1);
        cluster.apply(PRIORITY + "---\n" + SMALL.replace("spec:", "spec:\n  nodeName: node-0000"));
        try (var _ = Kubernetes.up(cluster, folder, Map.of("CLAIMSTREAM_WRITER_PIN", setting))) {
            cluster.awaitStates("small", Map.of("Running", 1));
            cluster.plane().kill(ControlPlaneComponent.SCHEDULER); // until the node is full
            cluster.apply(pendingPod(priorityClass));
            Program.await(() -> find("asks-0").filter(pod -> !pod.isGated()).isPresent(), "our gate gone");
            Allocation decided = allocation().orElseThrow();
            cluster.publish(2, 1);
            cluster.apply(INTRUDER);
            cluster.awaitStates("intruder", Map.of("Running", 1));
            var unused = cluster.plane().start(ControlPlaneComponent.SCHEDULER); // it knows all pods at its start
            SlowPoll.await(
                    () -> isBoundOrRejected() && outcome(decided).equals(outcome),
                    () -> "%s, it is: %s".formatted(outcome, outcome(decided)));
            if (outcome.contains("nowhere")) {
                cluster.kubectl("", "delete", "pod", "intruder", "-n", "team");
                cluster.awaitStates("asks", Map.of("Running", 1));
                assertThat(outcome(decided)).isEqualTo("asks on node-0000, its claim is kept, small stays");
            }
        }
    }

    /** All nodes are full before the pod is created. The device is on the node of the pod with the lowest priority. */
    @ParameterizedTest(name = "{0}, priority {1}, never preempts {2}: {3}")
    @CsvSource(delimiter = '|', textBlock = """
            auto  | high    | false | asks on node-0001, small is evicted
            auto  | patient | true  | asks waits for room, small stays
            never | high    | false | asks waits for room, small stays
            """)
    void appliesPinPolicyWhenNoNodeHasRoom(String setting, String priorityClass, boolean never, String outcome)
            throws IOException, InterruptedException {
        cluster.publish(2, 1);
        cluster.apply(
                PRIORITY + "---\n" + PRIORITY.replace("name: high", "name: patient") + "preemptionPolicy: Never\n");
        cluster.apply(pod("large", "64", "  nodeName: node-0000\n  priorityClassName: high\n") + "---\n"
                + pod("small", "60", "  nodeName: node-0001\n"));
        try (var _ = Kubernetes.up(cluster, folder, Map.of("CLAIMSTREAM_WRITER_PIN", setting))) {
            cluster.awaitStates("small", Map.of("Running", 1));
            cluster.awaitStates("large", Map.of("Running", 1));
            cluster.apply(pendingPod(priorityClass));
            SlowPoll.await(() -> placement().equals(outcome), () -> "%s, it is: %s".formatted(outcome, placement()));
            assertThat(find("large")).as("it is as important").isPresent();
            if (never || setting.equals("never")) {
                cluster.kubectl("", "delete", "pod", "small", "-n", "team");
                cluster.awaitStates("asks", Map.of("Running", 1));
            }
        }
    }

    private String placement() {
        Optional<String> node = find("asks-0").flatMap(Pod::nodeName);
        boolean waits = cluster.hasEvent("NodeFull", "no node with the devices has room for the pod");
        return "asks %s, small %s"
                .formatted(
                        node.map(name -> "on " + name).orElse(waits ? "waits for room" : "nowhere"),
                        find("small").isPresent() ? "stays" : "is evicted");
    }

    /** Returns whether kube-scheduler has bound the pod, or rejected it at least once. */
    private boolean isBoundOrRejected() {
        return find("asks-0").flatMap(Pod::nodeName).isPresent() || cluster.hasEvent("FailedScheduling", "");
    }

    private String outcome(Allocation decided) {
        return "asks %s, its claim is %s, small %s"
                .formatted(
                        find("asks-0")
                                .flatMap(Pod::nodeName)
                                .map(node -> "on " + node)
                                .orElse("nowhere"),
                        allocation()
                                .map(now -> now.equals(decided) ? "kept" : "decided again")
                                .orElse("cleared"),
                        find("small").isPresent() ? "stays" : "is evicted");
    }

    private Optional<Pod> find(String name) {
        return cluster.pods().stream()
                .filter(pod -> pod.meta().name().equals(name))
                .findFirst();
    }

    private Optional<Allocation> allocation() {
        return cluster.claims().stream()
                .flatMap(claim -> claim.allocation().stream())
                .findFirst();
    }
}
