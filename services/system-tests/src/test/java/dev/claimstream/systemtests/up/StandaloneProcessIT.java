package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.Main;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code claimstream up} as a separate process, together with the client commands. */
@Timeout(180)
class StandaloneProcessIT {
    private static final String READY = "Ctrl-C ends it";
    private static final String LOOPBACK = "127.0.0.1";

    @TempDir
    private Path folder = Path.of("");

    private String data() {
        return folder.resolve("data").toString();
    }

    /** Runs a client command in this JVM, which is faster than a process. */
    private CommandResult run(String... command) {
        List<String> all = new java.util.ArrayList<>(List.of(command));
        all.addAll(List.of("--data", data()));
        return CommandResult.run(all.toArray(String[]::new));
    }

    private String claims() {
        return run("get", "claims", "-o", "wide")
                .out()
                .replaceAll(" +\\d+[smh]\\S* +", " AGE ")
                .replaceAll("  +", " ");
    }

    private void awaitClaims(String text) throws InterruptedException {
        Program.await(() -> claims().contains(text), "'%s' among the claims".formatted(text));
    }

    @Test
    @Tag("part-1")
    void servesChangesAndResumesAfterKill() throws IOException, InterruptedException {
        String before;
        try (Program up =
                Program.start(folder, "up", "--data", data(), "-f", CommandResult.example("template-per-pod"))) {
            up.awaitOut(READY);
            assertAddressesAndHealth(up.out());
            awaitClaims("trainer-2-gpu");
            Program.await(() -> !claims().contains("Unprocessed") && !claims().contains(" false "), "commits");
            try (Program watching = Program.start(folder, "watch", "--data", data(), "-o", "json")) {
                CommandResult again =
                        Program.run(folder, "apply", "--data", data(), "-f", CommandResult.example("template-per-pod"));
                assertThat(again.exitCode()).as(again.err()).isZero();
                assertThat(again.out().lines()).isNotEmpty().allMatch(line -> line.endsWith(" unchanged"));
                assertThat(again.out()).contains("pod/default/trainer-0 unchanged", "node/node-1 unchanged");
                Program.await(() -> isWatchActive(watching), "the watch");
                assertThat(run("delete", "pod", "trainer-0").out()).isEqualTo("pod/default/trainer-0 deleted\n");
                watching.awaitOut("\"type\":\"DELETED\"");
            }
            Program.await(
                    () -> run("get", "devices", "--free", "--node", "node-1")
                            .out()
                            .contains(" free "),
                    "a free device");
            assertListsCanBeFilteredAndWatched();
            assertThat(run("explain", "claim", "default/nobody").err()).contains("there is no claim default/nobody");
            before = claims();
            assertThat(before).doesNotContain("trainer-0").contains("trainer-1", "trainer-2");
            up.kill();
            up.awaitEnd();
        }
        int console = port("console");
        int broker = port("broker");
        assertThat(run("get", "claims").err())
                .contains("has ended (process ", "start it again with 'claimstream up --data");
        Path wrong = Files.writeString(
                folder.resolve("wrong.yaml"),
                ClusterManifests.claim("wrong", "gpu.example.com", "count: many")
                        + ClusterManifests.claim("negative", -1));
        try (var taken = new ServerSocket(console, 1, InetAddress.ofLiteral(LOOPBACK));
                Program up = Program.start(folder, "up", "--data", data(), "-f", wrong.toString())) {
            up.awaitOut(READY);
            assertThat(up.out())
                    .contains("  applied   2 rejected\n", "  broker    127.0.0.1:%d (".formatted(broker))
                    .doesNotContain(":" + taken.getLocalPort());
            assertThat(up.err().lines().filter(line -> line.startsWith(wrong + ":")))
                    .hasSize(2);
            assertThat(up.err().lines().filter(line -> !line.startsWith(wrong + ":")))
                    .containsExactly(
                            "port %d of the console, from the last start, is in use by another process: the console gets a new port"
                                    .formatted(console));
            assertThat(claims()).isEqualTo(before);
            assertThat(run("status").exitCode()).isZero();
            assertPluginNamesItsCluster();
            CommandResult second = Program.run(folder, "up", "--data", data());
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.errLines())
                    .singleElement()
                    .asString()
                    .contains("already runs on " + data() + " (process ");
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
            assertThat(up.err().lines()).hasSize(3);
            assertThat(folder.resolve("data/endpoint.json")).doesNotExist();
        }
    }

    /** Returns the port that a component had at the last start. */
    private int port(String name) throws IOException {
        var kept = new Properties();
        try (var in = Files.newInputStream(Path.of(data(), "ports.properties"))) {
            kept.load(in);
        }
        return Integer.parseInt(kept.getProperty(name));
    }

    private void assertAddressesAndHealth(String said) throws InterruptedException {
        String broker = firstMatch("  broker    (\\S+) \\(Kafka bootstrap servers", said);
        assertThat(TopicSetup.missing(KafkaConnection.plain(broker), Topics.shipped(), Duration.ofSeconds(20)))
                .isEmpty();
        String registry = firstMatch("  registry  (\\S+) \\(", said);
        Program.await(() -> page(registry + "/subjects").contains("\"claims.v1-value\""), "subjects");
        String console = firstMatch("  console   (\\S+) \\(", said);
        Program.await(() -> page(console + "/health").startsWith("{\"status\":\"up\""), "health");
        Program.await(
                () -> Stream.of("claimstream_claims{", "claimstream_devices{")
                        .allMatch(page(console + "/metrics")::contains),
                "meters of claims and devices");
    }

    private static String firstMatch(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no %s in %s".formatted(pattern, text)));
    }

    /** Returns the body; empty unless the server responds with success. */
    private static String page(String url) {
        try (var in = URI.create(url).toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    private void assertClaimsAreListedInAllNamespaces() throws InterruptedException {
        Program.await(
                () -> run("get", "claims", "-A").out().contains("NoConsumer")
                        && listClaims("json").equals(listClaims("yaml")),
                "the same in both forms, once nothing more is written");
        List<ResourceClaim> claims = listClaims("json");
        assertThat(claims).extracting(CommandResult::stableName).contains("default/trainer-1-gpu", "team/elsewhere");
        assertThat(run("get", "claims", "-o", "json").claims())
                .isEqualTo(claims.stream()
                        .filter(claim -> claim.key().namespace().equals("default"))
                        .toList());
    }

    private List<ResourceClaim> listClaims(String form) {
        return run("get", "claims", "-A", "-o", form).claims();
    }

    private void assertListsCanBeFilteredAndWatched() throws IOException, InterruptedException {
        assertThat(run("get", "pools", "-o", "name").out().lines())
                .containsExactlyInAnyOrder("pool/gpu.nvidia.com/node-1", "pool/gpu.nvidia.com/node-2");
        assertThat(run("get", "devices", "--driver", "gpu.nvidia.com", "-o", "name")
                        .out()
                        .lines())
                .hasSize(4)
                .allMatch(line -> line.startsWith("device/gpu.nvidia.com/node-"));
        CommandResult none = run("get", "devices", "--driver", "other.example.com");
        assertThat(List.of(none.out(), none.err(), none.exitCode())).isEqualTo(List.of("", "No resources found\n", 0));
        try (Program following = Program.start(folder, "get", "claims", "-w", "--data", data())) {
            following.awaitOut("trainer-1-gpu"); // the list, before any change
            assertThat(run("apply", "-f", probe()).out()).isEqualTo("resourceclaim/default/probe created\n");
            following.awaitOut("probe ");
            CommandResult deleted = run("delete", "-f", probe());
            assertThat(deleted.out()).as(deleted.err()).isEqualTo("resourceclaim/default/probe deleted\n");
            Program.await(() -> run("get", "claim", "probe").exitCode() == 1, "end of the claim");
            CommandResult again = run("delete", "-f", probe());
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.err()).isEqualTo("resourceclaim/default/probe not found\n");
        }
        Path elsewhere = Files.writeString(
                folder.resolve("elsewhere.yaml"),
                ClusterManifests.claim("elsewhere", 1).replace("namespace: default", "namespace: team"));
        assertThat(run("apply", "-f", elsewhere.toString()).exitCode()).isZero();
        Program.await(() -> run("get", "claim", "team/elsewhere").exitCode() == 0, "a claim elsewhere");
        assertClaimsAreListedInAllNamespaces();
        assertThat(run("delete", "-f", elsewhere.toString()).exitCode()).isZero();
    }

    /** Writes a claim that no device matches, and returns its path. */
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

    private void assertPluginNamesItsCluster() throws IOException, InterruptedException {
        Map<String, String> plugin =
                Map.of("CLAIMSTREAM_PLUGIN", "1", "KUBECONFIG", "", "JAVA_TOOL_OPTIONS", "-Duser.home=" + folder);
        try (Program program =
                Program.start(folder, plugin, Main.class.getName(), "get", "claims", "--data", data(), "-o", "name")) {
            assertThat(program.awaitEnd()).as(program.err()).isZero();
            assertThat(program.out()).contains("trainer-1");
            assertThat(program.err())
                    .contains(
                            "no kubeconfig found ($KUBECONFIG, %s): showing a simulated cluster, which 'claimstream up' on %s serves"
                                    .formatted(folder.resolve(".kube").resolve("config"), data()));
        }
    }

    /** Changes another claim; returns whether the watch has reported it. */
    private boolean isWatchActive(Program watching) {
        run("delete", "claim", "probe");
        assertThat(run("apply", "-f", probe()).out()).contains("resourceclaim/default/probe");
        boolean isSeen = watching.out().contains("\"name\":\"probe\"");
        run("delete", "claim", "probe");
        return isSeen;
    }

    @Test
    void reportsStartFailureInOneLine() throws IOException {
        Path foreign = Files.createDirectories(folder.resolve("foreign"));
        Files.writeString(foreign.resolve("precious"), "mine");
        assertThat(errorOf("up", "--data", foreign.toString()))
                .isEqualTo(
                        "claimstream: %s is not a data folder of claimstream, it contains precious: name an empty or a new folder with --data"
                                .formatted(foreign));
        assertThat(foreign).isDirectoryNotContaining(file -> !file.endsWith("precious"));
        Path other = Files.createDirectories(folder.resolve("other"));
        Files.writeString(other.resolve("claimstream.properties"), "format=7\nversion=claimstream 9.0\n");
        assertThat(errorOf("up", "--data", other.toString()))
                .contains("has data of format 7 (written by claimstream 9.0), and this program reads format 2");
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral(LOOPBACK))) {
            String port = Integer.toString(taken.getLocalPort());
            for (String option : List.of("--port", "--broker-port", "--registry-port")) {
                assertThat(errorOf("up", "--data", data(), option, port))
                        .isEqualTo(
                                "claimstream: %s %s is in use by another process: name another port, or none for a free one"
                                        .formatted(option, port));
            }
        }
        assertThat(errorOf("get", "claims", "--data", data()))
                .isEqualTo("claimstream: no 'claimstream up' runs on %s: start it with 'claimstream up --data %s'"
                        .formatted(data(), data()));
    }

    private static String errorOf(String... command) {
        CommandResult result = CommandResult.run(command);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines()).hasSize(1);
        return result.errLines().getFirst();
    }
}
