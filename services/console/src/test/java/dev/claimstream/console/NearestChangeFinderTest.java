package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.NearestChange;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NearestChangeFinderTest {
    private static final String CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu.example.com, uid: gpu.example.com}
            spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}
            """;

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private final NearestChangeFinder finder =
            new NearestChangeFinder(cluster.view, new CelSelectors(), Optional.empty());

    @BeforeEach
    void addClass() {
        cluster.upsert(CLASS);
    }

    private static String claim(String name, String fields) {
        return SmallCluster.claim(name)
                .replace("deviceClassName: gpu.example.com", "deviceClassName: gpu.example.com, " + fields);
    }

    private static String withMemory(String name, String amount) {
        return claim(
                name,
                "selectors: [{cel: {expression: \"device.capacity['gpu.example.com'].memory.compareTo(quantity('%s')) >= 0\"}}]"
                        .formatted(amount));
    }

    @Test
    void namesValueThatWouldMatch() {
        cluster.upsert(withMemory("b", "96Gi"));
        cluster.setPending("b");
        assertThat(finder.changes(SmallCluster.key("b")))
                .extracting(NearestChange::text)
                .contains("memory >= 80Gi instead of 96Gi would match 1 device");
    }

    @Test
    void countsAllocatedDevicesOfOthersAsInUse() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-0");
        cluster.upsert(claim("b", "count: 2"));
        cluster.setPending("b");
        cluster.upsert(claim("c", "count: 1"));
        cluster.setPending("c"); // another pending claim does not take the free device
        assertThat(finder.changes(SmallCluster.key("b")))
                .extracting(NearestChange::text)
                .containsExactly("one more gpu.example.com on node-1: 1 of 2 are free; 1 are in use there");
    }

    @Test
    void explainsClaimOfPodWithThePod() {
        cluster.upsert("""
                apiVersion: v1
                kind: Pod
                metadata: {name: user, namespace: default, uid: user}
                spec:
                  containers: [{name: main, image: app, resources: {claims: [{name: gpu}]}}]
                  resourceClaims: [{name: gpu, resourceClaimName: b}]
                """);
        cluster.upsert(claim("b", "count: 3"));
        cluster.setPending("b");
        assertThat(finder.changes(SmallCluster.key("b")))
                .extracting(NearestChange::devices)
                .containsExactly(1L);
    }

    @Test
    void hasNoChangeForAllocatedClaim() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.commit("a", "gpu-0", ClaimConsumer.pod("user", "user"));
        assertThat(finder.changes(SmallCluster.key("a"))).isEmpty();
    }

    @Test
    void servesChangesOfPendingClaims() throws Exception {
        cluster.upsert(withMemory("b", "96Gi"));
        cluster.setPending("b");
        try (var console = RunningConsole.start(cluster.view)) {
            assertThat(console.get("/api/v1/namespaces/default/claims/b/nearest-changes")
                            .body())
                    .contains("\"kind\": \"OTHER_VALUE\"", "memory >= 80Gi instead of 96Gi", "\"devices\": 1");
            assertThat(console.get("/api/v1/namespaces/default/claims/x/nearest-changes")
                            .statusCode())
                    .isEqualTo(404);
        }
    }
}
