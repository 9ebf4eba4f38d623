package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.cli.doctor.QueryResult;
import dev.claimstream.cli.doctor.ServicesReport;
import dev.claimstream.cli.doctor.StandaloneReport;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.kafka.BrokerReachability;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import dev.claimstream.systemtests.process.CommandResult;
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

/** Tests the arguments of {@code doctor}, and its findings about {@code up} and about separate services. */
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

    private static void assertUsageError(String expected, String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines())
                .containsExactly("claimstream doctor: " + expected, "try: claimstream doctor --help");
    }

    /** Publishes the endpoint of an {@code up} that serves a simulated cluster. */
    private String publishMiniatureEndpoint() throws IOException {
        var endpoint = new Endpoint(
                URI.create("http://127.0.0.1:1"), 1, "127.0.0.1:1", URI.create("http://127.0.0.1:1"), Optional.empty());
        Files.writeString(folder.resolve("endpoint.json"), endpoint.text());
        return folder.toString();
    }

    private String writeKubeconfig() throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), NOWHERE).toString();
    }

    @Test
    void exitsWith2OnUsageErrors() throws IOException {
        assertUsageError("--output xml is not known: use text or json", "doctor", "-o", "xml");
        assertUsageError("Unknown option: '--what'", "doctor", "--what");
        assertUsageError(
                "missing cluster: name --kubeconfig FILE, or --data DIR of a running 'claimstream up --kubeconfig'",
                "doctor",
                "--data",
                publishMiniatureEndpoint());
        assertUsageError(
                "--context c needs --kubeconfig: add that option",
                "doctor",
                "--context",
                "c",
                "--data",
                publishMiniatureEndpoint());
        assertUsageError(
                "--data is for 'claimstream up', and --bootstrap, --registry and --health are for individually started services: leave one or the other out",
                "doctor",
                "--health",
                "http://127.0.0.1:1",
                "--data",
                publishMiniatureEndpoint());
        assertUsageError(
                "--bootstrap kafka: use host:port, several separated by commas", "doctor", "--bootstrap", "kafka");
        assertUsageError(
                "--registry host:1: use an address like http://127.0.0.1:8410", "doctor", "--registry", "host:1");
        assertUsageError(
                "--health 127.0.0.1: use an address like http://127.0.0.1:8410",
                "doctor",
                "--health",
                "http://127.0.0.1:1,127.0.0.1");
        Path missing = folder.resolve("missing");
        assertUsageError(
                "kubeconfig %s cannot be read: name a readable file".formatted(missing),
                "doctor",
                "--kubeconfig",
                missing.toString());
        assertUsageError(
                "%s has no context there: see kubectl config get-contexts".formatted(writeKubeconfig()),
                "doctor",
                "--kubeconfig",
                writeKubeconfig(),
                "--context",
                "there");
    }

    @Test
    void reportsUnreachableServerAndUp() throws IOException {
        CommandResult result =
                CommandResult.run("doctor", "--kubeconfig", writeKubeconfig(), "--data", publishMiniatureEndpoint());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("failed   server  no response from http://127.0.0.1:1")
                                .endsWith(" → check that it runs and can be reached from here: kubectl version"),
                        line -> assertThat(line).startsWith("failed   up      "),
                        line -> assertThat(line).isEqualTo("0 ok, 0 warnings, 2 failed"));
        CommandResult json = CommandResult.run(
                "doctor", "--kubeconfig", writeKubeconfig(), "--data", publishMiniatureEndpoint(), "-o", "json");
        assertThat(json.out().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"check\":") && line.endsWith("\"}"));
    }

    @Test
    void reportsOneRemedyForOneCause() throws IOException {
        HttpServer server = startServer(401, "");
        try {
            String url = url(server);
            Path file = Files.writeString(
                    folder.resolve("kubeconfig"),
                    NOWHERE.replace("http://127.0.0.1:1", url)
                            .replace("namespace: team", "user: ann")
                            .concat("users: [{name: ann, user: {token: old}}]"));
            CommandResult result = CommandResult.run("doctor", "--kubeconfig", file.toString());
            assertThat(result.out().lines())
                    .containsExactly(
                            "failed   server  %s does not accept the credentials of user ann of context here in %s: HTTP 401 → log in again, or select another context"
                                    .formatted(url, file),
                            "0 ok, 0 warnings, 1 failed");
        } finally {
            server.stop(0);
        }
    }

    /** Starts a server that sends the same response to every request. */
    static HttpServer startServer(int status, String body) throws IOException {
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
    void checksNamedServices() throws IOException {
        HttpServer service = startServer(503, """
                {"status":"down","parts":{"lag":{"status":"up","sentence":"0 unprocessed records"},
                "broker":{"status":"down","sentence":"no connection"}}}""");
        HttpServer registry = startServer(200, "[\"inventory.v1-value\",\"claims.v1-value\"]");
        try {
            CommandResult result = CommandResult.run(
                    "doctor",
                    "--registry",
                    url(registry) + "/",
                    "--console",
                    "http://127.0.0.1:1",
                    "--health",
                    url(service) + "," + url(registry));
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err()).isEqualTo("no cluster was checked: --kubeconfig is missing\n");
            assertThat(result.out().lines().map(line -> line.replaceAll(" +", " ")))
                    .hasSize(10)
                    .contains(
                            "2 ok, 4 warnings, 3 failed",
                            "ok registry has 2 subjects",
                            "ok lag 0 unprocessed records",
                            "failed service %s broker is down: no connection → see its message; restart it if it does not recover"
                                    .formatted(url(service)),
                            "failed service %1$s %1$s is not a service of Claimstream → check that it runs, and its CLAIMSTREAM_OBSERVABILITY_PORT"
                                    .formatted(url(registry)))
                    .anyMatch(line ->
                            line.startsWith("failed service http://127.0.0.1:1 http://127.0.0.1:1 does not respond: "))
                    .anyMatch(
                            line -> line.startsWith("warning brokers not named: brokers and topics were not checked"));
            CommandResult json = CommandResult.run("doctor", "--registry", url(registry), "-o", "json");
            assertThat(json.out().lines())
                    .contains("{\"check\":\"registry\",\"verdict\":\"ok\",\"seen\":\"has 2 subjects\",\"remedy\":\"\"}")
                    .allMatch(line -> line.startsWith("{\"check\":") && line.endsWith("\"}"));
            assertThat(json.exitCode()).isZero();
        } finally {
            service.stop(0);
            registry.stop(0);
        }
    }

    /** Topics are not checked if no broker responds: the bootstrap servers may be wrong. */
    @Test
    void reportsUnreachableBrokers() throws IOException {
        CommandResult result =
                CommandResult.run("doctor", "--kubeconfig", writeKubeconfig(), "--bootstrap", "127.0.0.1:1");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .anyMatch(line -> line.startsWith("failed   server    no response from http://127.0.0.1:1"))
                .anyMatch(line -> line.startsWith("failed   brokers   no response: 127.0.0.1:1 → "))
                .noneMatch(line -> line.contains("topics  "));
    }

    @Test
    void reportsThatNoProcessRuns() {
        CommandResult result =
                CommandResult.run("doctor", "--data", folder.resolve("none").toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("no 'claimstream up' runs on " + folder.resolve("none"));
    }

    @Test
    void checksClusterWithoutRunningUp() throws IOException {
        Path none = folder.resolve("none");
        CommandResult result =
                CommandResult.run("doctor", "--kubeconfig", writeKubeconfig(), "--data", none.toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("failed   server  "),
                        line -> assertThat(line)
                                .isEqualTo(
                                        "failed   up      no 'claimstream up' runs on %1$s → start it with 'claimstream up --data %1$s'"
                                                .formatted(none)),
                        line -> assertThat(line).isEqualTo("0 ok, 0 warnings, 2 failed"));
    }

    /** The requested cluster differs from the served one. */
    @Test
    void getRejectsUpOfAnotherCluster() throws IOException {
        CommandResult result = CommandResult.run(
                "get", "claims", "--kubeconfig", writeKubeconfig(), "--data", publishMiniatureEndpoint());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo(
                        "claimstream: claimstream on %s serves a simulated cluster, not http://127.0.0.1:1: name the folder of the one that serves it with --data\n"
                                .formatted(folder));
    }

    @Test
    void readsPublishedEndpoint() throws IOException {
        var access = dev.claimstream.kubernetes.api.ApiAccess.of(Path.of(writeKubeconfig()), Optional.of("here"));
        var endpoint = new Endpoint(
                URI.create("http://127.0.0.1:1"),
                7,
                "127.0.0.1:2",
                URI.create("http://127.0.0.1:3"),
                Optional.of(new Endpoint.Cluster(access.server(), access, false)));
        assertThat(Endpoint.of(endpoint.text())).isEqualTo(endpoint);
        assertThat(access.namespace()).contains("team");
    }

    // ---- findings about up

    private static StandaloneReport standaloneReport(
            Map<String, ComponentStatuses.ComponentStatus> parts,
            List<String> missingTopics,
            QueryResult<List<String>> registry) {
        TreeMap<String, ComponentStatuses.ComponentStatus> all = new TreeMap<>(Map.of(
                "alarms", new ComponentStatuses.ComponentStatus("up", "none"),
                "broker", new ComponentStatuses.ComponentStatus("up", "connected"),
                "lag", new ComponentStatuses.ComponentStatus("up", "0 unprocessed records"),
                "watcher", new ComponentStatuses.ComponentStatus("up", "watching 9 kinds")));
        all.putAll(parts);
        return new StandaloneReport(
                "process 7",
                "",
                Optional.empty(),
                new ComponentStatuses(all),
                Optional.of("id"),
                new QueryResult.Value<>(missingTopics),
                registry);
    }

    private static final QueryResult<List<String>> FULL =
            new QueryResult.Value<>(List.of("claims.v1-value", "inventory.v1-value", "outcomes.v1-value"));

    record ReportCase(StandaloneReport report, String id, String check, FindingStatus status, String expected) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, status.text(), expected);
        }
    }

    static Stream<ReportCase> rows() {
        var down = new ComponentStatuses.ComponentStatus("down", "no connection");
        var slow = new ComponentStatuses.ComponentStatus("degraded", "20000 unprocessed records");
        var twice = new ComponentStatuses.ComponentStatus(
                "degraded", "allocated by another allocator too: gpu-0 (team/a, team/b)");
        Map<String, ComponentStatuses.ComponentStatus> well = Map.of();
        return Stream.of(
                new ReportCase(
                        standaloneReport(well, List.of(), FULL), "id", "up", FindingStatus.OK, "all of its 4 parts"),
                new ReportCase(
                        standaloneReport(well, List.of(), FULL), "id", "cluster of up", FindingStatus.OK, "this one"),
                new ReportCase(standaloneReport(well, List.of(), FULL), "id", "watcher", FindingStatus.OK, "9 kinds"),
                new ReportCase(
                        standaloneReport(well, List.of(), FULL), "id", "registry", FindingStatus.OK, "3 subjects"),
                new ReportCase(
                        standaloneReport(well, List.of(), FULL),
                        "other",
                        "cluster of up",
                        FindingStatus.FAILED,
                        "--context"),
                new ReportCase(
                        standaloneReport(well, List.of(), FULL),
                        "",
                        "cluster of up",
                        FindingStatus.WARNING,
                        "cannot determine"),
                new ReportCase(
                        standaloneReport(Map.of("broker", down), List.of(), FULL),
                        "id",
                        "up",
                        FindingStatus.FAILED,
                        "broker is down"),
                new ReportCase(
                        standaloneReport(Map.of("writer", slow), List.of(), FULL),
                        "id",
                        "up",
                        FindingStatus.WARNING,
                        "writer is degraded"),
                new ReportCase(
                        standaloneReport(Map.of("watcher", down), List.of(), FULL),
                        "id",
                        "watcher",
                        FindingStatus.FAILED,
                        "no connection"),
                new ReportCase(
                        standaloneReport(Map.of("watcher", down), List.of(), FULL),
                        "id",
                        "up",
                        FindingStatus.OK,
                        "process 7"),
                new ReportCase(
                        standaloneReport(Map.of("lag", slow), List.of(), FULL),
                        "id",
                        "lag",
                        FindingStatus.WARNING,
                        "20000"),
                new ReportCase(
                        standaloneReport(Map.of("alarms", twice), List.of(), FULL),
                        "id",
                        "alarms",
                        FindingStatus.WARNING,
                        "claimstream-single-writer"),
                new ReportCase(
                        standaloneReport(Map.of("alarms", twice), List.of(), FULL),
                        "id",
                        "up",
                        FindingStatus.OK,
                        "process 7"),
                new ReportCase(
                        standaloneReport(well, List.of("ledger.v1"), FULL),
                        "id",
                        "topics",
                        FindingStatus.FAILED,
                        "missing: ledger.v1"),
                new ReportCase(
                        standaloneReport(well, List.of(), new QueryResult.Value<>(List.of("claims.v1-value"))),
                        "id",
                        "registry",
                        FindingStatus.WARNING,
                        "no subject inventory.v1-value"),
                new ReportCase(
                        standaloneReport(well, List.of(), new QueryResult.Failure<>("does not respond")),
                        "id",
                        "registry",
                        FindingStatus.FAILED,
                        "does not respond"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void derivesFindingsFromReportOfUp(ReportCase row) {
        var findings = row.report.findings(Optional.of(row.id).filter(each -> !each.isEmpty()));
        assertThat(new ArrayList<>(findings)).hasSize(7);
        assertThat(findings)
                .filteredOn(each -> each.check().equals(row.check))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.status()).as(each.toString()).isEqualTo(row.status);
                    assertThat(each.observation() + " " + each.remedy()).contains(row.expected);
                });
    }

    // ---- findings about separate services

    private static final ComponentStatuses ALLOCATOR = new ComponentStatuses(new TreeMap<>(Map.of(
            "alarms", new ComponentStatuses.ComponentStatus("up", "none"),
            "broker", new ComponentStatuses.ComponentStatus("up", "connected"),
            "lag", new ComponentStatuses.ComponentStatus("up", "0 unprocessed records"))));

    private static ComponentStatuses with(String part, String status, String sentence) {
        var all = new TreeMap<>(ALLOCATOR.all());
        all.put(part, new ComponentStatuses.ComponentStatus(status, sentence));
        return new ComponentStatuses(all);
    }

    private static ComponentStatuses watcher(String status, String sentence) {
        return new ComponentStatuses(
                new TreeMap<>(Map.of("watcher", new ComponentStatuses.ComponentStatus(status, sentence))));
    }

    private static ServicesReport servicesReport(ComponentStatuses... saying) {
        return servicesReport(Set.of("a:1", "b:1"), Set.of(), new QueryResult.Value<>(List.of()), FULL, saying);
    }

    private static ServicesReport servicesReport(
            Set<String> answering,
            Set<String> silent,
            QueryResult<List<String>> missing,
            QueryResult<List<String>> registry,
            ComponentStatuses... saying) {
        SortedMap<String, QueryResult<ComponentStatuses>> health = new TreeMap<>();
        for (ComponentStatuses each : saying) {
            health.put("http://host:" + health.size(), new QueryResult.Value<>(each));
        }
        return new ServicesReport(
                Optional.empty(),
                Optional.of(new BrokerReachability(new TreeSet<>(answering), new TreeSet<>(silent))),
                Optional.of(missing),
                Optional.of(registry),
                health);
    }

    private static ServicesReport unreachableServices() {
        return new ServicesReport(
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(
                        Map.of("http://host:0", new QueryResult.Failure<>("http://host:0 does not respond: refused"))));
    }

    record ServicesRow(ServicesReport report, String check, FindingStatus status, String expected) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, status.text(), expected);
        }
    }

    static Stream<ServicesRow> servicesRows() {
        QueryResult<List<String>> none = new QueryResult.Value<>(List.of());
        ServicesReport well = servicesReport(ALLOCATOR, watcher("up", "watching 9 kinds"));
        return Stream.of(
                new ServicesRow(well, "brokers", FindingStatus.OK, "all respond: a:1, b:1"),
                new ServicesRow(
                        servicesReport(Set.of("a:1"), Set.of("b:1", "c:1"), none, FULL),
                        "brokers",
                        FindingStatus.WARNING,
                        "no response from b:1, c:1; others respond: a:1"),
                new ServicesRow(
                        servicesReport(Set.of(), Set.of("a:1"), none, FULL),
                        "brokers",
                        FindingStatus.FAILED,
                        "no response: a:1"),
                new ServicesRow(unreachableServices(), "brokers", FindingStatus.WARNING, "--bootstrap"),
                new ServicesRow(well, "topics", FindingStatus.OK, "all exist"),
                new ServicesRow(
                        servicesReport(Set.of("a:1"), Set.of(), new QueryResult.Value<>(List.of("ledger.v1")), FULL),
                        "topics",
                        FindingStatus.FAILED,
                        "missing: ledger.v1 create them: claimstream topics"),
                new ServicesRow(
                        servicesReport(
                                Set.of("a:1"),
                                Set.of(),
                                new QueryResult.Failure<>("topic ledger.v1 has 7 partitions"),
                                FULL),
                        "topics",
                        FindingStatus.FAILED,
                        "ledger.v1 has 7"),
                new ServicesRow(well, "registry", FindingStatus.OK, "3 subjects"),
                new ServicesRow(
                        servicesReport(Set.of("a:1"), Set.of(), none, none),
                        "registry",
                        FindingStatus.WARNING,
                        "no subject"),
                new ServicesRow(
                        servicesReport(Set.of("a:1"), Set.of(), none, new QueryResult.Failure<>("it answers 404")),
                        "registry",
                        FindingStatus.FAILED,
                        "it answers 404 check that it runs"),
                new ServicesRow(unreachableServices(), "registry", FindingStatus.WARNING, "--registry"),
                new ServicesRow(servicesReport(), "services", FindingStatus.WARNING, "--health"),
                new ServicesRow(well, "service http://host:0", FindingStatus.OK, "up: alarms, broker, lag"),
                new ServicesRow(
                        servicesReport(with("broker", "down", "no connection")),
                        "service http://host:0",
                        FindingStatus.FAILED,
                        "broker is down: no connection"),
                new ServicesRow(
                        servicesReport(with("registry", "degraded", "away")),
                        "service http://host:0",
                        FindingStatus.WARNING,
                        "registry is degraded: away"),
                new ServicesRow(
                        unreachableServices(),
                        "service http://host:0",
                        FindingStatus.FAILED,
                        "refused check that it runs"),
                new ServicesRow(
                        servicesReport(with("lag", "degraded", "20000")),
                        "service http://host:0",
                        FindingStatus.OK,
                        "up: "),
                new ServicesRow(
                        servicesReport(with("lag", "degraded", "20000")), "lag", FindingStatus.WARNING, "20000"),
                new ServicesRow(
                        servicesReport(with("alarms", "degraded", "given twice")),
                        "alarms",
                        FindingStatus.WARNING,
                        "given twice delete one of the claims"),
                new ServicesRow(well, "watcher", FindingStatus.OK, "watching 9 kinds"),
                new ServicesRow(
                        servicesReport(watcher("down", "no server"), watcher("up", "watching 9 kinds")),
                        "watcher",
                        FindingStatus.FAILED,
                        "http://host:0 no server; http://host:1 watching 9 kinds"),
                new ServicesRow(
                        servicesReport(watcher("up", "watching 9 kinds"), watcher("degraded", "cannot tell")),
                        "watcher",
                        FindingStatus.WARNING,
                        "http://host:1 cannot tell"),
                new ServicesRow(
                        servicesReport(ALLOCATOR),
                        "watcher",
                        FindingStatus.WARNING,
                        "also name the watcher with --health"),
                new ServicesRow(
                        unreachableServices(), "lag", FindingStatus.WARNING, "also name the allocator with --health"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("servicesRows")
    void derivesFindingsFromReportsOfServices(ServicesRow row) {
        assertThat(row.report.findings())
                .filteredOn(each -> each.check().equals(row.check))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.status()).as(each.toString()).isEqualTo(row.status);
                    assertThat(each.observation() + " " + each.remedy()).contains(row.expected);
                });
    }
}
