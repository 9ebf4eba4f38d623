package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.kubernetes.controlplane.RawApiClient;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of {@code deploy/policies/ADOPTING.md}: Claimstream takes over a cluster from kube-scheduler and
 * hands it back. No pod is stuck.
 */
@Timeout(300)
class AdoptionIT {
    private static final Path ROOT = Path.of("..", "..");
    private static final Path PAGE = ROOT.resolve("deploy/policies/ADOPTING.md");
    private static final Pattern BLOCK = Pattern.compile("(?m)(^ {7}\\S.*\n(?: {7}.*\n)*)");

    @TempDir
    private Path folder = Path.of("");

    /** Returns the only command block of the page that contains the text. */
    private static String commandBlock(String text) throws IOException {
        return BLOCK.matcher(Files.readString(PAGE))
                .results()
                .map(MatchResult::group)
                .filter(each -> each.contains(text))
                .reduce((one, other) -> {
                    throw new AssertionError("two blocks with " + text);
                })
                .orElseThrow(() -> new AssertionError("no block with " + text));
    }

    /** Runs commands as an administrator in the root of the repository, and returns their output. */
    private static String shell(Kubernetes cluster, String commands) throws IOException, InterruptedException {
        Path kubectl = ControlPlaneProgram.find()
                .orElseThrow()
                .path()
                .resolveSibling(".")
                .normalize();
        var builder = new ProcessBuilder("bash", "-euo", "pipefail", "-c", commands)
                .directory(ROOT.toFile())
                .redirectErrorStream(true);
        builder.environment()
                .put(
                        "KUBECONFIG",
                        cluster.plane().kubeconfig(ControlPlaneUser.ADMIN).toString());
        builder.environment().merge("PATH", kubectl.toString(), (path, ours) -> ours + File.pathSeparator + path);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(commands + output).isZero();
        return output;
    }

