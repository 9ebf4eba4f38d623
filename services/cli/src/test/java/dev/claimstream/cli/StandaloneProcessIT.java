package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
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
            saysWhereItListensAndHowItIs(up.out());
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
        int console = port("console");
        int broker = port("broker");
        assertThat(on("get", "claims").err()).contains("nothing runs on", "start it again with 'claimstream up --data");
        Path wrong = Files.writeString(
                folder.resolve("wrong.yaml"),
                Cluster.claim("wrong", "gpu.example.com", "count: many") + Cluster.claim("negative", -1));
        try (var taken = new ServerSocket(console, 1, InetAddress.ofLiteral(LOOPBACK));
                Program up = Program.start(folder, "up", "--data", data(), "-f", wrong.toString())) {
            up.awaitOut(READY);
            assertThat(up.out())
                    .contains("  applied   2 refused\n", "  broker    127.0.0.1:%d (".formatted(broker))
                    .doesNotContain(":" + taken.getLocalPort());
            assertThat(up.err().lines().filter(line -> line.startsWith(wrong + ":")))
                    .hasSize(2);
            assertThat(up.err().lines().filter(line -> !line.startsWith(wrong + ":")))
                    .containsExactly(
                            "the console had port %d at the last start, which another process has now: it gets a new one"
                                    .formatted(console));
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

    private void saysWhereItListensAndHowItIs(String said) throws InterruptedException {
        String broker = first("  broker    (\\S+) \\(Kafka bootstrap servers", said);
        assertThat(TopicSetup.missing(KafkaConnection.plain(broker), Topics.shipped(), Duration.ofSeconds(20)))
                .isEmpty();
        String registry = first("  registry  (\\S+) \\(", said);
        Program.await(() -> page(registry + "/subjects").contains("\"claims.v1-value\""), "subjects");
        String console = first("  console   (\\S+) \\(", said);
        Program.await(() -> page(console + "/health").startsWith("{\"status\":\"up\""), "health");
        Program.await(
                () -> Stream.of("claimstream_claims{", "claimstream_devices{")
                        .allMatch(page(console + "/metrics")::contains),
                "meters of claims and devices");
    }

    private static String first(String pattern, String text) {
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

    private void claimsAreShownAsObjectsOfAllNamespaces() throws InterruptedException {
        Program.await(
                () -> on("get", "claims", "-A").out().contains("NoConsumer")
                        && all("json").equals(all("yaml")),
                "the same in both forms, once nothing more is written");
        List<ResourceClaim> claims = all("json");
        assertThat(claims).extracting(Ran::stableName).contains("default/trainer-1-gpu", "team/elsewhere");
        assertThat(on("get", "claims", "-o", "json").claims())
                .isEqualTo(claims.stream()
                        .filter(claim -> claim.key().namespace().equals("default"))
                        .toList());
    }

    private List<ResourceClaim> all(String form) {
        return on("get", "claims", "-A", "-o", form).claims();
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
            following.awaitOut("trainer-1-gpu"); // the list, before any change
            assertThat(on("apply", "-f", probe()).out()).isEqualTo("resourceclaim/default/probe created\n");
            following.awaitOut("probe ");
            Ran deleted = on("delete", "-f", probe());
            assertThat(deleted.out()).as(deleted.err()).isEqualTo("resourceclaim/default/probe deleted\n");
            Program.await(() -> on("get", "claim", "probe").exitCode() == 1, "end of the claim");
            Ran again = on("delete", "-f", probe());
            assertThat(again.exitCode()).isEqualTo(1);
            assertThat(again.err()).isEqualTo("resourceclaim/default/probe not found\n");
        }
        Path elsewhere = Files.writeString(
                folder.resolve("elsewhere.yaml"),
                Cluster.claim("elsewhere", 1).replace("namespace: default", "namespace: team"));
        assertThat(on("apply", "-f", elsewhere.toString()).exitCode()).isZero();
        Program.await(() -> on("get", "claim", "team/elsewhere").exitCode() == 0, "a claim elsewhere");
        claimsAreShownAsObjectsOfAllNamespaces();
        assertThat(on("delete", "-f", elsewhere.toString()).exitCode()).isZero();
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

    /** Changes another claim; returns whether the watch has reported it. */
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
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral(LOOPBACK))) {
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
