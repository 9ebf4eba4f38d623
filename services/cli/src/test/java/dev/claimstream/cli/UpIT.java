package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code claimstream up} as a process of its own, and other commands that work on it. */
@Timeout(180)
class UpIT {
    private static final String READY = "Ctrl-C ends it";

    @TempDir
    private Path folder = Path.of("");

    private String data() {
        return folder.resolve("data").toString();
    }

    /** The clients run in this JVM, which is quicker, and once as a process. */
    private Ran on(String... command) {
        List<String> all = new java.util.ArrayList<>(List.of(command));
        all.addAll(List.of("--data", data()));
        return Ran.of(all.toArray(String[]::new));
    }

    private String claims() {
        return on("get", "claims", "-o", "wide")
                .out()
                .replaceAll(" +\\d+[smh]\\S* +", " AGE ")
                .replaceAll("  +", " ");
    }

    private void awaitClaims(String text) throws InterruptedException {
        Program.await(() -> claims().contains(text), "'%s' among the claims".formatted(text));
    }

    @Test
    void itStaysTakesChangesAndGoesOnAfterItWasKilled() throws IOException, InterruptedException {
        String before;
        try (Program up = Program.start(folder, "up", "--data", data(), "-f", Ran.example("template-per-pod"))) {
            up.awaitOut(READY);
            awaitClaims("trainer-2-gpu");
            Program.await(() -> !claims().contains("pending") && !claims().contains(" false "), "commits");
            try (Program watching = Program.start(folder, "watch", "--data", data(), "-o", "json")) {
                Ran again = Program.run(folder, "apply", "--data", data(), "-f", Ran.example("template-per-pod"));
                assertThat(again.exitCode()).as(again.err()).isZero();
                assertThat(again.out().lines()).isNotEmpty().allMatch(line -> line.endsWith(" unchanged"));
                assertThat(again.out()).contains("pod/default/trainer-0 unchanged", "node/node-1 unchanged");
                Program.await(() -> isWatched(watching), "the watch");
                assertThat(on("delete", "pod", "trainer-0").out()).isEqualTo("pod/default/trainer-0 deleted\n");
                watching.awaitOut("\"type\":\"DELETED\"");
            }
            Program.await(
                    () -> on("get", "devices", "--free", "--node", "node-1")
                            .out()
                            .contains(" free "),
                    "a free device");
            listsCanBeAskedForAndFollowed();
            assertThat(on("explain", "claim", "default/nobody").err()).contains("there is no claim default/nobody");
            before = claims();
            assertThat(before).doesNotContain("trainer-0").contains("trainer-1", "trainer-2");
            up.kill();
            up.awaitEnd();
        }
        assertThat(on("get", "claims").err()).contains("nothing runs on", "start it again with 'claimstream up --data");
        Path wrong = Files.writeString(
                folder.resolve("wrong.yaml"),
                Cluster.claim("wrong", "gpu.example.com", "count: many") + Cluster.claim("negative", -1));
        try (Program up = Program.start(folder, "up", "--data", data(), "-f", wrong.toString())) {
            up.awaitOut(READY);
            assertThat(up.out()).contains("  applied   2 refused\n");
            assertThat(up.err().lines()).hasSize(2).allMatch(line -> line.startsWith(wrong + ":"));
            assertThat(claims()).isEqualTo(before);
            assertThat(on("status").exitCode()).isZero();
            aPluginSaysOfWhichClusterItIs();
            Ran second = Program.run(folder, "up", "--data", data());
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.errLines())
                    .singleElement()
                    .asString()
                    .contains("runs on " + data() + " already (process ");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
            assertThat(up.err().lines()).hasSize(2);
            assertThat(folder.resolve("data/endpoint.json")).doesNotExist();
        }
    }

    private void listsCanBeAskedForAndFollowed() throws IOException, InterruptedException {
        assertThat(on("get", "pools", "-o", "name").out().lines())
                .containsExactlyInAnyOrder("pool/gpu.nvidia.com/node-1", "pool/gpu.nvidia.com/node-2");
        assertThat(on("get", "devices", "--driver", "gpu.nvidia.com", "-o", "name")
                        .out()
                        .lines())
                .hasSize(4)
                .allMatch(line -> line.startsWith("device/gpu.nvidia.com/node-"));
        Ran none = on("get", "devices", "--driver", "other.example.com");
        assertThat(List.of(none.out(), none.err(), none.exitCode())).isEqualTo(List.of("", "No resources found\n", 0));
        try (Program following = Program.start(folder, "get", "claims", "-w", "--data", data())) {
            following.awaitOut("trainer-1-gpu"); // the list, after which changes come
            assertThat(on("apply", "-f", probe()).out()).isEqualTo("resourceclaim/default/probe created\n");
            following.awaitOut("probe ");
            Ran deleted = on("delete", "-f", probe());
            assertThat(deleted.out()).as(deleted.err()).isEqualTo("resourceclaim/default/probe deleted\n");
            Program.await(() -> on("get", "claim", "probe").exitCode() == 1, "end of the claim");
            Ran again = on("delete", "-f", probe());
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.err()).isEqualTo("resourceclaim/default/probe not found\n");
        }
    }

    /** A manifest of a claim that nothing is for. */
    private String probe() {
        Path manifest = folder.resolve("probe.yaml");
        try {
            return Files.writeString(manifest, """
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaim
                    metadata: {name: probe}
                    spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: missing}}]}}
                    """).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void aPluginSaysOfWhichClusterItIs() throws IOException, InterruptedException {
        Map<String, String> plugin =
                Map.of("CLAIMSTREAM_PLUGIN", "1", "KUBECONFIG", "", "JAVA_TOOL_OPTIONS", "-Duser.home=" + folder);
        try (Program program =
                Program.start(folder, plugin, Main.class.getName(), "get", "claims", "--data", data(), "-o", "name")) {
            assertThat(program.awaitEnd()).as(program.err()).isZero();
            assertThat(program.out()).contains("trainer-1");
            assertThat(program.err())
                    .contains(
                            "there is no kubeconfig ($KUBECONFIG, %s): this is of a cluster in miniature, which 'claimstream up' on %s serves"
                                    .formatted(folder.resolve(".kube").resolve("config"), data()));
        }
    }

    /** A change that nobody asked for shows that the watch is there. */
    private boolean isWatched(Program watching) {
        on("delete", "claim", "probe");
        assertThat(on("apply", "-f", probe()).out()).contains("resourceclaim/default/probe");
        boolean isSeen = watching.out().contains("\"name\":\"probe\"");
        on("delete", "claim", "probe");
        return isSeen;
    }

    @Test
    void whatCannotStartSaysWhyInOneLine() throws IOException {
        Path foreign = Files.createDirectories(folder.resolve("foreign"));
        Files.writeString(foreign.resolve("precious"), "mine");
        assertThat(refused("up", "--data", foreign.toString()))
                .isEqualTo(
                        "claimstream: %s is no data folder of claimstream: precious in it is not ours: name an empty or a new folder with --data"
                                .formatted(foreign));
        assertThat(foreign).isDirectoryNotContaining(file -> !file.endsWith("precious"));
        Path other = Files.createDirectories(folder.resolve("other"));
        Files.writeString(other.resolve("claimstream.properties"), "format=7\nversion=claimstream 9.0\n");
        assertThat(refused("up", "--data", other.toString()))
                .contains("has data of format 7 (written by claimstream 9.0), this program reads format 1");
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            String port = Integer.toString(taken.getLocalPort());
            for (String option : List.of("--port", "--broker-port", "--registry-port")) {
                assertThat(refused("up", "--data", data(), option, port))
                        .isEqualTo(
                                "claimstream: %s %s is in use by another process: name another port, or none for a free one"
                                        .formatted(option, port));
            }
        }
        assertThat(refused("get", "claims", "--data", data()))
                .isEqualTo("claimstream: nothing runs on %s: start it with 'claimstream up --data %s'"
                        .formatted(data(), data()));
    }

    private static String refused(String... command) {
        Ran ran = Ran.of(command);
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.errLines()).hasSize(1);
        return ran.errLines().getFirst();
    }
}
