package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.kubernetes.doctor.Finding.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code doctor} before it asks anybody, and what it says of a running {@code up}. */
class DoctorCommandTest {
    private static final String NOWHERE = """
            apiVersion: v1
            kind: Config
            current-context: here
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
            contexts: [{name: here, context: {cluster: c, namespace: team}}]
            """;

    @TempDir
    private Path folder = Path.of("");

    private static void isUsage(String expected, String... args) {
        Ran ran = Ran.of(args);
        assertThat(ran.exitCode()).as(ran.err()).isEqualTo(2);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.errLines()).containsExactly("claimstream doctor: " + expected, "try: claimstream doctor --help");
    }

    /** As an up that serves a cluster in miniature leaves it. */
    private String miniature() throws IOException {
        var endpoint = new Endpoint(
                URI.create("http://127.0.0.1:1"), 1, "127.0.0.1:1", URI.create("http://127.0.0.1:1"), Optional.empty());
        Files.writeString(folder.resolve("endpoint.json"), endpoint.text());
        return folder.toString();
    }

    private String kubeconfig() throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), NOWHERE).toString();
    }

    @Test
    void aWrongCommandLineIsTwo() throws IOException {
        isUsage("--output xml is not known: use text or json", "doctor", "-o", "xml");
        isUsage("Unknown option: '--what'", "doctor", "--what");
        isUsage(
                "which cluster? Name --kubeconfig FILE, or --data DIR of a running 'claimstream up --kubeconfig'",
                "doctor",
                "--data",
                miniature());
        isUsage(
                "--context c: it is one of a --kubeconfig, name that too",
                "doctor",
                "--context",
                "c",
                "--data",
                miniature());
        Path missing = folder.resolve("missing");
        isUsage(
                "kubeconfig %s cannot be read: name a file that is there".formatted(missing),
                "doctor",
                "--kubeconfig",
                missing.toString());
        isUsage(
                "%s has no context there: see kubectl config get-contexts".formatted(kubeconfig()),
                "doctor",
                "--kubeconfig",
                kubeconfig(),
                "--context",
                "there");
    }

    @Test
    void aServerThatDoesNotAnswerIsAFindingAndSoIsAnUpThatDoesNot() throws IOException {
        Ran ran = Ran.of("doctor", "--kubeconfig", kubeconfig(), "--data", miniature());
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.out().lines())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("failed   server  http://127.0.0.1:1 does not answer")
                .endsWith(" → see whether it runs and can be reached from here: kubectl version");
        assertThat(ran.out().lines().toList().getLast()).startsWith("failed   up      ");
        Ran json = Ran.of("doctor", "--kubeconfig", kubeconfig(), "--data", miniature(), "-o", "json");
        assertThat(json.out().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"check\":") && line.endsWith("\"}"));
    }

    @Test
    void oneCauseHasOneRemedy() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
        });
        server.start();
        try {
            String url = "http://127.0.0.1:" + server.getAddress().getPort();
            Path file = Files.writeString(
                    folder.resolve("kubeconfig"),
                    NOWHERE.replace("http://127.0.0.1:1", url)
                            .replace("namespace: team", "user: ann")
                            .concat("users: [{name: ann, user: {token: old}}]"));
            Ran ran = Ran.of("doctor", "--kubeconfig", file.toString());
            assertThat(ran.out().lines())
                    .containsExactly(
                            "failed   server  %s does not accept the credentials of user ann of context here in %s: HTTP 401 → log in again, or name another context"
                                    .formatted(url, file));
        } finally {
            server.stop(0);
        }
    }

    @Test
    void whereNoneRunsItSaysSo() {
        Ran ran = Ran.of("doctor", "--data", folder.resolve("none").toString());
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).contains("nothing runs on " + folder.resolve("none"));
    }

    @Test
    void theClusterIsLookedAtWhereNoUpRuns() throws IOException {
        Path none = folder.resolve("none");
        Ran ran = Ran.of("doctor", "--kubeconfig", kubeconfig(), "--data", none.toString());
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("failed   server  "),
                        line -> assertThat(line)
                                .isEqualTo(
                                        "failed   up      nothing runs on %1$s → start it with 'claimstream up --data %1$s'"
                                                .formatted(none)));
    }

    /** The cluster that is meant is not the one that is served. */
    @Test
    void anUpThatServesAnotherClusterIsNotAsked() throws IOException {
        Ran ran = Ran.of("get", "claims", "--kubeconfig", kubeconfig(), "--data", miniature());
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err())
                .isEqualTo(
                        "claimstream: claimstream on %s serves a cluster in miniature, and not http://127.0.0.1:1: name the folder of the one that does with --data\n"
                                .formatted(folder));
    }

    @Test
    void whatIsAnnouncedIsReadAgain() throws IOException {
        var access = dev.claimstream.kubernetes.api.ApiAccess.of(Path.of(kubeconfig()), Optional.of("here"));
        var endpoint = new Endpoint(
                URI.create("http://127.0.0.1:1"),
                7,
                "127.0.0.1:2",
                URI.create("http://127.0.0.1:3"),
                Optional.of(new Endpoint.Cluster(access.server(), access)));
        assertThat(Endpoint.of(endpoint.text())).isEqualTo(endpoint);
        assertThat(access.namespace()).contains("team");
    }

    // ---- the running up

    private static Running running(
            Map<String, Running.Part> parts, List<String> missingTopics, Running.Asked<List<String>> registry) {
        TreeMap<String, Running.Part> all = new TreeMap<>(Map.of(
                "alarms", new Running.Part("up", "none"),
                "broker", new Running.Part("up", "connected"),
                "lag", new Running.Part("up", "0 records to go"),
                "watcher", new Running.Part("up", "follows 9 kinds")));
        all.putAll(parts);
        return new Running(
                "process 7",
                "",
                Optional.empty(),
                all,
                Optional.of("id"),
                new Running.Asked.Answered<>(missingTopics),
                registry);
    }

    private static final Running.Asked<List<String>> FULL =
            new Running.Asked.Answered<>(List.of("claims.v1-value", "inventory.v1-value", "outcomes.v1-value"));

    record Row(Running running, String id, String check, Verdict verdict, String says) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, verdict.text(), says);
        }
    }

    static Stream<Row> rows() {
        var down = new Running.Part("down", "no connection");
        var slow = new Running.Part("degraded", "20000 records to go");
        var twice = new Running.Part("degraded", "given out by somebody else too: gpu-0 (team/a, team/b)");
        Map<String, Running.Part> well = Map.of();
        return Stream.of(
                new Row(running(well, List.of(), FULL), "id", "up", Verdict.OK, "all of its 4 parts"),
                new Row(running(well, List.of(), FULL), "id", "cluster of up", Verdict.OK, "this one"),
                new Row(running(well, List.of(), FULL), "id", "watcher", Verdict.OK, "9 kinds"),
                new Row(running(well, List.of(), FULL), "id", "registry", Verdict.OK, "3 subjects"),
                new Row(running(well, List.of(), FULL), "other", "cluster of up", Verdict.FAILED, "--context"),
                new Row(running(well, List.of(), FULL), "", "cluster of up", Verdict.WARNING, "not known"),
                new Row(running(Map.of("broker", down), List.of(), FULL), "id", "up", Verdict.FAILED, "broker is down"),
                new Row(
                        running(Map.of("writer", slow), List.of(), FULL),
                        "id",
                        "up",
                        Verdict.WARNING,
                        "writer is degraded"),
                new Row(
                        running(Map.of("watcher", down), List.of(), FULL),
                        "id",
                        "watcher",
                        Verdict.FAILED,
                        "no connection"),
                new Row(running(Map.of("watcher", down), List.of(), FULL), "id", "up", Verdict.OK, "process 7"),
                new Row(running(Map.of("lag", slow), List.of(), FULL), "id", "lag", Verdict.WARNING, "20000"),
                new Row(
                        running(Map.of("alarms", twice), List.of(), FULL),
                        "id",
                        "alarms",
                        Verdict.WARNING,
                        "claimstream-single-writer"),
                new Row(running(Map.of("alarms", twice), List.of(), FULL), "id", "up", Verdict.OK, "process 7"),
                new Row(
                        running(well, List.of("ledger.v1"), FULL),
                        "id",
                        "topics",
                        Verdict.FAILED,
                        "missing: ledger.v1"),
                new Row(
                        running(well, List.of(), new Running.Asked.Answered<>(List.of("claims.v1-value"))),
                        "id",
                        "registry",
                        Verdict.WARNING,
                        "no subject inventory.v1-value"),
                new Row(
                        running(well, List.of(), new Running.Asked.Silent<>("does not answer")),
                        "id",
                        "registry",
                        Verdict.FAILED,
                        "does not answer"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void theFindingFollowsFromWhatUpSays(Row row) {
        var findings = row.running.findings(Optional.of(row.id).filter(each -> !each.isEmpty()));
        assertThat(new ArrayList<>(findings)).hasSize(7);
        assertThat(findings)
                .filteredOn(each -> each.check().equals(row.check))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.verdict()).as(each.toString()).isEqualTo(row.verdict);
                    assertThat(each.seen() + " " + each.remedy()).contains(row.says);
                });
    }
}
