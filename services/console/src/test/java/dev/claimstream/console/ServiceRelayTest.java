package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.AccessReviewer;
import dev.claimstream.kubernetes.access.ReviewCache;
import dev.claimstream.kubernetes.access.UserIdentity;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what the console passes to other services, with a server that records its requests. */
class ServiceRelayTest {
    private final List<String> asked = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private HttpServer service;
    private int status = 200;
    private String answer = "{}";

    @BeforeEach
    void start() throws IOException {
        service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String token = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
                    .orElse("");
            asked.add("%s %s %s%s"
                    .formatted(exchange.getRequestMethod(), exchange.getRequestURI(), body, token)
                    .strip());
            byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
            Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept"))
                    .ifPresent(type -> exchange.getResponseHeaders().set("Content-Type", type));
            exchange.getResponseHeaders().set("Claimstream-State", "pending");
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        service.start();
    }

    @AfterEach
    void stop() {
        service.stop(0);
        http.close();
    }

    private RunningConsole console(String setting) {
        return RunningConsole.start(
                SmallCluster.ofOneNode().view,
                Map.of(setting, "http://127.0.0.1:" + service.getAddress().getPort()));
    }

    private HttpResponse<String> simulate(URI console, String body) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(console.resolve("/api/v1/simulate?shapes=true"))
                        .header("Content-Type", "application/yaml")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void passesQuestionsToHistory() throws Exception {
        answer = "{\"columns\":[],\"rows\":[],\"notes\":[]}";
        try (RunningConsole console = console("claimstream.console.history-url")) {
            var usage = console.get("/api/v1/past/usage?by=class&since=2026-03-01T12:00:00Z&steps=12");
            assertThat(usage.statusCode()).isEqualTo(200);
            assertThat(usage.body()).isEqualTo(answer);
            console.get("/api/v1/past/holders?device=gpu.example.com/node-1/gpu-0");
            console.get("/api/v1/past/claims?claim=team/a%26b");
            console.get("/api/v1/past/who?device=gpu-0&at=2026-03-01T12:00:00Z");
            console.get("/api/v1/past/history?kind=node&name=node-1&since=2026-03-01T12:00:00Z");
            console.get("/api/v1/past/device-hours?by=class&weights=a=2");
            console.get("/api/v1/past/blast-radius?target=node-1");
        }
        assertThat(asked)
                .containsExactly(
                        "GET /api/v1/usage-series?by=class&since=2026-03-01T12%3A00%3A00Z&steps=12",
                        "GET /api/v1/history?kind=device&name=gpu.example.com%2Fnode-1%2Fgpu-0",
                        "GET /api/v1/history?kind=claim&name=team%2Fa%26b",
                        "GET /api/v1/who?at=2026-03-01T12%3A00%3A00Z&device=gpu-0",
                        "GET /api/v1/history?kind=node&name=node-1&since=2026-03-01T12%3A00%3A00Z",
                        "GET /api/v1/usage?by=class&weights=a%3D2",
                        "GET /api/v1/blast-radius?target=node-1");
    }

    @Test
    void passesObjectsToSimulator() throws Exception {
        answer = "{\"fits\":true}";
        try (RunningConsole console = console("claimstream.console.simulator-url")) {
            assertThat(simulate(console.url(), "kind: ResourceClaim").body()).isEqualTo(answer);
        }
        assertThat(asked).containsExactly("POST /api/v1/simulate?shapes=true kind: ResourceClaim");
    }

