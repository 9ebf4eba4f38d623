package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.kafka.Brokers;
import dev.claimstream.kubernetes.doctor.Finding.Verdict;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
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
        isUsage(
                "--data is of a 'claimstream up', and --bootstrap, --registry and --health are of services that were started one by one: leave one or the other out",
                "doctor",
                "--health",
                "http://127.0.0.1:1",
                "--data",
                miniature());
        isUsage("--bootstrap kafka: use host:port, several with commas between", "doctor", "--bootstrap", "kafka");
        isUsage("--registry host:1: use an address like http://127.0.0.1:8410", "doctor", "--registry", "host:1");
        isUsage(
                "--health 127.0.0.1: use an address like http://127.0.0.1:8410",
                "doctor",
                "--health",
                "http://127.0.0.1:1,127.0.0.1");
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
        HttpServer server = answering(401, "");
        try {
            String url = url(server);
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

    /** Answers the same to everything. */
    static HttpServer answering(int status, String body) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static String url(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @Test
    void servicesOneByOneAreLookedAtWhereTheyAreNamed() throws IOException {
        HttpServer service = answering(503, """
                {"status":"down","parts":{"lag":{"status":"up","sentence":"0 records to go"},
                "broker":{"status":"down","sentence":"no connection"}}}""");
        HttpServer registry = answering(200, "[\"inventory.v1-value\",\"claims.v1-value\"]");
        try {
            Ran ran = Ran.of(
                    "doctor",
                    "--registry",
                    url(registry) + "/",
                    "--console",
                    "http://127.0.0.1:1",
                    "--health",
                    url(service) + "," + url(registry));
            assertThat(ran.exitCode()).isEqualTo(1);
            assertThat(ran.err()).isEqualTo("no --kubeconfig was named, so no cluster was looked at\n");
            assertThat(ran.out().lines().map(line -> line.replaceAll(" +", " ")))
                    .hasSize(8)
                    .contains(
                            "ok registry has 2 subjects",
                            "ok lag 0 records to go",
                            "failed service %s broker is down: no connection → see what it says, and start it again where it does not come back"
                                    .formatted(url(service)),
                            "failed service %1$s %1$s does not speak as a service of Claimstream → see whether it runs, and with which CLAIMSTREAM_OBSERVABILITY_PORT"
                                    .formatted(url(registry)))
                    .anyMatch(line ->
                            line.startsWith("failed service http://127.0.0.1:1 http://127.0.0.1:1 does not answer: "))
                    .anyMatch(line ->
                            line.startsWith("warning brokers not named: brokers and topics were not looked at"));
            Ran json = Ran.of("doctor", "--registry", url(registry), "-o", "json");
            assertThat(json.out().lines())
                    .contains("{\"check\":\"registry\",\"verdict\":\"ok\",\"seen\":\"has 2 subjects\",\"remedy\":\"\"}")
                    .allMatch(line -> line.startsWith("{\"check\":") && line.endsWith("\"}"));
            assertThat(json.exitCode()).isZero();
        } finally {
            service.stop(0);
            registry.stop(0);
        }
    }

    /** What may have been meant is not asked in vain: the topics are those of brokers that answer. */
    @Test
    void brokersThatDoNotAnswerAreNamed() throws IOException {
        Ran ran = Ran.of("doctor", "--kubeconfig", kubeconfig(), "--bootstrap", "127.0.0.1:1");
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out().lines())
                .anyMatch(line -> line.startsWith("failed   server    http://127.0.0.1:1 does not answer"))
                .anyMatch(line -> line.startsWith("failed   brokers   none answers: 127.0.0.1:1 → "))
                .noneMatch(line -> line.contains("topics  "));
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
            Map<String, Parts.Part> parts, List<String> missingTopics, Asked<List<String>> registry) {
        TreeMap<String, Parts.Part> all = new TreeMap<>(Map.of(
                "alarms", new Parts.Part("up", "none"),
                "broker", new Parts.Part("up", "connected"),
                "lag", new Parts.Part("up", "0 records to go"),
                "watcher", new Parts.Part("up", "follows 9 kinds")));
        all.putAll(parts);
        return new Running(
                "process 7",
                "",
                Optional.empty(),
                new Parts(all),
                Optional.of("id"),
                new Asked.Answered<>(missingTopics),
                registry);
    }

    private static final Asked<List<String>> FULL =
            new Asked.Answered<>(List.of("claims.v1-value", "inventory.v1-value", "outcomes.v1-value"));

    record Row(Running running, String id, String check, Verdict verdict, String says) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, verdict.text(), says);
        }
    }

    static Stream<Row> rows() {
        var down = new Parts.Part("down", "no connection");
        var slow = new Parts.Part("degraded", "20000 records to go");
        var twice = new Parts.Part("degraded", "given out by somebody else too: gpu-0 (team/a, team/b)");
        Map<String, Parts.Part> well = Map.of();
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
                        running(well, List.of(), new Asked.Answered<>(List.of("claims.v1-value"))),
                        "id",
                        "registry",
                        Verdict.WARNING,
                        "no subject inventory.v1-value"),
                new Row(
                        running(well, List.of(), new Asked.Silent<>("does not answer")),
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

    // ---- services one by one

    private static final Parts ALLOCATOR = new Parts(new TreeMap<>(Map.of(
            "alarms", new Parts.Part("up", "none"),
            "broker", new Parts.Part("up", "connected"),
            "lag", new Parts.Part("up", "0 records to go"))));

    private static Parts with(String part, String status, String sentence) {
        var all = new TreeMap<>(ALLOCATOR.all());
        all.put(part, new Parts.Part(status, sentence));
        return new Parts(all);
    }

    private static Parts watcher(String status, String sentence) {
        return new Parts(new TreeMap<>(Map.of("watcher", new Parts.Part(status, sentence))));
    }

    private static Services services(Parts... saying) {
        return services(Set.of("a:1", "b:1"), Set.of(), new Asked.Answered<>(List.of()), FULL, saying);
    }

    private static Services services(
            Set<String> answering,
            Set<String> silent,
            Asked<List<String>> missing,
            Asked<List<String>> registry,
            Parts... saying) {
        SortedMap<String, Asked<Parts>> health = new TreeMap<>();
        for (Parts each : saying) {
            health.put("http://host:" + health.size(), new Asked.Answered<>(each));
        }
        return new Services(
                Optional.of(new Brokers(new TreeSet<>(answering), new TreeSet<>(silent))),
                Optional.of(missing),
                Optional.of(registry),
                health);
    }

    private static Services lost() {
        return new Services(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(Map.of("http://host:0", new Asked.Silent<>("http://host:0 does not answer: refused"))));
    }

    record ServicesRow(Services services, String check, Verdict verdict, String says) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, verdict.text(), says);
        }
    }

    static Stream<ServicesRow> servicesRows() {
        Asked<List<String>> none = new Asked.Answered<>(List.of());
        Services well = services(ALLOCATOR, watcher("up", "follows 9 kinds"));
        return Stream.of(
                new ServicesRow(well, "brokers", Verdict.OK, "all answer: a:1, b:1"),
                new ServicesRow(
                        services(Set.of("a:1"), Set.of("b:1", "c:1"), none, FULL),
                        "brokers",
                        Verdict.WARNING,
                        "no answer from b:1, c:1; others do: a:1"),
                new ServicesRow(
                        services(Set.of(), Set.of("a:1"), none, FULL), "brokers", Verdict.FAILED, "none answers: a:1"),
                new ServicesRow(lost(), "brokers", Verdict.WARNING, "--bootstrap"),
                new ServicesRow(well, "topics", Verdict.OK, "all are there"),
                new ServicesRow(
                        services(Set.of("a:1"), Set.of(), new Asked.Answered<>(List.of("ledger.v1")), FULL),
                        "topics",
                        Verdict.FAILED,
                        "missing: ledger.v1 make them: claimstream topics"),
                new ServicesRow(
                        services(Set.of("a:1"), Set.of(), new Asked.Silent<>("topic ledger.v1 has 7 partitions"), FULL),
                        "topics",
                        Verdict.FAILED,
                        "ledger.v1 has 7"),
                new ServicesRow(well, "registry", Verdict.OK, "3 subjects"),
                new ServicesRow(
                        services(Set.of("a:1"), Set.of(), none, none), "registry", Verdict.WARNING, "no subject"),
                new ServicesRow(
                        services(Set.of("a:1"), Set.of(), none, new Asked.Silent<>("it answers 404")),
                        "registry",
                        Verdict.FAILED,
                        "it answers 404 see whether it runs"),
                new ServicesRow(lost(), "registry", Verdict.WARNING, "--registry"),
                new ServicesRow(services(), "services", Verdict.WARNING, "--health"),
                new ServicesRow(well, "service http://host:0", Verdict.OK, "up: alarms, broker, lag"),
                new ServicesRow(
                        services(with("broker", "down", "no connection")),
                        "service http://host:0",
                        Verdict.FAILED,
                        "broker is down: no connection"),
                new ServicesRow(
                        services(with("registry", "degraded", "away")),
                        "service http://host:0",
                        Verdict.WARNING,
                        "registry is degraded: away"),
                new ServicesRow(lost(), "service http://host:0", Verdict.FAILED, "refused see whether it runs"),
                new ServicesRow(
                        services(with("lag", "degraded", "20000")), "service http://host:0", Verdict.OK, "up: "),
                new ServicesRow(services(with("lag", "degraded", "20000")), "lag", Verdict.WARNING, "20000"),
                new ServicesRow(
                        services(with("alarms", "degraded", "given twice")),
                        "alarms",
                        Verdict.WARNING,
                        "given twice delete one of the claims"),
                new ServicesRow(well, "watcher", Verdict.OK, "follows 9 kinds"),
                new ServicesRow(
                        services(watcher("down", "no server"), watcher("up", "follows 9 kinds")),
                        "watcher",
                        Verdict.FAILED,
                        "http://host:0 no server; http://host:1 follows 9 kinds"),
                new ServicesRow(
                        services(watcher("up", "follows 9 kinds"), watcher("degraded", "cannot tell")),
                        "watcher",
                        Verdict.WARNING,
                        "http://host:1 cannot tell"),
                new ServicesRow(services(ALLOCATOR), "watcher", Verdict.WARNING, "name the watcher too with --health"),
                new ServicesRow(lost(), "lag", Verdict.WARNING, "name the allocator too with --health"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servicesRows")
    void theFindingFollowsFromWhatServicesSay(ServicesRow row) {
        assertThat(row.services.findings())
                .filteredOn(each -> each.check().equals(row.check))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.verdict()).as(each.toString()).isEqualTo(row.verdict);
                    assertThat(each.seen() + " " + each.remedy()).contains(row.says);
                });
    }
}
