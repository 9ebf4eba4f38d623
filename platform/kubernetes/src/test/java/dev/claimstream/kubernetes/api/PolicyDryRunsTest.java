package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.doctor.AdmissionPolicy;
import dev.claimstream.kubernetes.doctor.ClusterFacts.DryRunCheck;
import dev.claimstream.kubernetes.doctor.ClusterFacts.ExpectedEffect;
import dev.claimstream.kubernetes.doctor.DryRunResult;
import dev.claimstream.kubernetes.doctor.LookupResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which dry runs of the gate policy take place, by what the user may read. */
final class PolicyDryRunsTest {
    private static final String PODS = "POST /api/v1/namespaces/";
    private static final LookupResult<List<JsonNode>> DENIED = new LookupResult.Failure<>("cannot be read: forbidden");
    private static final LookupResult<List<JsonNode>> NAMESPACES = new LookupResult.Value<>(List.of(
            json("{'metadata':{'name':'team','labels':{'claimstream.dev/managed':'true'}}}"),
            json("{'metadata':{'name':'other'}}")));
    private static final LookupResult<List<JsonNode>> BINDINGS = new LookupResult.Value<>(List.of(json(
            "{'spec':{'matchResources':{'namespaceSelector':{'matchLabels':{'claimstream.dev/managed':'true'}}}}}")));

    @TempDir
    private Path folder = Path.of("");

    private static JsonNode json(String text) {
        return ApiHttpClient.json(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private List<DryRunCheck> gateChecks(
            StubServer server, LookupResult<List<JsonNode>> namespaces, LookupResult<List<JsonNode>> bindings)
            throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "%s"}}]
                contexts: [{name: here, context: {cluster: c}}]
                """.formatted(server.url()));
        try (var client = ApiHttpClient.open(ApiAccess.of(kubeconfig, Optional.empty()));
                var scratch = ScratchClaim.find(client, false, _ -> {})) {
            return new PolicyDryRuns(client, Optional.empty(), namespaces)
                    .of(AdmissionPolicy.GATE, bindings, scratch, "writer");
        }
    }

    @Test
    void unreadableBindingsNeedAdministrator() throws IOException {
        try (var server = new StubServer().onRequest(PODS, StubServer.json(201, "{}"))) {
            assertThat(gateChecks(server, NAMESPACES, DENIED))
                    .containsExactly(new DryRunCheck(
                            "a pod with a claim in a managed namespace",
                            ExpectedEffect.MUTATED,
                            new DryRunResult.Skipped(
                                    "its bindings cannot be read: forbidden",
                                    "run doctor again with the kubeconfig of an administrator")));
            assertThat(server.requests()).noneMatch(each -> each.startsWith(PODS));
        }
    }

    @Test
    void readableBindingsSelectNamespaces() throws IOException {
        try (var server = new StubServer().onRequest(PODS, StubServer.json(201, "{}"))) {
            assertThat(gateChecks(server, NAMESPACES, BINDINGS))
                    .extracting(DryRunCheck::request)
                    .containsExactly(
                            "a pod with a claim in namespace team",
                            "a pod without claims in namespace team",
                            "a pod with a claim in namespace other");
        }
    }

    @Test
    void unlabelledNamespacesNeedLabel() throws IOException {
        var unlabelled = new LookupResult.Value<>(List.of(json("{'metadata':{'name':'other'}}")));
        try (var server = new StubServer().onRequest(PODS, StubServer.json(201, "{}"))) {
            assertThat(gateChecks(server, unlabelled, BINDINGS).getFirst().result())
                    .isEqualTo(new DryRunResult.Skipped(
                            "no namespace is managed", "kubectl label namespace NAME claimstream.dev/managed=true"));
        }
    }
}
