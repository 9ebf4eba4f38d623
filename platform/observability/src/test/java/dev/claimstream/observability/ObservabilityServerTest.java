package dev.claimstream.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.observability.Health.Condition;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Health and metrics over HTTP while components fail, start and stop. */
final class ObservabilityServerTest {
    private static final String LOOPBACK = "127.0.0.1";

    private final AtomicReference<Condition> condition = new AtomicReference<>(Condition.up("reads"));
    private final Meters meters = new Meters();
    private final Health health = new Health();

    ObservabilityServerTest() {
        health.register("intake", condition::get);
        health.register("broker", () -> Condition.up("connected to \"here\""));
    }

    private static String get(ObservabilityServer server, String path) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://" + LOOPBACK + ":" + server.port() + path))
                    .build();
            var response = client.send(request, HttpResponse.BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        }
    }

    @Test
    void healthReportsEachComponent() throws IOException, InterruptedException {
        try (var server = ObservabilityServer.start(LOOPBACK, 0, meters, health)) {
            assertThat(get(server, "/health"))
                    .isEqualTo(
                            "200 {\"status\":\"up\",\"parts\":{\"broker\":{\"status\":\"up\",\"sentence\":\"connected to"
                                    + " \\\"here\\\"\"},\"intake\":{\"status\":\"up\",\"sentence\":\"reads\"}},\"version\":\"unpacked\"}");
            condition.set(Condition.degraded("trying again"));
            assertThat(get(server, "/health")).startsWith("200 {\"status\":\"degraded\"");
        }
    }

    @Test
    void downIsNotReadyAndTerminalIsNotLive() throws IOException, InterruptedException {
        try (var server = ObservabilityServer.start(LOOPBACK, 0, meters, health)) {
            condition.set(Condition.down("restoring"));
            assertThat(get(server, "/health/ready")).startsWith("503 ");
            assertThat(get(server, "/health/live")).startsWith("200 ");
            condition.set(Condition.terminal("stopped"));
            assertThat(get(server, "/health/live")).startsWith("503 ");
        }
    }

    /** The server starts before the services. */
    @Test
    void processWithoutComponentsIsNotReady() throws IOException, InterruptedException {
        var nothing = new Health();
        try (var server = ObservabilityServer.start(LOOPBACK, 0, meters, nothing)) {
            assertThat(get(server, "/health/ready"))
                    .isEqualTo("503 {\"status\":\"down\",\"parts\":{},\"version\":\"unpacked\"}");
            assertThat(get(server, "/health/live")).startsWith("200 ");
            nothing.register("intake", condition::get);
            assertThat(get(server, "/health/ready")).startsWith("200 ");
        }
    }

    @Test
    void servesMetricsAndNoOtherPath() throws IOException, InterruptedException {
        try (var server = ObservabilityServer.start(LOOPBACK, 0, meters, health)) {
            assertThat(get(server, "/metrics")).startsWith("200 ").contains("jvm_memory_used_bytes");
            assertThat(get(server, "/passwords")).startsWith("404 ");
        }
    }

    /** A failing component does not hide the others. */
    @Test
    void failingComponentIsDownWithoutHidingOthers() {
        health.register("broken", () -> {
            throw new IllegalStateException("no");
        });
        assertThat(health.report().parts())
                .extracting(part -> part.name() + " " + part.condition().status())
                .containsExactly("broken DOWN", "broker UP", "intake UP");
    }

    @Test
    void reportsPortInUseWithRemedy() {
        try (var server = ObservabilityServer.start(LOOPBACK, 0, meters, health)) {
            assertThatThrownBy(() -> ObservabilityServer.start(LOOPBACK, server.port(), meters, health))
                    .isInstanceOf(ObservabilityException.class)
                    .hasMessageContaining("port " + server.port())
                    .hasMessageContaining("claimstream.observability");
        }
    }
}
