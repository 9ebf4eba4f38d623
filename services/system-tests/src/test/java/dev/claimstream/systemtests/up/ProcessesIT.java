package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests each service as a separate process, with the class path of all services. */
@Timeout(120)
final class ProcessesIT {
    private static final String UNREACHABLE = "127.0.0.1:1";

    @TempDir
    private Path folder = Path.of("");

    private Program start(String service, Map<String, String> settings) throws IOException {
        return Program.start(folder, settings, "dev.claimstream.cli.Main", "service", service);
    }

    /** Returns settings with addresses on which no server listens. */
    private Map<String, String> settings() throws IOException {
        Files.createDirectories(folder.resolve("sys/bus/pci/devices"));
        Path file = Files.writeString(folder.resolve("cluster.yaml"), ClusterManifests.ofDevices(1));
        List<Integer> ports = FreePorts.of(2);
        return new TreeMap<>(Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP", UNREACHABLE,
                "CLAIMSTREAM_REGISTRY_URL", "http://" + UNREACHABLE,
                "CLAIMSTREAM_ALLOCATOR_STATE_FOLDER", folder.resolve("state").toString(),
                "CLAIMSTREAM_AGENT_SYS", folder.resolve("sys").toString(),
                "CLAIMSTREAM_WATCHER_FILES", file.toString(),
                "CLAIMSTREAM_WRITER_FOLDER", folder.resolve("claims").toString(),
                "CLAIMSTREAM_CONSOLE_ANSWER_WITHIN", "1s",
                "NODE_NAME", "node-1",
                "CLAIMSTREAM_CONSOLE_PORT", ports.getFirst().toString(),
                "CLAIMSTREAM_OBSERVABILITY_PORT", ports.getLast().toString()));
    }

    private static int status(String url) {
        try {
            return ((HttpURLConnection) URI.create(url).toURL().openConnection()).getResponseCode();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Returns the body, also of an error response; empty if no server responds. */
    private static String page(String url) {
        try {
            var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
            boolean isGood = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
            try (var body = isGood ? connection.getInputStream() : connection.getErrorStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            return "";
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            agent     | CLAIMSTREAM_AGENT_TAINT_EFFECT    | Sometimes | claimstream.agent.taint-effect is 'Sometimes' (environment variable CLAIMSTREAM_AGENT_TAINT_EFFECT): use NoSchedule
            allocator | CLAIMSTREAM_ALLOCATOR_POLICY      | worst-fit | claimstream.allocator.policy is 'worst-fit' (environment variable CLAIMSTREAM_ALLOCATOR_POLICY): use first-fit
            console   | CLAIMSTREAM_REGISTRY_URL          | nonsense  | claimstream.registry.url is 'nonsense' (environment variable CLAIMSTREAM_REGISTRY_URL): use an address like
            watcher   | CLAIMSTREAM_OBSERVABILITY_HOST    | 192.0.2.1 | 192.0.2.1
            writer    | CLAIMSTREAM_KAFKA_BOOTSTRAP       | nonsense  | claimstream.kafka.bootstrap is 'nonsense' (environment variable CLAIMSTREAM_KAFKA_BOOTSTRAP): use host:port
            writer    | CLAIMSTREAM_WRITER_PARALEL        | 8         | environment variable CLAIMSTREAM_WRITER_PARALEL is no setting (value '8'): use CLAIMSTREAM_WRITER_PARALLEL
            """)
    @Tag("part-2")
    void reportsInvalidSettingInOneLine(String service, String variable, String value, String said)
            throws IOException, InterruptedException {
        Map<String, String> settings = settings();
        settings.put(variable, value);
        try (Program program = start(service, settings)) {
            assertThat(program.awaitEnd()).as(program.err()).isEqualTo(1);
            assertThat(program.err().lines().filter(line -> line.startsWith("claimstream " + service + ": ")))
                    .singleElement()
                    .asString()
                    .contains(said);
            assertThat(program.err()).doesNotContain("\tat ");
        }
    }

    @Test
    void reportsAllMissingSettingsWithVariables() throws IOException, InterruptedException {
        try (Program program = start("writer", Map.of())) {
            assertThat(program.awaitEnd()).isEqualTo(1);
            assertThat(program.err().lines())
                    .containsExactly(
                            "claimstream writer: claimstream.kafka.bootstrap is not set: set it, or"
                                    + " CLAIMSTREAM_KAFKA_BOOTSTRAP, to the host:port of Kafka",
                            "claimstream writer: claimstream.registry.url is not set: set it, or"
                                    + " CLAIMSTREAM_REGISTRY_URL, to the address of the schema registry");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            agent     | 200 | no response from Kafka or the schema registry; retrying
            allocator | 503 | no connection to 127.0.0.1:1
            console   | 503 | still reads the decisions: 127.0.0.1:1 does not respond: Timeout
            watcher   | 503 | files not published yet, retrying: no response from the schema registry to watcher
            writer    | 200 | 0 decisions not committed, retrying: no connection to 127.0.0.1:1
            """)
    @Tag("part-3")
    void waitsForMissingBrokerUntilSignal(String service, int readiness, String sentence)
            throws IOException, InterruptedException {
        assertWaitsUntilSignal(service, settings(), readiness, sentence);
    }

    /**
     * Starts a service that follows the log as the chart does: without the settings of intake and cells. Kills it at the
     * end, because a request that waits for Kafka delays a normal end by 10 s.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            archive   | 200 | the first run archives to
            history   | 503 | the log has not been read yet
            shadow    | 200 | 0 inputs decided alike
            simulator | 503 | still reads the log
            """)
    @Tag("part-4")
    void followerIsAliveWithoutBroker(String follower, int readiness, String sentence)
            throws IOException, InterruptedException {
        Map<String, String> settings = settings();
        settings.remove("CLAIMSTREAM_ALLOCATOR_STATE_FOLDER");
        settings.put("CLAIMSTREAM_SIMULATOR_PORT", "0");
        settings.put("CLAIMSTREAM_HISTORY_PORT", "0");
        settings.put("CLAIMSTREAM_HISTORY_FOLDER", folder.resolve("history").toString());
        if (follower.equals("archive")) {
            settings.put("CLAIMSTREAM_ALLOCATOR_ENABLED", "false");
            settings.put("CLAIMSTREAM_ARCHIVE_ENABLED", "true");
            settings.put("CLAIMSTREAM_ARCHIVE_FOLDER", folder.resolve("archive").toString());
        }
        try (Program program = start(follower.equals("archive") ? "allocator" : follower, settings)) {
            assertHealth(program, settings, readiness, sentence);
        }
    }

    /** As in a cluster whose brokers are not ready yet. */
    @ParameterizedTest
    @Tag("part-1")
    @CsvSource({"allocator,503", "writer,503"})
    void waitsForUnknownBrokerUntilSignal(String service, int readiness) throws IOException, InterruptedException {
        Map<String, String> settings = settings();
        settings.put("CLAIMSTREAM_KAFKA_BOOTSTRAP", "nowhere.example.invalid:9092");
        assertWaitsUntilSignal(
                service,
                settings,
                readiness,
                "nowhere.example.invalid:9092: unknown host: correct claimstream.kafka.bootstrap");
    }

    /** Neither Kafka nor the API server responds. The host name of the second row is unknown. */
    @ParameterizedTest
    @Tag("part-4")
    @CsvSource(delimiter = '|', textBlock = """
            watcher | 503 | 127.0.0.1:1               | no response from
            writer  | 503 | nowhere.example.invalid:1 | nothing is written without the lease
            """)
    void waitsForMissingClusterUntilSignal(String service, int readiness, String server, String sentence)
            throws IOException, InterruptedException {
        Map<String, String> settings = settings();
        settings.keySet().removeAll(List.of("CLAIMSTREAM_WATCHER_FILES", "CLAIMSTREAM_WRITER_FOLDER"));
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "http://%s"}}]
                contexts: [{name: here, context: {cluster: c}}]
                """.formatted(server));
        settings.put("CLAIMSTREAM_KUBERNETES_KUBECONFIG", kubeconfig.toString());
        assertWaitsUntilSignal(service, settings, readiness, sentence);
    }

    private void assertWaitsUntilSignal(String service, Map<String, String> settings, int readiness, String sentence)
            throws IOException, InterruptedException {
        try (Program program = start(service, settings)) {
            assertHealth(program, settings, readiness, sentence);
            program.interrupt();
            assertThat(program.awaitEnd()).as(program.err()).isZero();
            assertThat(List.of(program.err().split("\n")))
                    .noneMatch(line -> line.startsWith("claimstream " + service))
                    .noneMatch(line -> line.contains("this is a bug in claimstream"));
        }
    }

    private static void assertHealth(Program program, Map<String, String> settings, int readiness, String sentence)
            throws InterruptedException {
        String health = "http://127.0.0.1:%s/health".formatted(settings.get("CLAIMSTREAM_OBSERVABILITY_PORT"));
        Program.await(() -> page(health).contains(sentence) || !program.isAlive(), sentence);
        assertThat(program.isAlive()).as(program.err()).isTrue();
        assertThat(status(health + "/live")).isEqualTo(HttpURLConnection.HTTP_OK);
        assertThat(status(health + "/ready")).as("see deploy/runbook/HEALTH.md").isEqualTo(readiness);
    }
}
