package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.controlplane.ApiFaultProxy;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests {@code claimstream up --kubeconfig} beside kube-scheduler and the Kubernetes controllers, with Claimstream's
 * policies.
 */
@Timeout(240)
class KubernetesIT {
    private static final Map<String, Integer> RUNNING = Map.of("Running", 1);

    @TempDir
    private Path folder = Path.of("");

    private CommandResult run(String... command) {
        var all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--data", folder.resolve("data").toString()));
        return CommandResult.run(all.toArray(String[]::new));
    }

    @Test
    void bindsPodsToDevicesAndReusesThemAfterDeletion() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT.withAuditLog(), 10, 8);
                var up = Kubernetes.up(cluster, folder)) {
            assertThat(up.out())
                    .contains("gates     defaults of Kubernetes " + cluster.release() + ", the release of the server");
            cluster.apply(Kubernetes.pods("first", 50, ""));
            cluster.apply(UNMANAGED_POD);
            cluster.awaitStates("first", Map.of("Running", 50));
            Program.await(
                    () -> cluster.kubectl("", "get", "pod", "theirs", "-n", "other")
                            .contains("Pending"),
                    "pod of others");
            assertPodsRunAtTheirDevices(cluster);
            assertThat(cluster.allocatedDevices()).hasSize(50).doesNotHaveDuplicates();
            Map<String, ResourceClaim> before = claimsByName(cluster);
            assertCommitsAreInAuditLog(cluster, 50);

            cluster.apply(Kubernetes.pods("second", 40, ""));
            cluster.awaitStates("second", Map.of("Running", 30, "SchedulingGated", 10));
            assertThat(cluster.allocatedDevices()).hasSize(80).doesNotHaveDuplicates();
            assertThat(claimsByName(cluster)).containsAllEntriesOf(before);
            Program.await(() -> pendingPods(cluster) == 10, "an event for each that waits");
            assertThat(run("get", "claims", "-n", "team").out()).contains("DevicesInUse");
            assertThat(run("apply", "-f", CommandResult.example("shared-claim")).err())
                    .contains("use kubectl");
            assertThat(run("status").out())
                    .contains("Kubernetes " + cluster.plane().version());

            cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=first", "--wait=false");
            cluster.awaitStates("second", Map.of("Running", 40));
            assertPodsRunAtTheirDevices(cluster);
            cluster.kubectl("", "delete", "pods", "-n", "team", "--all", "--wait=false");
            Program.await(() -> cluster.claims().isEmpty(), "no claims");
            Program.await(() -> freeDevices() == 80, "80 free devices");
            assertThat(up.err()).doesNotContain("Exception", "ERROR");
        }
    }

    /** The auditId of each committed claim is that of its status write in the audit log of the API server. */
    private void assertCommitsAreInAuditLog(Kubernetes cluster, int count) throws IOException, InterruptedException {
        ConsoleClient console = ConsoleClient.ofFolder(folder.resolve("data"));
        Program.await(() -> commits(console).size() == count, "%d commit outcomes".formatted(count));
        Map<String, JsonObject> changes = Files.readString(cluster.plane().auditLog())
                .lines()
                .map(line -> new JsonObject(TreeReader.json(line)))
                .collect(Collectors.toMap(
                        change -> change.text("auditID"), Function.identity(), (_, last) -> last, TreeMap::new));
        assertThat(commits(console)).allSatisfy(claim -> {
            String auditId = claim.text("auditId");
            JsonObject change = Objects.requireNonNull(changes.get(auditId), auditId);
            assertThat(change.text("verb")).isEqualTo("patch");
            assertThat(change.text("requestURI"))
                    .contains("/namespaces/team/resourceclaims/%s/status".formatted(claim.text("name")));
        });
    }

    private static List<JsonObject> commits(ConsoleClient console) {
        return console.items("/api/v1/claims").stream()
                .filter(claim -> claim.find("outcome").equals(Optional.of("committed")))
                .toList();
    }

    /** A claim of an unmanaged class: the writer removes the gate of its pod, and kube-scheduler allocates. */
    private static final String UNMANAGED_POD = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: theirs.example.com}
            spec: {}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: theirs, namespace: other}
            spec: {devices: {requests: [{name: any, exactly: {deviceClassName: theirs.example.com}}]}}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: theirs, namespace: other}
            spec:
              resourceClaims: [{name: any, resourceClaimName: theirs}]
              containers: [{name: main, image: none, resources: {claims: [{name: any}]}}]
            """;

    private long freeDevices() {
        return run("get", "devices", "--free", "-o", "name").out().lines().count();
    }

    private static Map<String, ResourceClaim> claimsByName(Kubernetes cluster) {
        return cluster.claims().stream()
                .collect(
                        Collectors.toMap(claim -> claim.meta().name(), Function.identity(), (a, _) -> a, TreeMap::new));
    }

    private static long pendingPods(Kubernetes cluster) {
        return eventCount(cluster, "DevicesInUse pod/");
    }

    private static long eventCount(Kubernetes cluster, String begin) {
        return cluster.events("team").stream()
                .filter(event -> event.startsWith(begin))
                .count();
    }

    @Test
    @Tag("part-2")
    void recordsEventsOfPendingClaimsAndLostDevices() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(1, 2);
                var _ = Kubernetes.up(cluster, folder)) {
            cluster.apply(Kubernetes.pods("first", 2, ""));
            cluster.awaitStates("first", Map.of("Running", 2));
            cluster.apply(Kubernetes.pods("second", 1, ""));
            Program.await(
                    () -> pendingPods(cluster) == 1 && eventCount(cluster, "DevicesInUse resourceclaim/second-0-") == 1,
                    "an event on the pod and on its claim");
            String pending = cluster.claims().stream()
                    .map(claim -> claim.meta().name())
                    .filter(name -> name.startsWith("second-0-"))
                    .findFirst()
                    .orElseThrow();
            // kubectl describe shows no Events if several objects match
            assertThat(cluster.kubectl("", "describe", "resourceclaim", pending, "-n", "team"))
                    .contains("DevicesInUse", "pod second-0: ");
            cluster.kubectl("", "delete", "resourceslices", "--all");
            Program.await(
                    () -> eventCount(cluster, "DeviceLost resourceclaim/first-") == 2
                            && eventCount(cluster, "DeviceLost pod/first-") == 2,
                    "an event on each claim whose device is lost and on its pod");
        }
    }

    private static void assertPodsRunAtTheirDevices(Kubernetes cluster) {
        List<Pod> pods = cluster.pods();
        for (ResourceClaim claim : cluster.claims()) {
            for (ClaimConsumer consumer : claim.reservedFor()) {
                assertThat(pods.stream().filter(pod -> pod.meta().uid().equals(consumer.uid())))
                        .as("consumer of %s", claim.key())
                        .singleElement()
                        .extracting(Pod::nodeName)
                        .isEqualTo(claim.allocation()
                                .orElseThrow()
                                .nodeSelector()
                                .orElseThrow()
                                .onlyNode());
            }
        }
    }

    @Test
    @Tag("part-3")
    void newLogReplacesSilentOneAndEndsIt() throws IOException, InterruptedException {
        Path other = folder.resolve("other");
        Path kubeconfig = folder.resolve("faults.kubeconfig");
        try (var cluster = Kubernetes.start(1, 4);
                var faults = cluster.plane().startFaultProxy(ControlPlaneUser.WRITER, kubeconfig)) {
            try (var first = Kubernetes.up(kubeconfig, folder)) {
                cluster.apply(Kubernetes.pods("first", 2, ""));
                cluster.awaitStates("first", Map.of("Running", 2));
                CommandResult refused = Program.run(folder, cluster.command(other));
                assertThat(refused.exitCode()).isEqualTo(1);
                assertThat(refused.err())
                        .contains(
                                "the cluster is served by another decision log",
                                folder.resolve("data").toString(),
                                "use the other one, or stop it first")
                        .doesNotContain("Exception");
                assertThat(other)
                        .as("another cluster may use the folder of the rejected start")
                        .doesNotExist();
                freezeWithOpenDecisions(cluster, faults, first);
                unpublishFreeDevice(cluster);
                try (var second = Kubernetes.up(cluster, folder, other)) {
                    cluster.awaitStates("open", Map.of("Running", 1, "SchedulingGated", 1));
                    List<ResourceClaim> before = cluster.claims();
                    first.signal("CONT");
                    assertThat(first.awaitEnd()).as(first.err()).isEqualTo(1);
                    assertThat(first.err())
                            .contains(
                                    "the cluster is now served by another decision log",
                                    other.toString(),
                                    "is outdated")
                            .doesNotContain("Exception");
                    assertThat(cluster.claims()).isEqualTo(before);
                    assertThat(cluster.allocatedDevices()).hasSize(3).doesNotHaveDuplicates();
                    assertThat(cluster.hasEvent("NotWritten", "")).isFalse();
                    second.interrupt();
                    assertThat(second.awaitEnd()).as(second.err()).isZero();
                }
            }
            CommandResult refused = Program.run(folder, cluster.command(folder.resolve("data")));
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err()).contains("is outdated", other.toString()).doesNotContain("Exception");
        }
    }

    /** Leaves one of the two pods pending, so that its claim is unchanged since the decision of the first log. */
    private static void unpublishFreeDevice(Kubernetes cluster) {
        List<String> names = new ArrayList<>(List.of("gpu-0", "gpu-1", "gpu-2", "gpu-3"));
        List<String> held = cluster.allocatedDevices();
        names.remove(names.stream()
                .filter(name -> held.stream().noneMatch(each -> each.endsWith("/" + name)))
                .findFirst()
                .orElseThrow());
        cluster.apply(Kubernetes.slice(
                "node-0000", names.stream().map("{name: %s}"::formatted).collect(Collectors.joining(", "))));
    }

    /** Freezes {@code up} after it has decided for two pods and while none of its writes reaches the API server. */
    private void freezeWithOpenDecisions(Kubernetes cluster, ApiFaultProxy faults, Program up)
            throws IOException, InterruptedException {
        faults.execute("lost 1");
        cluster.apply(Kubernetes.pods("open", 2, ""));
        Program.await(
                () -> run("status").out().contains("2 decisions not committed, retrying"),
                "tries to write both decisions");
        up.signal("STOP");
        faults.execute("calm");
    }

    @Test
    @Tag("part-0")
    void resumesAfterDowntimeOfUpAndApiServer() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(1, 4)) {
            cluster.apply(Kubernetes.pods("first", 2, ""));
            try (var up = Kubernetes.up(cluster, folder)) {
                cluster.awaitStates("first", Map.of("Running", 2));
                up.kill();
                up.awaitEnd();
            }
            cluster.kubectl("", "delete", "pod", "-n", "team", "first-0");
            cluster.apply(Kubernetes.pods("second", 4, ""));
            try (var _ = Kubernetes.up(cluster, folder)) {
                cluster.awaitStates("second", Map.of("Running", 3, "SchedulingGated", 1));
                cluster.plane().kill(ControlPlaneComponent.API_SERVER);
                Program.await(() -> run("status").out().contains("not watching"), "word of the silence");
                cluster.plane().start(ControlPlaneComponent.API_SERVER);
                cluster.kubectl("", "delete", "pod", "-n", "team", "first-1");
                cluster.awaitStates("second", Map.of("Running", 4));
                assertThat(cluster.allocatedDevices()).hasSize(4).doesNotHaveDuplicates();
            }
        }
    }

    @Test
    @Tag("part-3")
    void bindsPreemptingPodToNodeOfItsDevices() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(2, 4);
                var _ = Kubernetes.up(cluster, folder)) {
            cluster.apply("""
                    apiVersion: scheduling.k8s.io/v1
                    kind: PriorityClass
                    metadata: {name: high}
                    value: 1000
                    """);
            cluster.apply(Kubernetes.pods("low", 1, "") + "---\n"
                    + Kubernetes.pods("high", 1, "  priorityClassName: high\n"));
            cluster.awaitStates("low", Map.of("Running", 1));
            cluster.awaitStates("high", Map.of("Running", 1));
            Pod high = pod(cluster, "high-0");
            assertThat(pod(cluster, "low-0").requiredAffinity()).isEmpty();
            assertThat(high.requiredAffinity().orElseThrow().onlyNode()).isEqualTo(high.nodeName());
        }
    }

    /** A class that is unmanaged at first. */
    private static final String LATE_CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: late.example.com}
            spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
            """;

    @Test
    @Tag("part-4")
    void allocatesClassOnceItBecomesManaged() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(1, 4)) {
            cluster.apply(LATE_CLASS);
            createClaim(cluster, "before");
            try (var _ = Kubernetes.up(cluster, folder)) {
                createClaim(cluster, "meanwhile");
                Program.await(() -> isUnmanaged("before") && isUnmanaged("meanwhile"), "claims of others");
                cluster.configure("{\"classes\":\"gpu.example.com,late.example.com\"}");
                cluster.awaitStates("before", RUNNING);
                cluster.awaitStates("meanwhile", RUNNING);
                createClaim(cluster, "later");
                cluster.awaitStates("later", RUNNING);
                assertThat(cluster.allocatedDevices()).hasSize(3).doesNotHaveDuplicates();
                assertThat(run("get", "claims", "-n", "team").out()).doesNotContain("Unmanaged");
                Program.await(
                        () -> run("explain", "claim", "team/later").out().contains("because:"),
                        "why it was given that");
                assertThat(run("explain", "claim", "team/later").out())
                        .contains("allocated,reserved on node-0000")
                        .doesNotContain("another client");
            }
        }
    }

    /**
     * Without the ConfigMap the policy rejects every write. The pod is pending with a reason although devices are free.
     */
    @Test
    @Tag("part-1")
    void keepsPodsPendingWithoutManagedConfigMap() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(1, 2);
                var _ = Kubernetes.up(cluster, folder)) {
            cluster.apply(Kubernetes.pods("first", 1, ""));
            cluster.awaitStates("first", RUNNING);
            cluster.kubectl("", "delete", "configmap", "claimstream-managed", "-n", "claimstream");
            Program.await(
                    () -> run("status").out().contains("the last configured classes stay managed"),
                    "word of what is not said");
            cluster.apply(Kubernetes.pods("second", 1, ""));
            Program.await(() -> cluster.hasEvent("NotWritten", "restore the parameters"), "word of what to do");
            assertThat(cluster.states("second")).isEqualTo(Map.of("SchedulingGated", 1));
            cluster.kubectl(
                    "",
                    "apply",
                    "-f",
                    Kubernetes.POLICIES.resolve("claimstream.yaml").toString());
            cluster.awaitStates("second", RUNNING);
            Program.await(
                    () -> !run("status").out().contains("the last configured classes stay managed"),
                    "event about the managed classes");
        }
    }

    private static void createClaim(Kubernetes cluster, String name) {
        cluster.apply(Kubernetes.claimWithPod(name, "late.example.com", 1));
    }

    private boolean isUnmanaged(String claim) {
        return run("explain", "claim", "team/" + claim).out().contains("its classes are unmanaged");
    }

    private static Pod pod(Kubernetes cluster, String name) {
        return cluster.pods().stream()
                .filter(pod -> pod.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
