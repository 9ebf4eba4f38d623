package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Comparison.ComparisonResult;
import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.dra.Allocation;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests observe-only mode beside kube-scheduler: Claimstream decides in parallel, writes nothing, and reports
 * differences. Later the same data folder allocates.
 */
@Tag("part-1")
@Timeout(420)
class ObserveOnlyIT {
    private static final int NODES = 2;
    private static final int DEVICES = 4;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void reportsDifferencesAndWritesNothing() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.startWithoutPolicies(NODES, DEVICES)) {
            cluster.kubectl(
                    "",
                    "apply",
                    "-f",
                    Kubernetes.POLICIES.resolve("rights-of-the-watcher.yaml").toString());
            try (var up = observe(cluster)) {
                assertThat(up.out()).contains("observe-only: kube-scheduler allocates");
                compareBeforeKubeSchedulerAllocates(cluster);
                compareBesideKubeScheduler(cluster);
                assertNothingIsWritten(cluster);
                assertDoctorSaysThatItOnlyObserves(cluster);
                up.kill();
            }
            try (var again = observe(cluster)) {
                SlowPoll.await(() -> differences().size() == 8, "the comparisons of before");
                again.interrupt();
                assertThat(again.awaitEnd()).as(again.err()).isZero();
            }
            adopt(cluster);
        }
    }

    /** kube-scheduler is frozen: Claimstream decides, and no object changes. */
    private void compareBeforeKubeSchedulerAllocates(Kubernetes cluster) throws InterruptedException {
        cluster.plane().stop(ControlPlaneComponent.SCHEDULER);
        cluster.apply(Kubernetes.pods("first", 3, ""));
        SlowPoll.await(() -> cluster.claims().size() == 3, "claims of the pods");
        String before = versions(cluster);
        SlowPoll.await(() -> count(ComparisonResult.ONLY_CLAIMSTREAM) == 3, () -> "3 decisions, but " + output());
        assertThat(versions(cluster)).isEqualTo(before);
        assertThat(CommandResult.run("get", "claims", "-A", "--data", data()).out())
                .contains("ObserveOnly");
        cluster.plane().resume(ControlPlaneComponent.SCHEDULER);
        cluster.awaitStates("first", Map.of("Running", 3));
        SlowPoll.await(() -> compared() == 3, () -> "3 comparisons, but " + output());
        assertThat(count(ComparisonResult.ONLY_CLAIMSTREAM)).isZero();
        assertThat(count(ComparisonResult.NOT_COMPARED)).isZero();
    }

    /** Both allocate at the same time. The cluster's allocation counts, so that the two do not drift apart. */
    private void compareBesideKubeScheduler(Kubernetes cluster) throws InterruptedException {
        cluster.apply(Kubernetes.pods("second", 5, ""));
        cluster.awaitStates("second", Map.of("Running", 5));
        SlowPoll.await(() -> compared() == 8, () -> "8 comparisons, but " + output());
        Map<String, String> actual = new TreeMap<>();
        differences()
                .forEach(claim -> actual.put(
                        claim.text("name"),
                        String.join(" ", claim.item("kubeScheduler").texts("devices"))));
        Map<String, String> wanted = new TreeMap<>();
        cluster.allocations().forEach((name, allocation) -> wanted.put(name, devices(allocation)));
        assertThat(actual).isEqualTo(wanted);
        assertThat(cluster.allocatedDevices()).hasSize(NODES * DEVICES).doesNotHaveDuplicates();
        CommandResult devices = CommandResult.run("get", "devices", "--data", data());
        assertThat(devices.out().lines().filter(line -> line.contains(" allocated ")))
                .hasSize(NODES * DEVICES);
        String health = CommandResult.run("status", "--data", data()).out();
        assertThat(health.lines().filter(line -> line.contains("alarms"))).allMatch(line -> line.contains("up"));
        System.out.println("ObserveOnlyIT:\n" + output());
    }

    private static String devices(Allocation allocation) {
        return allocation.results().stream()
                .map(result -> result.device().toString())
                .sorted()
                .reduce((one, other) -> one + " " + other)
                .orElse("");
    }

    /** No object names Claimstream as its writer, and the user of the process may not write. */
    private static void assertNothingIsWritten(Kubernetes cluster) {
        String objects = cluster.kubectl(
                "", "get", "pods,resourceclaims,events,leases", "-A", "-o", "json", "--show-managed-fields");
        assertThat(objects).contains("\"managedFields\"").doesNotContainIgnoringCase("claimstream-writer");
        assertThat(cluster.kubectl("", "get", "leases", "-A", "-o", "name")).doesNotContain("claimstream");
        for (String verb : List.of("create", "update", "patch", "delete")) {
            assertThat(Arrays.asList("pods", "resourceclaims", "resourceclaims/status", "events", "leases"))
                    .allSatisfy(resource -> assertThat(mayWatcher(cluster, verb, resource))
                            .as("%s %s", verb, resource)
                            .isFalse());
        }
        assertThat(mayWatcher(cluster, "list", "pods")).isTrue();
    }

    private static boolean mayWatcher(Kubernetes cluster, String verb, String resource) {
        String answer = cluster.kubectl(
                """
                apiVersion: authorization.k8s.io/v1
                kind: SubjectAccessReview
                spec:
                  user: system:serviceaccount:claimstream:watcher
                  resourceAttributes: {verb: %s, group: "%s", resource: %s, subresource: "%s"}
                """.formatted(
                                verb,
                                resource.startsWith("resourceclaims")
                                        ? "resource.k8s.io"
                                        : resource.equals("leases") ? "coordination.k8s.io" : "",
                                resource.replaceAll("/.*", ""),
                                resource.contains("/") ? resource.replaceAll(".*/", "") : ""),
                "create",
                "-f",
                "-",
                "-o",
                "jsonpath={.status.allowed}");
        return answer.strip().equals("true");
    }

    private void assertDoctorSaysThatItOnlyObserves(Kubernetes cluster) {
        CommandResult doctor = CommandResult.run(
                "doctor",
                "--data",
                data(),
                "--kubeconfig",
                cluster.plane().kubeconfig(ControlPlaneUser.ADMIN).toString());
        assertThat(doctor.out())
                .as(doctor.err())
                .containsPattern("ok +mode +observe-only")
                .containsPattern("ok +policy claimstream-gate +not bound");
        assertThat(doctor.exitCode()).as(doctor.out()).isZero();
    }

    /** The operator is convinced: the policies are installed, and the same data folder allocates. */
    private void adopt(Kubernetes cluster) throws IOException, InterruptedException {
        cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=first", "--wait=false");
        SlowPoll.await(() -> cluster.claims().size() == 5, "free devices");
        cluster.kubectl(
                "",
                "apply",
                "-f",
                Kubernetes.POLICIES.toString(),
                "-f",
                Kubernetes.POLICIES.resolve("one-process").toString());
        try (var up = Kubernetes.up(cluster, folder)) {
            cluster.apply(Kubernetes.pods("late", 3, ""));
            cluster.awaitStates("late", Map.of("Running", 3));
            assertThat(cluster.allocatedDevices()).hasSize(NODES * DEVICES).doesNotHaveDuplicates();
            assertThat(up.out()).doesNotContain("observe-only");
        }
    }

    // ---- helpers

    private String data() {
        return folder.resolve("data").toString();
    }

    private Program observe(Kubernetes cluster) throws IOException, InterruptedException {
        Program up = Program.start(
                folder,
                "up",
                "--data",
                data(),
                "--kubeconfig",
                cluster.plane().kubeconfig(ControlPlaneUser.WATCHER).toString(),
                "--observe-only");
        up.awaitOut(Kubernetes.READY);
        return up;
    }

    private List<JsonObject> differences() {
        CommandResult result = CommandResult.run("differences", "-o", "json", "--data", data());
        return result.exitCode() == 0 ? new JsonObject(TreeReader.json(result.out())).items("claims") : List.of();
    }

    private String output() {
        return CommandResult.run("differences", "--all", "--data", data()).out();
    }

    private long count(ComparisonResult result) {
        return differences().stream()
                .filter(claim -> claim.text("result").equals(result.text()))
                .count();
    }

    /** Returns the number of claims that kube-scheduler has allocated. */
    private long compared() {
        return differences().stream()
                .filter(claim -> !claim.item("kubeScheduler").names().isEmpty())
                .count();
    }

    /** Returns kind, name and resourceVersion of pods and claims. */
    private static String versions(Kubernetes cluster) {
        return cluster.kubectl(
                "",
                "get",
                "pods,resourceclaims",
                "-n",
                "team",
                "-o",
                "jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.resourceVersion}{\"\\n\"}{end}");
    }
}
