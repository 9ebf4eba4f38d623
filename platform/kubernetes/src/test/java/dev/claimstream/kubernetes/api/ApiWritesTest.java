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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.status.Difference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes of claims and pods by the API client, and the results of each response. */
final class ApiWritesTest {
    private static final String STATUS = "PATCH " + CLAIM_PATH + "/status?";

    private static final Allocation GPU = new Allocation(
            List.of(DeviceResult.of("gpu", new DeviceId("gpu.example.com", "node-1", "gpu-0"))),
            List.of(),
            Optional.of(NodeSelector.ofNode("node-1")),
            Optional.of(Instant.parse("2026-01-01T00:00:00Z")));

    private static final StatusChange ALLOCATE =
            StatusChange.allocate(CLAIM, "u", 7, GPU, List.of(ClaimConsumer.pod("p", "up")));

    private static final String FINALIZERS = "'finalizers':['resource.kubernetes.io/delete-protection']";

    private static final String ALLOCATION = "{'allocationTimestamp':'2026-01-01T00:00:00Z','devices':{'results':["
            + "{'device':'gpu-0','driver':'gpu.example.com','pool':'node-1','request':'gpu'}]},'nodeSelector':"
            + "{'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In','values':['node-1']}]}]}}";

    private static final String CONSUMERS = "[{'name':'p','resource':'pods','uid':'up'}]";

    private final StubServer server = new StubServer();

    private final ApiCluster cluster = ApiCluster.at(server.url(), ApiScope.ALL, Duration.ofMillis(500));

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    private static String committedClaim(int version) {
        return claim(version, FINALIZERS, "{'allocation':%s,'reservedFor':%s}".formatted(ALLOCATION, CONSUMERS));
    }

    private static String withQuotes(String text) {
        return text.replace('\'', '"');
    }

    // ---- claims

