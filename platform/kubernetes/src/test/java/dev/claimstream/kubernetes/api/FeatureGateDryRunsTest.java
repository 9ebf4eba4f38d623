package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.dra.Feature;
import dev.claimstream.kubernetes.doctor.DryRunResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a gate is found to be on whatever name its field has in the release of the server. */
final class FeatureGateDryRunsTest {
    @TempDir
    private Path folder = Path.of("");

    /** Returns the result on a server that stores a device with its name and, of the fields of the gate, this one. */
    private DryRunResult resultIfKept(String field) throws IOException {
        HttpServer server = LocalServer.start(exchange -> {
            boolean isCreation = exchange.getRequestMethod().equals("POST");
            byte[] reply = isCreation
                    ? kept(ApiHttpClient.json(exchange.getRequestBody().readAllBytes()), field)
                    : "{}".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(isCreation ? 201 : 404, reply.length);
            exchange.getResponseBody().write(reply);
            exchange.close();
        });
        Path kubeconfig = Files.writeString(
                folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                contexts: [{name: here, context: {cluster: c}}]
                """.formatted(server.getAddress().getPort()));
        try (var client = ApiHttpClient.open(ApiAccess.of(kubeconfig, Optional.empty()))) {
            return Optional.ofNullable(new FeatureGateDryRuns(client, new ServedApis(client))
                            .runAll()
                            .get(Feature.NODE_ALLOCATABLE_RESOURCES))
                    .orElseThrow();
        } finally {
            server.stop(0);
        }
    }

    private static byte[] kept(JsonNode slice, String field) {
        JsonNode device = slice.path("spec").path("devices").path(0);
        if (device instanceof ObjectNode fields) {
            fields.retain("name", field);
        }
        return slice.toString().getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nodeAllocatableResourceMappings", "nodeAllocatableResources"})
    void fieldOfEitherReleaseShowsThatGateIsOn(String field) throws IOException {
        assertThat(resultIfKept(field)).isInstanceOfSatisfying(DryRunResult.Response.class, response -> {
            assertThat(response.code()).isEqualTo(201);
            assertThat(response.presentFields()).containsExactly("/spec/devices/0/" + field);
        });
    }

    @Test
    void droppedFieldsShowThatGateIsOff() throws IOException {
        assertThat(resultIfKept("none")).isInstanceOfSatisfying(DryRunResult.Response.class, response -> {
            assertThat(response.code()).isEqualTo(201);
            assertThat(response.presentFields()).isEmpty();
        });
    }
}
