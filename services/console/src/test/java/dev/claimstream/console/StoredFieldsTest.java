package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.Manifests;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests fields of a feature gate that is disabled after the object was stored. */
@Timeout(60)
class StoredFieldsTest {
    private static final String CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c, namespace: default}
            spec:
              devices:
                requests:
                - {name: r, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 1Gi}}}}
            """;
    private static final FeatureGates OFF = FeatureGates.defaults().with(Feature.CONSUMABLE_CAPACITY, false);

    private static String apply(RunningConsole console, String text) throws Exception {
        try (var http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(console.url().resolve("/api/v1/apply"))
                                    .header("Content-Type", "application/yaml")
                                    .POST(HttpRequest.BodyPublishers.ofString(text))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    @Test
    void keepsFieldsThatStoredObjectUses() throws Exception {
        var stored = Manifests.read("f.yaml", CLAIM).manifests();
        try (var console = RunningConsole.start(SmallCluster.ofOneNode().view, OFF, stored)) {
            assertThat(apply(console, CLAIM)).contains("configured").doesNotContain("DRAConsumableCapacity");
        }
    }

    @Test
    void dropsFieldsOfNewObject() throws Exception {
        try (var console = RunningConsole.start(SmallCluster.ofOneNode().view, OFF, List.of())) {
            assertThat(apply(console, CLAIM)).contains("created", "DRAConsumableCapacity");
        }
    }
}
