package dev.claimstream.kubernetes.api;

import static dev.claimstream.kubernetes.api.ApiSamples.CLAIM;
import static dev.claimstream.kubernetes.api.ApiSamples.CLAIM_PATH;
import static dev.claimstream.kubernetes.api.ApiSamples.MANAGED;
import static dev.claimstream.kubernetes.api.ApiSamples.POD;
import static dev.claimstream.kubernetes.api.ApiSamples.POD_PATH;
import static dev.claimstream.kubernetes.api.ApiSamples.claim;
import static dev.claimstream.kubernetes.api.ApiSamples.managedConfig;
import static dev.claimstream.kubernetes.api.ApiSamples.pod;
import static dev.claimstream.kubernetes.api.StubServer.connectionLoss;
import static dev.claimstream.kubernetes.api.StubServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.EventRecorder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that the API client writes, and the results of each response. */
final class ApiEventsTest {
    private static final EventRecorder.KubernetesEvent EVENT = new EventRecorder.KubernetesEvent(
            "pod team/p DevicesInUse 3",
            EventRecorder.EventTarget.POD,
            POD,
            Optional.of(CLAIM),
            "DevicesInUse",
            "x".repeat(3000));

    private final StubServer server = new StubServer();

    private final ApiCluster cluster = ApiCluster.at(server.url(), ApiScope.ALL, Duration.ofMillis(500));

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    @Test
    void repeatedEventOfPodHasSameName() {
        server.onRequest("GET " + POD_PATH, json(200, pod("")))
                .onRequest("GET " + CLAIM_PATH, json(200, claim(7, "", "{}")))
                .onRequest("POST /apis/events.k8s.io", json(201, "{}"));
        assertThat(cluster.emit(EVENT)).isTrue();
        assertThat(cluster.emit(EVENT)).isTrue();
        List<String> events = server.requests().stream()
                .filter(each -> each.startsWith("POST"))
                .toList();
        assertThat(events).hasSize(2);
        assertThat(events.getFirst())
                .startsWith("POST /apis/events.k8s.io/v1/namespaces/team/events?")
                .contains(
                        "\"reason\":\"DevicesInUse\"",
                        "\"action\":\"Allocate\"",
                        "\"reportingController\":\"claimstream.dev/writer\"",
                        "\"reportingInstance\":\"claimstream-writer\"",
                        "\"type\":\"Warning\"",
                        "\"kind\":\"Pod\"",
                        "\"uid\":\"up\"",
                        "\"related\":",
                        "\"uid\":\"u\"")
                .containsPattern("\"name\":\"p\\.[-0-9a-f]{13}\"")
                .hasSizeLessThan(2000);
        assertThat(events.get(0).replaceAll("eventTime\":\"[^\"]*", ""))
                .isEqualTo(events.get(1).replaceAll("eventTime\":\"[^\"]*", ""));
    }

    @Test
    void emitsDeviceLostForClaimAndItsPods() {
        String status = "{'reservedFor':[{'resource':'pods','name':'p','uid':'up'}],'allocation':{'devices':{}}}";
        server.onRequest("GET " + CLAIM_PATH, json(200, claim(7, "", status)))
                .onRequest("POST /apis/events.k8s.io", json(201, "{}"));
        var note = new EventRecorder.KubernetesEvent(
                "team/a DeviceLost 3",
                EventRecorder.EventTarget.CLAIM_AND_PODS,
                CLAIM,
                Optional.of(CLAIM),
                "DeviceLost",
                "claim a holds what is gone");
        assertThat(cluster.emit(note)).isTrue();
        List<String> events = server.requests().stream()
                .filter(each -> each.startsWith("POST"))
                .toList();
        assertThat(events).hasSize(2);
        assertThat(events.getFirst())
                .contains("\"kind\":\"ResourceClaim\"", "\"reason\":\"DeviceLost\"", "\"action\":\"Monitor\"");
        assertThat(events.getLast()).contains("\"kind\":\"Pod\"", "\"uid\":\"up\"", "\"related\":");
    }

    @Test
    void emitsNoPendingEventForAllocatedClaim() {
        server.onRequest("GET " + CLAIM_PATH, json(200, claim(7, "", "{'allocation':{'devices':{}}}")));
        var note = new EventRecorder.KubernetesEvent(
                "pod team/p ClaimMissing 3 of team/a",
                EventRecorder.EventTarget.CLAIM,
                CLAIM,
                Optional.of(CLAIM),
                "ClaimMissing",
                "pod p: claim b does not exist");
        assertThat(cluster.emit(note)).isTrue();
        assertThat(server.requests()).noneMatch(each -> each.startsWith("POST"));
    }