    @Test
    @Tag("part-0")
    void keepsAllocationsOfKubeSchedulerAndHandsClusterBack() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.startWithoutPolicies(2, 4)) {
            cluster.kubectl("", "label", "namespace", "team", "claimstream.dev/managed-");
            cluster.apply(Kubernetes.pods("old", 3, ""));
            cluster.awaitStates("old", Map.of("Running", 3));
            String before = claimStatuses(cluster);

            shell(cluster, commandBlock("kubectl apply -f deploy/policies"));
            Program.await(() -> isHealthy(cluster), "a cluster that is well");
            cluster.apply(Kubernetes.pods("late", 1, ""));
            Program.await(() -> isDenied(cluster), "a denial of what kube-scheduler allocates");
            shell(cluster, "kubectl label namespace team claimstream.dev/managed=true");
            try (var up = Kubernetes.up(cluster, folder)) {
                cluster.awaitStates("late", Map.of("Running", 1));
                cluster.apply(Kubernetes.pods("new", 7, ""));
                cluster.awaitStates("new", Map.of("Running", 4, "SchedulingGated", 3));
                assertThat(cluster.allocatedDevices()).hasSize(8).doesNotHaveDuplicates();
                assertThat(claimStatuses(cluster)).contains(before.lines().toList());
                assertOldClaimsAreListed(cluster);
                assertUpIsHealthy(cluster);

                shell(cluster, commandBlock("kubectl delete mutatingadmissionpolicybinding"));
                up.interrupt();
                assertThat(up.awaitEnd()).as(up.err()).isZero();
            }
            assertKubeSchedulerTakesOver(cluster);
        }
    }

    /**
     * The whole of Claimstream, Kafka included, is frozen when the command runs. When it goes on, it decides from a past
     * state, and the API server rejects what it writes.
     */
    @Test
    @Tag("part-4")
    void breakGlassHandsClusterOverWithoutKafka() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(2, 4);
                var up = Kubernetes.up(cluster, folder)) {
            cluster.apply(Kubernetes.pods("first", 8, ""));
            cluster.awaitStates("first", Map.of("Running", 8));
            cluster.apply(Kubernetes.pods("waiting", 3, ""));
            cluster.awaitStates("waiting", Map.of("SchedulingGated", 3));
            up.signal("STOP");
            cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=first", "--wait=false");
            Program.await(() -> cluster.allocatedDevices().isEmpty(), "devices that are free again");

            String output = shell(cluster, "deploy/policies/break-glass");
            assertThat(output.lines().map(line -> line.split(":|;", -1)[0]))
                    .containsExactly(
                            "fenced",
                            "kube-scheduler allocates devices of managed drivers",
                            "3 pods lost the gate",
                            "back to Claimstream");
            cluster.awaitStates("waiting", Map.of("Running", 3));
            up.signal("CONT");
            cluster.apply(Kubernetes.pods("later", 5, ""));
            cluster.awaitStates("later", Map.of("Running", 5));
            assertThat(cluster.allocatedDevices()).hasSize(8).doesNotHaveDuplicates();
            assertThat(shell(cluster, gatedPods())).isEmpty();
            assertThat(shell(cluster, "deploy/policies/break-glass")).contains("0 pods lost the gate");

            assertThat(shell(cluster, "deploy/policies/break-glass --back"))
                    .startsWith("earlier decisions cannot be written");
            shell(cluster, commandBlock("kubectl apply -f deploy/policies"));
            Program.await(() -> isHealthy(cluster), "a cluster that is well");
            cluster.kubectl("", "delete", "pods", "-n", "team", "--all", "--wait=false");
            cluster.apply(Kubernetes.pods("back", 8, ""));
            cluster.awaitStates("back", Map.of("Running", 8));
            assertThat(cluster.allocatedDevices()).hasSize(8).doesNotHaveDuplicates();
            String managers = "kubectl get resourceclaims -n team --show-managed-fields"
                    + " -o jsonpath='{range .items[*].metadata.managedFields[?(@.subresource==\"status\")]}{.manager}{\"\\n\"}{end}'";
            assertThat(shell(cluster, managers).lines()).contains("claimstream-writer");
        }
    }

    /**
     * Writes after {@code break-glass} what a frozen writer had in flight: an allocation, and the last step of a
     * deallocation whose pod kube-scheduler may have bound meanwhile.
     */
    @Test
    @Tag("part-1")
    void breakGlassRejectsWritesThatWereInFlight() throws IOException, InterruptedException {
        try (var cluster = Kubernetes.start(1, 2);
                var writer = new RawApiClient(cluster.plane(), ControlPlaneUser.WRITER);
                var administrator = new RawApiClient(cluster.plane(), ControlPlaneUser.ADMIN)) {
            cluster.apply(Kubernetes.claimWithPod("pending", "gpu.example.com", 1));
            cluster.apply(Kubernetes.claimWithPod("allocated", "gpu.example.com", 1));
            assertThat(patch(writer, "allocated", allocation(cluster, "allocated", "gpu-0")))
                    .isEqualTo(200);
            String mark = "claimstream.dev/deallocation=log uid 7";
            cluster.kubectl("", "annotate", "resourceclaim", "allocated", "-n", "team", mark);
            String allocation = allocation(cluster, "pending", "gpu-1");
            String clear = versioned(cluster, "allocated", "\"allocation\":null,\"reservedFor\":null,\"devices\":null");
            assertThat(patch(writer, "pending", "?dryRun=All", allocation)).isEqualTo(200);
            assertThat(patch(writer, "allocated", "?dryRun=All", clear)).isEqualTo(200);

            shell(cluster, "deploy/policies/break-glass");
            assertThat(patch(writer, "pending", allocation)).isEqualTo(403);
            assertThat(patch(writer, "allocated", clear)).isEqualTo(403);
            assertThat(patch(administrator, "allocated", clear))
                    .as("the last step of a writer with permissions of its own: the mark is gone")
                    .isEqualTo(409);
            cluster.awaitStates("pending", Map.of("Running", 1));
            cluster.awaitStates("allocated", Map.of("Running", 1));
            assertThat(cluster.allocatedDevices()).hasSize(2).doesNotHaveDuplicates();
        }
    }

    private static int patch(RawApiClient user, String claim, String body) {
        return patch(user, claim, "", body);
    }

    private static int patch(RawApiClient user, String claim, String query, String body) {
        String status = "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims/%s/status%s".formatted(claim, query);
        return user.mergePatch(status, body).status();
    }

    private static String allocation(Kubernetes cluster, String claim, String device) {
        String node =
                "{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\",\"values\":[\"node-0000\"]}]}]}";
        String result = "{\"request\":\"any\",\"driver\":\"gpu.example.com\",\"pool\":\"node-0000\",\"device\":\"%s\"}"
                .formatted(device);
        return versioned(
                cluster,
                claim,
                "\"allocation\":{\"devices\":{\"results\":[%s]},\"nodeSelector\":%s,\"allocationTimestamp\":\"2026-01-01T00:00:00Z\"}"
                        .formatted(result, node));
    }

    /** Returns a patch of the status at the current version of the claim. */
    private static String versioned(Kubernetes cluster, String claim, String status) {
        String version = cluster.kubectl(
                "", "get", "resourceclaim", claim, "-n", "team", "-o", "jsonpath={.metadata.resourceVersion}");
        return "{\"metadata\":{\"resourceVersion\":\"%s\"},\"status\":{%s}}".formatted(version.strip(), status);
    }

    /** Returns a line for each allocated claim, with its resourceVersion and its whole status. */
    private static String claimStatuses(Kubernetes cluster) {
        return cluster.kubectl(
                "",
                "get",
                "resourceclaims",
                "-n",
                "team",
                "-o",
                "go-template={{range .items}}{{if .status.allocation}}{{.metadata.name}} {{.metadata.resourceVersion}} {{.status}}{{\"\\n\"}}{{end}}{{end}}");
    }

    /** The API server enforces new policies with a delay, so the caller polls. */
    private static boolean isHealthy(Kubernetes cluster) {
        CommandResult doctor = CommandResult.run(
                "doctor",
                "--kubeconfig",
                cluster.plane().kubeconfig(ControlPlaneUser.ADMIN).toString(),
                "--make-claim");
        assertThat(doctor.exitCode())
                .isEqualTo(doctor.out().lines().anyMatch(line -> line.startsWith("failed ")) ? 1 : 0);
        return doctor.exitCode() == 0;
    }

    private static boolean isDenied(Kubernetes cluster) {
        return cluster.kubectl("", "get", "pod", "late-0", "-n", "team", "-o", "yaml")
                .contains("claimstream-single-writer");
    }

    /** Lists the claims by the kubectl plugin, which knows only the cluster. */
    private void assertOldClaimsAreListed(Kubernetes cluster) throws IOException, InterruptedException {
        Path home = Files.createDirectories(folder.resolve("home"));
        Path launcher = Files.writeString(
                home.resolve("claimstream"),
                "#!/bin/sh\nexec '%s' -Xlog:disable -cp '%s' dev.claimstream.cli.Main \"$@\"\n"
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                absolute(Program.classPath())));
        assertThat(launcher.toFile().setExecutable(true)).isTrue();
        Path plugin = Files.copy(ROOT.resolve("kubectl-claimstream"), home.resolve("kubectl-claimstream"));
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
        String output = shell(
                cluster,
                "export CLAIMSTREAM_HOME='%1$s' PATH='%1$s':$PATH; kubectl claimstream get claims -n team --data '%2$s'"
                        .formatted(home, folder.resolve("data")));
        assertThat(output.lines().filter(line -> line.startsWith("old-")))
                .hasSize(3)
                .allMatch(line -> line.matches(
                        "old-(\\d)-gpu-\\S+ +allocated,reserved +node-000\\d +gpu.example.com \\S+ +old-\\1 +\\S+ +-"));
        assertThat(output.lines().filter(line -> line.startsWith("new-") && line.contains("pending")))
                .hasSize(3)
                .allMatch(line -> line.matches("new-(\\d)-gpu-\\S+ +pending +- +- +new-\\1 +\\S+ +DevicesInUse"));
    }

    private static String absolute(String classPath) {
        return Arrays.stream(classPath.split(File.pathSeparator, -1))
                .map(each -> Path.of(each).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private void assertUpIsHealthy(Kubernetes cluster) {
        String data = folder.resolve("data").toString();
        CommandResult doctor = CommandResult.run(
                "doctor",
                "--data",
                data,
                "--kubeconfig",
                cluster.plane().kubeconfig(ControlPlaneUser.ADMIN).toString());
        assertThat(doctor.exitCode()).as(doctor.out()).isZero();
        for (String check : List.of("up", "cluster of up", "watcher", "lag", "alarms", "topics", "registry")) {
            assertThat(doctor.out()).containsPattern("(?m)^ok +" + check + "  ");
        }
        CommandResult asTheWriter = CommandResult.run("doctor", "--data", data, "-o", "json");
        assertThat(asTheWriter.exitCode()).as(asTheWriter.out()).isZero();
        assertThat(asTheWriter.out())
                .contains("{\"check\":\"permissions of one process\",\"verdict\":\"ok\"", "claimstream:writer");
        CommandResult shown = CommandResult.run(
                "get",
                "claims",
                "-A",
                "-o",
                "json",
                "--data",
                data,
                "--kubeconfig",
                cluster.plane().kubeconfig(ControlPlaneUser.ADMIN).toString());
        assertThat(shown.claims()).hasSize(11);
    }

    private static void assertKubeSchedulerTakesOver(Kubernetes cluster) throws IOException, InterruptedException {
        String gated = shell(cluster, gatedPods());
        assertThat(gated.lines()).hasSize(3).allMatch(line -> line.startsWith("team new-"));
        Pod first = pod(cluster, gated.lines().findFirst().orElseThrow().split(" ", -1)[1]);
        cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=old", "--wait=false");
        Program.await(() -> cluster.allocatedDevices().size() == 5, "devices that are free again");

        shell(cluster, commandBlock("delete validatingadmissionpolicybinding claimstream-single-writer"));
        String committed = commitWithoutRemovingGate(cluster, first);
        shell(cluster, commandBlock("while read -r namespace name"));
        cluster.awaitStates("new", Map.of("Running", 7));
        assertThat(cluster.allocatedDevices()).hasSize(8).doesNotHaveDuplicates();
        assertThat(claimStatuses(cluster)).contains(committed);
        assertThat(shell(cluster, gatedPods())).isEmpty();

        shell(cluster, commandBlock("kubectl delete --ignore-not-found"));
        cluster.kubectl("", "delete", "pods", "-n", "team", "-l", "set=late", "--wait=false");
        cluster.apply(Kubernetes.pods("after", 1, ""));
        cluster.awaitStates("after", Map.of("Running", 1));
        cluster.kubectl("", "delete", "pods", "-n", "team", "--all", "--wait=false");
        Program.await(() -> cluster.claims().isEmpty(), "no claims");
    }

    private static String gatedPods() throws IOException {
        return commandBlock("{{end}}{{end}}{{end}}'\n");
    }

    private static Pod pod(Kubernetes cluster, String name) {
        return cluster.pods().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Leaves the state of a writer that ended between its two writes for a pod. The claim is allocated, the pod is
     * gated.
     */
    private static String commitWithoutRemovingGate(Kubernetes cluster, Pod pod) throws InterruptedException {
        String claim = pod.resourceClaims().stream()
                .map(PodClaim::source)
                .filter(PodClaim.ClaimSource.GeneratedClaim.class::isInstance)
                .map(each -> ((PodClaim.ClaimSource.GeneratedClaim) each).claim())
                .findFirst()
                .orElseThrow();
        String free = IntStream.range(0, 8)
                .mapToObj(each -> "gpu.example.com/node-000%d/gpu-%d".formatted(each / 4, each % 4))
                .filter(each -> !cluster.allocatedDevices().contains(each))
                .findFirst()
                .orElseThrow();
        String[] device = free.split("/", -1);
        String status = """
                {"status": {"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z",
                  "devices": {"results": [{"request": "gpu", "driver": "%s", "pool": "%s", "device": "%s"}]},
                  "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["%s"]}]}]}},
                  "reservedFor": [{"resource": "pods", "name": "%s", "uid": "%s"}]}}""".formatted(
                        device[0],
                        device[1],
                        device[2],
                        device[1],
                        pod.meta().name(),
                        pod.meta().uid());
        Program.await(() -> isPatched(cluster, claim, status), "a policy that is gone");
        return claimStatuses(cluster)
                .lines()
                .filter(line -> line.startsWith(claim))
                .findFirst()
                .orElseThrow();
    }

    /** The API server enforces a deleted policy for a short time, so the caller polls. */
    private static boolean isPatched(Kubernetes cluster, String claim, String status) {
        try {
            cluster.kubectl("", "patch", "resourceclaim", claim, "-n", "team", "--subresource=status", "-p", status);
            return true;
        } catch (ControlPlaneException e) {
            assertThat(e).hasMessageContaining("claimstream-single-writer");
            return false;
        }
    }
}