    @Test
    void writesAllocationAndConsumersForOneVersion() {
        server.onRequest(STATUS, json(200, committedClaim(8)));
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.Success(8));
        assertThat(server.requests())
                .containsExactly(STATUS + "fieldValidation=Strict&fieldManager=claimstream-writer "
                        + withQuotes(
                                "{'metadata':{'uid':'u','resourceVersion':'7'},'status':{'allocation':%s,'reservedFor':%s}}"
                                        .formatted(ALLOCATION, CONSUMERS)));
    }

    @Test
    void resultHasAuditIdOfServer() {
        server.onRequest(STATUS, json(200, committedClaim(8), "Audit-Id", "5f3e"));
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.Success(8, "5f3e"));
    }

    @Test
    void allocationAlwaysHasTimestamp() {
        var timeless = new Allocation(GPU.results(), GPU.config(), GPU.nodeSelector(), Optional.empty());
        server.onRequest(STATUS, json(200, committedClaim(8)));
        assertThat(cluster.write(StatusChange.allocate(CLAIM, "u", 7, timeless, List.of())))
                .as("the stub answers with a time of its own")
                .isInstanceOfSatisfying(
                        WriteResult.SuccessWithDifferences.class,
                        altered -> assertThat(altered.differences())
                                .extracting(Difference::field)
                                .containsExactly("allocation.allocationTimestamp"));
        assertThat(server.requests().getFirst()).containsPattern("\"allocationTimestamp\":\"[-0-9]+T[:0-9]+Z\"");
    }

    @Test
    void reservationDoesNotWriteAllocation() {
        server.onRequest(STATUS, json(200, committedClaim(9)));
        assertThat(cluster.write(StatusChange.reserve(CLAIM, "u", 8, GPU, List.of(ClaimConsumer.pod("p", "up")))))
                .isEqualTo(new WriteResult.Success(9));
        assertThat(server.requests().getFirst()).doesNotContain("\"allocation\"");
    }

    @Test
    void deallocationClearsAllocationConsumersAndDevices() {
        server.onRequest(STATUS, json(200, claim(9, FINALIZERS, "{}")));
        assertThat(cluster.write(StatusChange.deallocate(CLAIM, "u", 8))).isEqualTo(new WriteResult.Success(9));
        assertThat(server.requests().getFirst())
                .endsWith("\"status\":{\"allocation\":null,\"reservedFor\":null,\"devices\":null}}");
    }

    @Test
    void invalidationAnnotatesClaimAtThatVersion() {
        server.onRequest("PATCH " + CLAIM_PATH + "?", json(200, claim(9, FINALIZERS, "{}")));
        assertThat(cluster.write(StatusChange.invalidateDecisions(CLAIM, "u", 8)))
                .isEqualTo(new WriteResult.Success(9));
        assertThat(server.requests())
                .containsExactly(
                        "PATCH " + CLAIM_PATH + "?fieldManager=claimstream-writer "
                                + withQuotes(
                                        "{'metadata':{'uid':'u','resourceVersion':'8','annotations':{'claimstream.dev/outdated-version':'8'}}}"));
    }

    @Test
    void namesFieldsThatServerDropped() {
        server.onRequest(
                STATUS, json(200, claim(8, FINALIZERS, "{'allocation':{'devices':{'results':[{'request':'gpu'}]}}}")));
        assertThat(cluster.write(ALLOCATE))
                .isInstanceOfSatisfying(
                        WriteResult.SuccessWithDifferences.class,
                        altered -> assertThat(altered.differences())
                                .extracting(Difference::field)
                                .contains("allocation.nodeSelector", "allocation.devices.results[0].device"));
    }

    @Test
    void namesFieldsChangedByWebhook() {
        server.onRequest(
                STATUS,
                json(200, committedClaim(8).replace("gpu-0", "gpu-1")),
                json(200, committedClaim(8).replace("'up'", "'uq'")),
                json(200, committedClaim(9)));
        assertThat(cluster.write(ALLOCATE))
                .isEqualTo(new WriteResult.SuccessWithDifferences(
                        8,
                        List.of(new Difference(
                                "allocation.devices.results[0].device", Optional.of("gpu-0"), Optional.of("gpu-1")))));
        assertThat(cluster.write(StatusChange.reserve(CLAIM, "u", 8, GPU, List.of(ClaimConsumer.pod("p", "up")))))
                .isInstanceOfSatisfying(
                        WriteResult.SuccessWithDifferences.class,
                        altered -> assertThat(altered.differences())
                                .extracting(Difference::field)
                                .containsExactly("reservedFor[uid=up]"));
        assertThat(cluster.write(StatusChange.deallocate(CLAIM, "u", 8)))
                .as("an allocation that stays")
                .isInstanceOf(WriteResult.SuccessWithDifferences.class);
    }

    private static String managed(String... entries) {
        return FINALIZERS + ",'managedFields':[" + String.join(",", entries) + "]";
    }

    private static String managedField(String manager, String field) {
        return "{'manager':'%s','operation':'Update','subresource':'status','fieldsV1':{'f:status':{'%s':{'.':{}}}}}"
                .formatted(manager, field);
    }

    private static StubServer.StubResponse allocatedResponse(String... entries) {
        return json(200, claim(8, managed(entries), "{'allocation':%s,'reservedFor':[]}".formatted(ALLOCATION)));
    }

    @Test
    void allocatorIsSoleManagerOfAllocation() {
        String managed = managedField("claimstream-writer", "f:allocation");
        String unmanaged = managedField("kube-scheduler", "f:allocation");
        server.onRequest(
                "GET " + CLAIM_PATH,
                allocatedResponse(managedField("kube-scheduler", "f:reservedFor"), managed),
                allocatedResponse(unmanaged),
                allocatedResponse(unmanaged, managed),
                allocatedResponse(managedField("claimstream-writer", "f:reservedFor")));
        assertThat(Stream.generate(() -> cluster.read(CLAIM).orElseThrow().allocatedBy())
                        .limit(4))
                .containsExactly(
                        Optional.of("claimstream-writer"),
                        Optional.of("kube-scheduler"),
                        Optional.empty(),
                        Optional.empty());
    }

    @Test
    void passesErrorsOnWithoutRetry() {
        server.onRequest(
                STATUS,
                json(409, "{'kind':'Status'}"),
                json(500, "{'kind':'Status','message':'no'}"),
                json(429, "{'kind':'Status','message':'later'}", "Retry-After", "3"));
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.Conflict());
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.Unknown("HTTP 500: no"));
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.TooManyRequests("later", Duration.ofSeconds(3)));
        assertThat(server.requests()).hasSize(3);
    }

    @Test
    void throttlesOnlyRequestsOfRetryAfter() throws InterruptedException {
        server.onRequest("GET " + CLAIM_PATH, json(200, claim(7, FINALIZERS, "{}")))
                .onRequest(
                        STATUS,
                        json(429, "{'kind':'Status','message':'later'}", "Retry-After", "1"),
                        json(200, committedClaim(8)));
        long before = System.nanoTime();
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.TooManyRequests("later", Duration.ofSeconds(1)));
        assertThat(cluster.read(CLAIM)).isPresent();
        WriteResult result = cluster.write(ALLOCATE);
        while (result instanceof WriteResult.TooManyRequests(String reason, Duration pause)) {
            assertThat(reason).contains("asks to delay PATCH");
            assertThat(pause).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1));
            TimeUnit.NANOSECONDS.sleep(pause.toNanos());
            result = cluster.write(ALLOCATE);
        }
        assertThat(result).isEqualTo(new WriteResult.Success(8));
        assertThat(System.nanoTime() - before)
                .isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(server.requests()).hasSize(3);
    }

    @Test
    void limitsRetryAfterToOneMinute() {
        server.onRequest("GET " + CLAIM_PATH, json(429, "{'kind':'Status','message':'later'}", "Retry-After", "86400"));
        assertThatThrownBy(() -> cluster.read(CLAIM))
                .isInstanceOfSatisfying(
                        ClusterFault.class,
                        fault -> assertThat(fault.retryAfter()).isEqualTo(Duration.ofMinutes(1)));
    }

    @Test
    void lostResponseIsUnknownAndNotRetried() {
        server.onRequest(STATUS, connectionLoss(), server.noResponse());
        assertThat(cluster.write(ALLOCATE)).isInstanceOf(WriteResult.Unknown.class);
        assertThat(cluster.write(ALLOCATE)).isInstanceOf(WriteResult.Unknown.class);
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void addsMissingFinalizerBeforeAllocation() {
        server.onRequest("GET " + CLAIM_PATH, json(200, claim(7, "", "{}")))
                .onRequest("PATCH " + CLAIM_PATH + "?", json(200, claim(8, FINALIZERS, "{}")))
                .onRequest(STATUS, json(200, committedClaim(9)));
        assertThat(cluster.read(CLAIM).orElseThrow().version()).isEqualTo(7);
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.Success(9));
        assertThat(server.requests().get(1)).contains("\"resourceVersion\":\"7\"", "delete-protection");
        assertThat(server.requests().get(2)).contains("\"resourceVersion\":\"8\"");
    }

    @Test
    void writesClaimWithFinalizerOnce() {
        server.onRequest("GET " + CLAIM_PATH, json(200, claim(7, FINALIZERS, "{}")))
                .onRequest(STATUS, json(200, committedClaim(8)));
        assertThat(cluster.read(CLAIM)).isPresent();
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.Success(8));
        assertThat(server.requests()).hasSize(2);
    }

    @Test
    void missingClaimIsAbsentAndUnavailableServerIsFault() {
        assertThat(cluster.read(CLAIM)).isEmpty();
        server.onRequest("GET " + CLAIM_PATH, json(503, "{'kind':'Status','message':'starting'}"));
        assertThatThrownBy(() -> cluster.read(CLAIM))
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining("starting");
    }

    @Test
    void readsClassWithParametersAndNamesClassWithoutPermission() {
        String path = "GET /apis/resource.k8s.io/v1/deviceclasses/gpu.example.com";
        assertThat(cluster.readClass("gpu.example.com")).isEmpty();
        server.onRequest(
                path,
                json(
                        200,
                        "{'metadata':{'name':'gpu.example.com','resourceVersion':'12'},'spec':{'config':[{'opaque':"
                                + "{'driver':'gpu.example.com','parameters':{'kind':'A'}}}]}}"),
                json(403, "{'kind':'Status','message':'deviceclasses is forbidden'}"));
        assertThat(cluster.readClass("gpu.example.com")).hasValueSatisfying(each -> {
            assertThat(each.version()).isEqualTo(12);
            assertThat(((DeviceClass) each.object()).config())
                    .containsExactly(new OpaqueConfig("gpu.example.com", "{\"kind\":\"A\"}"));
        });
        assertThatThrownBy(() -> cluster.readClass("gpu.example.com"))
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining(
                        "DeviceClass gpu.example.com", "deviceclasses is forbidden", "rights-of-the-writer");
    }

    // ---- pods

    @Test
    void removesOnlyAllocationGate() {
        server.onRequest(
                        "GET " + POD_PATH, json(200, pod(",'schedulingGates':[{'name':'claimstream.dev/allocation'}]")))
                .onRequest("PATCH " + POD_PATH, json(200, pod("")));
        var pod = cluster.readPod(POD).orElseThrow();
        assertThat(pod.isGated()).isTrue();
        assertThat(pod.pod().mayPreempt()).isFalse();
        assertThat(cluster.removeGate(pod, Optional.empty())).isEqualTo(new WriteResult.Success(5));
        assertThat(server.requests().getLast())
                .endsWith(withQuotes(
                        "{'metadata':{'uid':'up','resourceVersion':'5'},'spec':{'schedulingGates':[{'$patch':'delete',"
                                + "'name':'claimstream.dev/allocation'}]}}"));
    }

    @Test
    void ungatingRemovesDeallocationAnnotation() {
        server.onRequest(
                        "GET " + POD_PATH,
                        json(
                                200,
                                pod(",'schedulingGates':[{'name':'claimstream.dev/allocation'}]")
                                        .replace(
                                                "'uid':'up'",
                                                "'uid':'up','annotations':{'claimstream.dev/deallocation':'u 5'}")))
                .onRequest("PATCH " + POD_PATH, json(200, pod("")));
        var pod = cluster.readPod(POD).orElseThrow();
        assertThat(cluster.markDeallocation(pod, "u 6")).isEqualTo(new WriteResult.Success(5));
        assertThat(server.requests().getLast())
                .endsWith(withQuotes("{'metadata':{'uid':'up','resourceVersion':'5','annotations':{"
                        + "'claimstream.dev/deallocation':'u 6'}}}"));
        assertThat(cluster.removeGate(pod, Optional.empty())).isEqualTo(new WriteResult.Success(5));
        assertThat(server.requests().getLast())
                .contains(withQuotes("'annotations':{'claimstream.dev/deallocation':null}"));
    }

    @Test
    void setsAndRemovesMarkAtVersionRead() {
        server.onRequest("GET " + CLAIM_PATH, json(200, claim(8, FINALIZERS, "{}")))
                .onRequest("PATCH " + CLAIM_PATH + "?", json(200, claim(9, FINALIZERS, "{}")));
        var claim = cluster.read(CLAIM).orElseThrow();
        assertThat(cluster.setDeallocationMark(claim, Optional.of("5"))).isEqualTo(new WriteResult.Success(9));
        assertThat(server.requests().getLast())
                .endsWith(withQuotes("{'metadata':{'uid':'u','resourceVersion':'8','annotations':{"
                        + "'claimstream.dev/deallocation':'5'}}}"));
        assertThat(cluster.setDeallocationMark(claim, Optional.empty())).isEqualTo(new WriteResult.Success(9));
        assertThat(server.requests().getLast())
                .contains(withQuotes("'annotations':{'claimstream.dev/deallocation':null}"));
    }

    @Test
    void podWithOtherGateIsNotGated() {
        server.onRequest("GET " + POD_PATH, json(200, pod(",'schedulingGates':[{'name':'kueue.x-k8s.io/admission'}]")));
        assertThat(cluster.readPod(POD).orElseThrow().isGated()).isFalse();
    }

    @Test
    void readsPreemptionOfPod() {
        server.onRequest(
                "GET " + POD_PATH,
                json(200, pod(",'priority':100,'preemptionPolicy':'PreemptLowerPriority'")),
                json(200, pod(",'priority':100,'preemptionPolicy':'Never'")),
                json(200, pod(",'priority':0,'preemptionPolicy':'PreemptLowerPriority'")));
        assertThat(cluster.readPod(POD).orElseThrow().pod().mayPreempt()).isTrue();
        assertThat(cluster.readPod(POD).orElseThrow().pod().mayPreempt()).isFalse();
        assertThat(cluster.readPod(POD).orElseThrow().pod().mayPreempt()).isFalse();
    }

    @Test
    void pinsPodInEveryAffinityTerm() {
        server.onRequest(
                        "GET " + POD_PATH,
                        json(
                                200,
                                pod(",'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
                                        + "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone','operator':'In','values':['a']}]},"
                                        + "{'matchExpressions':[{'key':'ssd','operator':'Exists'}]}]}}}")))
                .onRequest("PATCH " + POD_PATH, json(200, pod("")));
        cluster.removeGate(cluster.readPod(POD).orElseThrow(), Optional.of("node-1"));
        String node = "'matchFields':[{'key':'metadata.name','operator':'In','values':['node-1']}]";
        assertThat(server.requests().getLast())
                .contains("\"resourceVersion\":\"5\"")
                .contains(withQuotes(
                        "'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone','operator':'In','values':['a']}],"
                                + node + "},{'matchExpressions':[{'key':'ssd','operator':'Exists'}]," + node + "}]"));
    }

    // ---- gated pods

    @Test
    void listsGatedPodsOfNamespacePageByPage() {
        String gated = pod(",'schedulingGates':[{'name':'claimstream.dev/allocation'}]");
        String unmanaged = pod(",'schedulingGates':[{'name':'example.com/unmanaged'}]");
        server.onRequest(
                "GET /api/v1/namespaces/team/pods?",
                json(200, "{'metadata':{'resourceVersion':'9','continue':'more'},'items':[%s]}".formatted(unmanaged)),
                json(200, "{'metadata':{'resourceVersion':'9'},'items':[%s]}".formatted(gated)),
                json(403, "{'kind':'Status','message':'no'}"));
        assertThat(cluster.listGatedPods("team"))
                .singleElement()
                .matches(found -> found.isGated() && found.pod().isGated());
        assertThat(server.requests().get(1)).contains("continue=more");
        assertThatThrownBy(() -> cluster.listGatedPods("team"))
                .hasMessage("the pods of namespace team cannot be listed: no: allow list of pods");
    }

    // ---- managed classes

    private static final String CLASSES = "{'metadata':{'resourceVersion':'9'},'items':["
            + "{'metadata':{'name':'gpu.example.com','uid':'1','resourceVersion':'3'},'spec':{}},"
            + "{'metadata':{'name':'unmanaged.example.com','uid':'2','resourceVersion':'4'},'spec':{}}]}";

    private ApiCluster openConfigured(StubServer.StubResponse... responses) {
        server.onRequest(MANAGED, responses)
                .onRequest("GET " + CLAIM_PATH, json(200, claim(7, FINALIZERS, "{}")))
                .onRequest("GET /apis/resource.k8s.io/v1/deviceclasses?limit", json(200, CLASSES));
        return ApiCluster.at(server.url(), ApiScope.CONFIGURED, Duration.ofSeconds(5));
    }

    private static boolean isManaged(ApiCluster cluster) {
        return cluster.isManaged(
                (ResourceClaim) cluster.read(CLAIM).orElseThrow().object());
    }

    @Test
    void managesOnlyConfiguredClasses() {
        try (var strict = openConfigured(
                json(200, managedConfig("tpu.example.com, gpu.example.com")), json(200, managedConfig("")))) {
            assertThat(strict.list(Kind.DEVICE_CLASS).objects())
                    .extracting(
                            each -> each.object().meta().name() + " by " + ((DeviceClass) each.object()).allocator())
                    .containsExactly("gpu.example.com by CLAIMSTREAM", "unmanaged.example.com by OTHERS");
            assertThat(strict.problem()).isEmpty();
            assertThat(isManaged(strict)).isFalse(); // the config names no class any more
            assertThat(strict.problem().orElseThrow()).contains("no device class is managed", "claimstream-managed");
        }
    }

    @Test
    void keepsManagedClassesWhenConfigIsUnreadable() {
        try (var strict = openConfigured(
                json(200, managedConfig("gpu.example.com")),
                json(404, "{'kind':'Status'}"),
                json(200, "{'kind':'ConfigMap','data':{'drivers':'gpu.example.com'}}"),
                json(403, "{'kind':'Status','message':'User w cannot get it'}"),
                json(200, managedConfig("tpu.example.com")))) {
            strict.list(Kind.DEVICE_CLASS);
            for (String reason :
                    List.of("does not exist: restore it", "has no classes", "User w cannot get it: allow get")) {
                assertThat(isManaged(strict)).isTrue();
                assertThat(strict.problem().orElseThrow()).contains("the last configured classes stay managed", reason);
            }
            assertThat(isManaged(strict)).isFalse();
            assertThat(strict.problem()).isEmpty();
        }
    }

    @Test
    void managesNothingWithoutConfig() {
        try (var strict = openConfigured(json(404, "{'kind':'Status'}"))) {
            strict.list(Kind.DEVICE_CLASS);
            assertThat(isManaged(strict)).isFalse();
            assertThat(strict.problem().orElseThrow()).contains("no device class is managed");
        }
    }

    // ---- cache of the watch

    @Test
    void readsFromCacheUntilObjectIsWritten() {
        String items = "{'metadata':{'resourceVersion':'9'},'items':[%s]}";
        String gated = pod(",'schedulingGates':[{'name':'claimstream.dev/allocation'}]");
        server.onRequest(
                        "GET /apis/resource.k8s.io/v1/resourceclaims?",
                        json(200, items.formatted(claim(7, FINALIZERS, "{}"))))
                .onRequest("GET /api/v1/pods?", json(200, items.formatted(gated)))
                .onRequest("GET " + CLAIM_PATH, json(200, claim(8, FINALIZERS, "{}")))
                .onRequest("GET " + POD_PATH, json(200, gated))
                .onRequest("PATCH " + POD_PATH, json(200, pod("")))
                .onRequest(STATUS, json(409, "{'kind':'Status'}"));
        cluster.list(Kind.RESOURCE_CLAIM);
        cluster.list(Kind.POD);
        assertThat(cluster.readCached(CLAIM, "u").orElseThrow().version()).isEqualTo(7);
        assertThat(cluster.readCachedPod(POD, "up").orElseThrow().isGated()).isTrue();
        assertThat(server.requests()).hasSize(2);
        assertThat(cluster.readCached(CLAIM, "another").orElseThrow().version()).isEqualTo(8);
        assertThat(cluster.readCachedPod(POD, "another")).isPresent();
        assertThat(server.requests()).hasSize(4);
        assertThat(cluster.write(ALLOCATE)).isEqualTo(new WriteResult.Conflict());
        assertThat(cluster.readCached(CLAIM, "u").orElseThrow().version()).isEqualTo(8);
        cluster.removeGate(cluster.readCachedPod(POD, "up").orElseThrow(), Optional.empty());
        cluster.readCachedPod(POD, "up");
        assertThat(server.requests()).hasSize(8);
    }
}