    @Test
    void eventWithoutResponseIsRetried() {
        server.onRequest("GET " + CLAIM_PATH, json(503, "{}"), json(200, claim(7, "", "{}")))
                .onRequest("GET " + POD_PATH, json(200, pod("")))
                .onRequest(
                        "POST /apis/events.k8s.io",
                        connectionLoss(),
                        json(429, "{}"),
                        json(500, "{}"),
                        json(409, "{}"));
        for (int faults = 0; faults < 4; faults++) {
            assertThat(cluster.emit(EVENT)).isFalse();
        }
        assertThat(cluster.emit(EVENT)).isTrue();
    }

    @Test
    void rejectedEventOrEventWithoutTargetIsNotRetried() {
        server.onRequest("GET " + CLAIM_PATH, json(200, claim(7, "", "{}")))
                .onRequest("GET " + POD_PATH, json(200, pod("")), json(404, "{}"))
                .onRequest("POST /apis/events.k8s.io", json(403, "{'kind':'Status','message':'no'}"));
        assertThat(cluster.emit(EVENT)).isTrue();
        assertThat(cluster.emit(EVENT)).isTrue();
    }

    /** The pod uses claim {@code a}, which has the class given here, and claim {@code b}, which does not exist. */
    @ParameterizedTest
    @CsvSource({
        "claimstream.dev/allocation, gpu.example.com,   true",
        "claimstream.dev/allocation, '',                true",
        "example.com/unmanaged,         gpu.example.com,   true",
        "example.com/unmanaged,         '',                false",
        "example.com/unmanaged,         unmanaged.example.com, false",
        "claimstream.dev/allocation, unmanaged.example.com, true",
    })
    void emitsMissingClaimEventOnlyForManagedPods(String gate, String deviceClass, boolean isEmitted) {
        String claims = ",'resourceClaims':[{'name':'x','resourceClaimName':'a'},{'name':'y','resourceClaimName':'b'}]";
        server.onRequest(
                        "GET " + POD_PATH,
                        json(200, pod(",'schedulingGates':[{'name':'%s'}]%s".formatted(gate, claims))))
                .onRequest(MANAGED, json(200, managedConfig("gpu.example.com")))
                .onRequest(
                        "GET " + CLAIM_PATH, deviceClass.isEmpty() ? json(404, "{}") : json(200, claimOf(deviceClass)))
                .onRequest("GET /apis/resource.k8s.io/v1/namespaces/team/resourceclaims/b", json(404, "{}"))
                .onRequest("POST /apis/events.k8s.io", json(201, "{}"));
        try (var strict = ApiCluster.at(server.url(), ApiScope.CONFIGURED, Duration.ofSeconds(5))) {
            assertThat(strict.emit(new EventRecorder.KubernetesEvent(
                            "pod team/p ClaimMissing 3",
                            EventRecorder.EventTarget.POD,
                            POD,
                            Optional.of(new ObjectKey("team", "b")),
                            "ClaimMissing",
                            "claim b: it does not exist")))
                    .isTrue();
        }
        assertThat(server.requests().stream().anyMatch(each -> each.startsWith("POST")))
                .isEqualTo(isEmitted);
    }

    /** The writer removes the gate of such a pod unless a claim is missing. */
    @Test
    void emitsNoEventForPodWithOnlyUnmanagedClaims() {
        String gated =
                ",'schedulingGates':[{'name':'claimstream.dev/allocation'}],'resourceClaims':[{'name':'x','resourceClaimName':'a'}]";
        server.onRequest("GET " + POD_PATH, json(200, pod(gated)))
                .onRequest(MANAGED, json(200, managedConfig("gpu.example.com")))
                .onRequest("GET " + CLAIM_PATH, json(200, claimOf("unmanaged.example.com")));
        try (var strict = ApiCluster.at(server.url(), ApiScope.CONFIGURED, Duration.ofSeconds(5))) {
            assertThat(strict.emit(EVENT)).isTrue();
        }
        assertThat(server.requests()).noneMatch(each -> each.startsWith("POST"));
    }

    private static String claimOf(String deviceClass) {
        return claim(7, "", "{}").replace("gpu.example.com", deviceClass);
    }
}