    @Test
    void passesQuestionsAboutDevicesToSimulator() throws Exception {
        answer = "pending: no device";
        try (RunningConsole console = console("claimstream.console.simulator-url")) {
            var text = console.get("/api/v1/namespaces/team/claims/a/devices", "Accept", "text/plain");
            assertThat(text.body()).isEqualTo(answer);
            assertThat(text.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
            assertThat(text.headers().firstValue("Claimstream-State")).contains("pending");
            answer = "{}";
            assertThat(console.get("/api/v1/namespaces/team/pods/b/devices").body())
                    .isEqualTo(answer);
            http.send(
                    HttpRequest.newBuilder(console.url()
                                    .resolve("/api/v1/simulate?addNodes=a=1&addNodes=b=2&drain=c&policy=first-fit"))
                            .POST(HttpRequest.BodyPublishers.ofString("---"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
        assertThat(asked)
                .containsExactly(
                        "GET /api/v1/namespaces/team/claims/a/devices",
                        "GET /api/v1/namespaces/team/pods/b/devices",
                        "POST /api/v1/simulate?addNodes=a%3D1&addNodes=b%3D2&drain=c&policy=first-fit&shapes=false ---");
    }

    private HttpResponse<String> simulate(URI console, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        return simulate(console, "/api/v1/simulate", body);
    }

    private HttpResponse<String> simulate(URI console, String path, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(console.resolve(path))
                        .header("Content-Type", "application/yaml")
                        .POST(body)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** A body may have 64 MiB for changes; a question has the limit of the simulator. */
    @Test
    void rejectsLargeQuestionBeforeItIsRead() throws Exception {
        try (RunningConsole console = RunningConsole.start(
                SmallCluster.ofOneNode().view,
                Map.of(
                        "claimstream.console.simulator-url",
                        "http://127.0.0.1:" + service.getAddress().getPort(),
                        "micronaut.server.max-request-size",
                        "64MB"))) {
            String largest = "#".repeat(BodyLimitFilter.BODY_BYTES_MAX);
            var tooLarge = simulate(console.url(), largest + "#");
            assertThat(tooLarge.statusCode()).isEqualTo(413);
            assertThat(tooLarge.body()).contains("the body has more than 8 MiB", "ask about fewer objects at once");
            assertThat(simulate(console.url(), "/api/v1/simulate/", HttpRequest.BodyPublishers.ofString(largest + "#"))
                            .statusCode())
                    .isEqualTo(413);
            var chunked = simulate(
                    console.url(),
                    HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[10])));
            assertThat(chunked.statusCode()).isEqualTo(411);
            assertThat(chunked.body()).contains("send the header Content-Length");
            assertThat(console.get("/api/v1/openapi.json").body())
                    .containsPattern(
                            "\"411\"\\s*:\\s*\\{\\s*\"\\$ref\"\\s*:\\s*\"#/components/responses/LengthRequired\"");
            assertThat(asked).isEmpty();
            assertThat(simulate(console.url(), largest).statusCode()).isEqualTo(200);
            assertThat(simulate(console.url(), "/api/v1/simulate/", HttpRequest.BodyPublishers.ofString("{}"))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(asked).hasSize(2);
        }
    }

    @Test
    void passesErrorsOfServiceOn() throws Exception {
        status = 400;
        answer = "{\"error\":\"parameter by is missing\",\"problem\":\"INVALID_QUESTION\"}";
        try (RunningConsole console = console("claimstream.console.history-url")) {
            var usage = console.get("/api/v1/past/usage?by=rack");
            assertThat(usage.statusCode()).isEqualTo(400);
            assertThat(usage.body()).contains("\"error\":\"parameter by is missing\"");
            answer = "<html>";
            var other = console.get("/api/v1/past/usage?by=rack");
            assertThat(other.statusCode()).isEqualTo(502);
            assertThat(other.body())
                    .contains("is no history: it responds with 400")
                    .contains("claimstream.console.history-url");
            service.stop(0);
            var gone = console.get("/api/v1/past/usage?by=rack");
            assertThat(gone.statusCode()).isEqualTo(503);
            assertThat(gone.body()).contains("does not respond");
        }
    }

    @Test
    void passesTokenOnlyToServiceThatAsksForOne() throws Exception {
        var reviews = new ReviewCache(new OneUser(), Duration.ofSeconds(10), 10);
        try (RunningConsole console = RunningConsole.startInCluster(
                SmallCluster.ofOneNode().view,
                Map.of(
                        "claimstream.console.history-url",
                        "http://127.0.0.1:" + service.getAddress().getPort()),
                AccessGate.of(reviews))) {
            var open = console.get("/api/v1/past/usage", "Authorization", "Bearer ann");
            assertThat(open.statusCode()).isEqualTo(502);
            assertThat(open.body()).contains("answers requests without a token", "claimstream.access.mode");
            status = 403;
            assertThat(console.get("/api/v1/past/usage", "Authorization", "Bearer ann")
                            .body())
                    .contains("claimstream.history.allowed-hosts");
            assertThat(asked).containsOnly("GET /api/v1/guard");
            status = 401;
            answer = "{\"error\":\"the token is not valid\"}";
            assertThat(console.get("/api/v1/past/usage", "Authorization", "Bearer ann")
                            .statusCode())
                    .isEqualTo(401);
            assertThat(asked).last().isEqualTo("GET /api/v1/usage-series?by=namespace&steps=48 Bearer ann");
        }
    }

    /** Every token is that of one user, who may do nothing. */
    private static final class OneUser implements AccessReviewer {
        @Override
        public Optional<UserIdentity> authenticate(String token) {
            return Optional.of(new UserIdentity("ann", "", List.of(), Map.of()));
        }

        @Override
        public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
            return false;
        }
    }

    @Test
    void saysHowToTurnServicesOn() throws Exception {
        try (RunningConsole console = RunningConsole.start(SmallCluster.ofOneNode().view)) {
            var past = console.get("/api/v1/past/holders?device=gpu-0");
            assertThat(past.statusCode()).isEqualTo(501);
            assertThat(past.body()).contains("run claimstream up --with history");
            var simulated = simulate(console.url(), "kind: ResourceClaim");
            assertThat(simulated.statusCode()).isEqualTo(501);
            assertThat(simulated.body()).contains("claimstream.console.simulator-url");
        }
    }
}
