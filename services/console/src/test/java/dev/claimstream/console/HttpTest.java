package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.contracts.ContractPage;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.process.http.ListenException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the REST API on a real server. */
@Timeout(20)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpTest {
    private static final Pattern PATH = Pattern.compile("`((?:GET|POST|DELETE) /[^`]*)`");

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private final RunningConsole console = RunningConsole.start(cluster.view);
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI url = console.url();

    @BeforeAll
    void start() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.upsert(SmallCluster.claim("b"));
        cluster.allocate("a", "gpu-0");
        cluster.setPending("b");
    }

    @AfterAll
    void stop() {
        console.close();
    }

    private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return console.get(path, headers);
    }

    private HttpResponse<String> post(String path, String type, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(url.resolve(path))
                        .header("Content-Type", type)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void namesAddressThatIsInUse() {
        Map<String, Object> settings =
                Map.of("micronaut.server.host", "127.0.0.1", "micronaut.server.port", url.getPort());
        assertThatThrownBy(() -> RunningConsole.start(cluster.view, settings))
                .isInstanceOf(ListenException.class)
                .hasMessageContaining(
                        "cannot listen on 127.0.0.1:%d: Address already in use: end the program that uses the port,"
                                .formatted(url.getPort()))
                .hasMessageEndingWith("change claimstream.console.host or claimstream.console.port");
    }

    @Test
    void listsClaimsAsDocumentAndAsLines() throws Exception {
        var document = get("/api/v1/claims");
        assertThat(document.statusCode()).isEqualTo(200);
        assertThat(document.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
        assertThat(TreeReader.json(document.body())).isNotNull();
        var lines = get("/api/v1/claims", "Accept", ListResponse.LINES)
                .body()
                .lines()
                .toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst())
                .isEqualTo(
                        "{\"committed\":false,"
                                + "\"created\":\"2025-12-31T23:55:00Z\",\"decidedAt\":\"2026-01-01T00:00:00Z\",\"decision\":1,"
                                + "\"devices\":[{\"device\":\"gpu-0\",\"driver\":\"gpu.example.com\",\"pool\":\"node-1\","
                                + "\"request\":\"gpu\"}],\"item\":\"claim default/a\",\"name\":\"a\","
                                + "\"namespace\":\"default\",\"node\":\"node-1\",\"rationale\":\"the only node that fits\",\"state\":\"allocated\",\"uid\":\"a\"}");
        assertThat(lines.get(1)).contains("\"reason\":\"DevicesInUse\"", "\"state\":\"pending\"");
    }

    @Test
    void filtersLists() throws Exception {
        assertThat(get("/api/v1/claims?state=pending", "Accept", ListResponse.LINES)
                        .body()
                        .lines())
                .hasSize(1);
        assertThat(get("/api/v1/claims?namespace=other").body()).isEqualTo("{\"items\":[]}\n");
        assertThat(get("/api/v1/claims?namespace=other", "Accept", ListResponse.LINES)
                        .body())
                .isEmpty();
        assertThat(get("/api/v1/devices?state=free", "Accept", ListResponse.LINES)
                        .body()
                        .lines())
                .hasSize(1);
        assertThat(get("/api/v1/devices?node=node-1", "Accept", ListResponse.LINES)
                        .body()
                        .lines())
                .hasSize(2);
        assertThat(get("/api/v1/devices?node=node-2", "Accept", ListResponse.LINES)
                        .body())
                .isEmpty();
    }

    @Test
    void servesPathsOfReadme() throws Exception {
        List<String> documented = Files.readString(Path.of("README.md"))
                .lines()
                .filter(line -> line.startsWith("| `"))
                .flatMap(line -> PATH.matcher(line).results())
                .map(path -> path.group(1))
                .toList();
        assertThat(TreeReader.json(get("/api/v1").body()))
                .as("paths of services/console/README.md, in their order")
                .isEqualTo(Tree.mapping(fields -> fields.put("paths", Tree.texts(documented))));
    }

    @Test
    void servesSchemasAndTheirPage() throws Exception {
        assertThat(get("/api/v1/schemas", "Accept", ListResponse.LINES).body().lines())
                .contains(
                        "{\"record\":\"dev.claimstream.schemas.ClaimsRecord\",\"subject\":\"claims.v1-value\",\"topic\":\"claims.v1\"}")
                .noneMatch(line -> line.contains("cluster.v1"));
        var schema = get("/api/v1/schemas/claims.v1-value");
        assertThat(schema.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
        assertThat(schema.body()).isEqualTo(get("/api/v1/schemas/claims.v1").body());
        assertThat(TreeReader.json(schema.body())).isInstanceOf(Tree.Mapping.class);
        var missing = get("/api/v1/schemas/claims.v2");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body())
                .isEqualTo("{\"error\":\"there is no subject claims.v2\","
                        + "\"remedy\":\"GET /api/v1/schemas lists all subjects\",\"where\":\"subject\"}\n");
        var page = get("/schemas");
        assertThat(page.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
        assertThat(page.body()).isEqualTo(ContractPage.shipped());
    }

    @Test
    void showsDevicesPoolsAndNodes() throws Exception {
        assertThat(get("/api/v1/devices?name=gpu-0").body())
                .isEqualTo("{\"items\":[{\"attributes\":{\"example.com/fast\":true,\"index\":0,\"model\":\"A\"},"
                        + "\"capacity\":{\"memory\":\"80Gi\"},\"claims\":[\"default/a\"],\"device\":\"gpu-0\",\"driver\":\"gpu.example.com\","
                        + "\"node\":\"node-1\",\"pool\":\"node-1\",\"state\":\"allocated\"}]}\n");
        assertThat(get("/api/v1/pools").body())
                .isEqualTo(
                        "{\"items\":[{\"allocated\":1,\"devices\":2,\"driver\":\"gpu.example.com\",\"expectedSlices\":1,\"free\":1,\"generation\":1,"
                                + "\"node\":\"node-1\",\"pool\":\"node-1\",\"slices\":1,"
                                + "\"state\":\"complete\"}]}\n");
        assertThat(get("/api/v1/nodes").body())
                .isEqualTo(
                        "{\"items\":[{\"allocated\":1,\"claims\":[\"default/a\"],\"devices\":2,\"drivers\":[\"gpu.example.com\"],"
                                + "\"free\":1,\"name\":\"node-1\",\"status\":\"Ready\"}]}\n");
    }

    @Test
    void returnsExplanationAsTextAndJson() throws Exception {
        String path = "/api/v1/namespaces/default/claims/b/explanation";
        var text = get(path, "Accept", "text/plain");
        assertThat(text.body()).startsWith("claim default/b: pending, DevicesInUse\n");
        assertThat(text.headers().firstValue(ClaimsController.STATE_HEADER)).hasValue("pending");
        assertThat(get(path).body()).contains("\"reason\": \"DevicesInUse\"");
    }

    @Test
    void appliesAndDeletesObjects() throws Exception {
        var applied = post("/api/v1/apply?file=mine.yaml", "application/yaml", SmallCluster.NODE + "---\nkind: Pod\n");
        assertThat(applied.statusCode()).isEqualTo(200);
        assertThat(applied.body())
                .contains("\"outcome\": \"created\"", "\"name\": \"node-1\"", "\"place\": \"mine.yaml:5\"");
        var deleted = http.send(
                HttpRequest.newBuilder(url.resolve("/api/v1/objects/node/node-1"))
                        .DELETE()
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(deleted.body()).contains("\"outcome\": \"deleted\"");
        assertThat(post("/api/v1/delete", "application/yaml", SmallCluster.NODE).body())
                .contains("\"outcome\": \"missing\"");
    }

    @Test
    void reportsPositionOfCompileError() throws Exception {
        String manifest = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: bad}
                spec:
                  selectors:
                  - cel:
                      expression: device.nonsense ==
                """;
        var response = post("/api/v1/apply?file=class.yaml", "application/yaml", manifest);
        assertThat(response.body())
                .contains("class.yaml:7", "CEL compile error")
                .doesNotContain("created");
    }

    @Test
    void rejectsBadRequestsWithRemedy() throws Exception {
        var unknownState = get("/api/v1/claims?state=happy");
        assertThat(unknownState.statusCode()).isEqualTo(400);
        assertThat(unknownState.body())
                .isEqualTo(
                        "{\"error\":\"state happy is not known\",\"remedy\":\"use pending, allocated, reserved, deleted, or several of them with commas\","
                                + "\"where\":\"state\"}\n");
        var missing = get("/api/v1/namespaces/default/claims/missing");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(missing.body()).contains("there is no claim default/missing", "remedy");
        var nowhere = get("/api/v2/nonsense");
        assertThat(nowhere.statusCode()).isEqualTo(404);
        assertThat(nowhere.body()).contains("\"remedy\":\"GET /api/v1 lists all paths\"");
        var large = post("/api/v1/apply", "application/yaml", "#".repeat(2 << 20));
        assertThat(large.statusCode()).isEqualTo(413);
        assertThat(large.body()).contains("send it in smaller parts");
        assertThat(post("/api/v1/apply", "text/plain", SmallCluster.NODE).statusCode())
                .isEqualTo(415);
    }

    @Test
    void rejectsForeignHostAndOrigin() throws Exception {
        assertThat(sendRaw("GET /api/v1/claims HTTP/1.1\r\nHost: evil.example.com\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 403");
        assertThat(sendRaw("GET /nonsense HTTP/1.1\r\nHost: evil.example.com:80\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 403");
        assertThat(sendRaw("GET /api/v1/claims HTTP/1.1\r\nHost: localhost:99\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
        assertThat(get("/api/v1/claims", "Origin", "https://evil.example.com").statusCode())
                .isEqualTo(403);
        assertThat(get("/api/v1/claims", "Origin", "null").statusCode()).isEqualTo(403);
    }

    @ParameterizedTest
    @CsvSource({
        "'GET /api/v1/claims HTTP/1.1 | Host: localhost | Host: localhost', 400, send one header Host",
        "'GET /api/v1/claims HTTP/1.1 | Host: localhost | Host: evil.example.com', 400, send one header Host",
        "'GET /api/v1/claims HTTP/1.1', 400, send one header Host",
        "'GET / HTTP/1.1', 400, send one header Host",
        "'GET http://evil.example.com/api/v1/claims HTTP/1.1 | Host: localhost', 421, use 127.0.0.1 or localhost",
        "'GET http:///api/v1/claims HTTP/1.1 | Host: localhost', 421, use 127.0.0.1 or localhost",
        "'GET evil.example.com:443 HTTP/1.1 | Host: localhost', 421, use 127.0.0.1 or localhost",
        "'GET /api/v1/claims?state=%zz HTTP/1.1 | Host: localhost', 400, write % as %25",
        "'GET /api/v1/claims?state=% HTTP/1.1 | Host: localhost', 400, write % as %25",
        "'GET /api/v1/claims?name={a} HTTP/1.1 | Host: localhost', 400, write % as %25",
        "'GET /api/v1/watch/claims?fromStart=perhaps HTTP/1.1 | Host: localhost', 400, use true or false"
    })
    void rejectsMalformedRequestWithRemedy(String request, int status, String remedy) throws IOException {
        String response = sendRaw(request.replace(" | ", "\r\n") + "\r\nConnection: close\r\n\r\n");
        assertThat(response).startsWith("HTTP/1.1 " + status).contains("application/json");
        assertThat(response.substring(response.indexOf("\r\n\r\n"))).contains("{\"error\":\"", remedy);
    }

    @Test
    void rejectsRootWithoutHeaders() throws IOException {
        assertThat(sendRaw("GET / HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.0 400").contains("send one header Host");
    }

    @Test
    void acceptsAbsoluteUriOfLoopback() throws IOException {
        assertThat(
                        sendRaw(
                                "GET http://localhost:1/api/v1/claims HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
                .startsWith("HTTP/1.1 200");
    }

    private String sendRaw(String request) throws IOException {
        try (var socket = new Socket(url.getHost(), url.getPort());
                OutputStream out = socket.getOutputStream();
                InputStream in = socket.getInputStream()) {
            out.write(request.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void returns503UntilCaughtUp() throws Exception {
        console.setCaughtUp(false);
        try {
            var early = get("/api/v1/claims");
            assertThat(early.statusCode()).isEqualTo(503);
            assertThat(early.body()).contains("still reads");
            assertThat(get("/health").statusCode()).isEqualTo(503);
        } finally {
            console.setCaughtUp(true);
        }
        assertThat(get("/health").statusCode()).isEqualTo(200);
    }

    private long listedChange() throws IOException, InterruptedException {
        return get("/api/v1/claims")
                .headers()
                .firstValueAsLong(ClaimsController.CHANGE_HEADER)
                .orElseThrow();
    }

    @Test
    void streamsChangesOfWatch() throws Exception {
        var stream = http.send(
                HttpRequest.newBuilder(url.resolve("/api/v1/watch/claims?fromStart=true&name=watched"))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try (var lines = new BufferedReader(new InputStreamReader(stream.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).isEmpty(); // an empty line announces the stream
            long before = listedChange();
            cluster.upsert(SmallCluster.claim("watched"));
            assertThat(listedChange()).isEqualTo(before + 1);
            assertThat(lines.readLine())
                    .startsWith("{\"type\":\"ADDED\",\"claim\":{")
                    .contains("\"state\":\"pending\"", "\"reason\":\"Unprocessed\"")
                    .endsWith(",\"number\":%d}".formatted(before + 1));
            cluster.setPending("watched");
            assertThat(lines.readLine()).startsWith("{\"type\":\"MODIFIED\"").contains("pending");
            cluster.delete(Kind.RESOURCE_CLAIM, SmallCluster.key("watched"));
            assertThat(lines.readLine()).startsWith("{\"type\":\"DELETED\"");
        }
    }
}
