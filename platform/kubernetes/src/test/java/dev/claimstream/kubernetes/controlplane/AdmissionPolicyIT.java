package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLASSES;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.DRIVER;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.PODS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.allocation;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.commit;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.consumer;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.api.PolicyRequirement;
import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Effects of {@code deploy/policies} on a real cluster. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AdmissionPolicyIT {
    private static final Path POLICIES = Path.of("..", "..", "deploy", "policies");
    private static final String FINALIZER = "resource.kubernetes.io/delete-protection";
    private static final String GATE = "claimstream.dev/allocation";
    private static final String BINDING = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/claimstream-binding";
    private static final String TEMPLATED = """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s}
            spec:
              containers: [{name: main, image: none}]
              resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
            """;

    private static final String NAMED = "{\"spec\":{\"extendedResourceName\":\"example.com/gpu\"}}";
    private static final String EXTENDED = """
            apiVersion: v1
            kind: Pod
            metadata: {name: extended}
            spec: {containers: [{name: main, image: none, resources: {limits: {deviceclass.resource.kubernetes.io/gpu.example.com: 1}}}]}
            """;

    @AutoClose
    private ControlPlane plane;

    private RawApiClient admin;
    private RawApiClient writer;

    @BeforeAll
    void start() {
        plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT);
        admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        writer = new RawApiClient(plane, ControlPlaneUser.WRITER);
        plane.createNodes(1);
        plane.startSimulatedKubelet();
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", POLICIES.toString());
        plane.kubectl(ControlPlaneUser.ADMIN, "", "label", "namespace", "default", "claimstream.dev/managed=true");
        admin.createOrThrow(CLASSES, ClaimManifests.deviceClass(DRIVER));
        admin.createOrThrow(CLASSES, ClaimManifests.deviceClass("other.example.com"));
        admin.createOrThrow(ClaimManifests.SLICES, ClaimManifests.slice("node-0000", 8));
        admin.createOrThrow("/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates", """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: gpu}
                spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
                """);
        admin.createOrThrow(CLAIMS, ClaimManifests.claim("first"));
        awaitPolicies();
    }

    /** Waits until each policy is in effect; each has its own delay. */
    private void awaitPolicies() {
        String patch = commit(admin.get(CLAIMS + "/first"), allocation("node-0000", "gpu-0"));
        String nowhere = "?dryRun=All";
        ApiPoller.await(
                admin,
                "/healthz",
                seen -> admin.patch(status("first") + "&dryRun=All", patch).status() == 403);
        ApiPoller.await(admin, "/healthz", seen -> isGated(admin.create(PODS + nowhere, TEMPLATED.formatted("first"))));
        ApiPoller.await(
                admin,
                "/healthz",
                seen -> admin.create(CLAIMS + nowhere, ClaimManifests.claim("second"))
                        .tree("metadata", "finalizers")
                        .isPresent());
        ApiPoller.await(
                admin,
                "/healthz",
                seen -> admin.create(CLAIMS + nowhere, mixedClaim()).status() == 422);
        ApiPoller.await(
                admin,
                "/healthz",
                seen -> admin.mergePatch(CLASSES + "/" + DRIVER + nowhere, NAMED)
                                .status()
                        == 422);
        ApiPoller.await(
                admin,
                "/healthz",
                seen -> admin.create(PODS + nowhere, EXTENDED).status() == 422);
    }

    @Test
    @Tag("part-3")
    void watcherListsClaimsOnlyWhileSingleWriterIsEnforced() {
        String binding =
                "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/claimstream-single-writer";
        try (var cluster = ApiCluster.open(
                ApiAccess.of(plane.kubeconfig(ControlPlaneUser.WATCHER), Optional.empty()),
                ApiScope.CONFIGURED,
                PolicyRequirement.SINGLE_WRITER)) {
            ApiPoller.await(admin, "/healthz", _ -> isListed(cluster));
            admin.delete(binding);
            assertThatThrownBy(() -> cluster.list(Kind.RESOURCE_CLAIM))
                    .hasMessageContaining("ValidatingAdmissionPolicyBinding claimstream-single-writer does not exist")
                    .hasMessageEndingWith("kubectl apply -f deploy/policies");
            plane.kubectl(
                    ControlPlaneUser.ADMIN,
                    "",
                    "apply",
                    "-f",
                    POLICIES.resolve("single-writer.yaml").toString());
            assertThat(isListed(cluster))
                    .as("listed in the moment of the policy's creation")
                    .isFalse();
            ApiPoller.await(admin, "/healthz", _ -> isListed(cluster));
            ApiResponse other = admin.createOrThrow(CLAIMS, ClaimManifests.claim("after"));
            assertThat(admin.patch(status("after"), commit(other, allocation("node-0000", "gpu-0")))
                            .status())
                    .as("the policy has its effect once claims are listed")
                    .isEqualTo(403);
        }
    }

    private static boolean isListed(ApiCluster cluster) {
        try {
            return cluster.list(Kind.RESOURCE_CLAIM).version() > 0;
        } catch (ClusterFault e) {
            return false;
        }
    }

    private static String mixedClaim() {
        return ClaimManifests.claim("mixed")
                .replace("}]}}", "}, {name: nic, exactly: {deviceClassName: other.example.com}}]}}");
    }

    private static boolean isGated(ApiResponse pod) {
        return pod.at("spec", "schedulingGates", 0, "name").equals(Optional.of(GATE));
    }

    @Test
    void podRunsFromGateToReleaseWithOneClaimWrite() {
        ApiResponse pod = admin.createOrThrow(PODS, TEMPLATED.formatted("life"));
        assertThat(isGated(pod)).isTrue();
        String name = ApiPoller.await(
                        admin, PODS + "/life", seen -> claimOf(seen).isPresent())
                .at("status", "resourceClaimStatuses", 0, "resourceClaimName")
                .orElseThrow();
        ApiResponse claim = writer.get(CLAIMS + "/" + name);
        assertThat(claim.at("metadata", "finalizers", 0)).contains(FINALIZER);
        assertThat(claim.at("metadata", "labels", "claimstream.dev/managed")).contains("true");
        ApiResponse committed = writer.patch(
                status(name), commit(claim, allocation("node-0000", "gpu-3"), consumer("life", pod.uid())));
        assertThat(committed.status()).as(committed.body()).isEqualTo(200);
        assertThat(removeGate(pod).status()).isEqualTo(200);
        ApiPoller.await(
                admin, PODS + "/life", seen -> seen.at("status", "phase").equals(Optional.of("Running")));
        assertThat(writer.get(CLAIMS + "/" + name).version()).isEqualTo(committed.version());
        assertThat(nominations(pod))
                .as("nodes that kube-scheduler names in its own write, which it leaves out if the pod is bound first")
                .allSatisfy(seen -> assertThat(seen.at("object", "status", "nominatedNodeName"))
                        .contains("node-0000"));
        assertThat(removeGate(pod).status()).as("a gate that is gone").isEqualTo(200);
        admin.delete(PODS + "/life");
        ApiPoller.await(admin, CLAIMS + "/" + name, seen -> seen.status() == 404);
    }

    /** Watch events of a pod since its creation with a nominated node but no assigned node. */
    private List<ApiResponse> nominations(ApiResponse pod) {
        return admin.get("%s?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=%s&resourceVersion=%s"
                        .formatted(PODS, pod.at("metadata", "name").orElseThrow(), pod.version()))
                .body()
                .lines()
                .map(line -> new ApiResponse(200, line))
                .filter(response ->
                        response.at("object", "status", "nominatedNodeName").isPresent())
                .filter(response -> response.at("object", "spec", "nodeName").isEmpty())
                .toList();
    }

    private static Optional<String> claimOf(ApiResponse pod) {
        return pod.at("status", "resourceClaimStatuses", 0, "resourceClaimName");
    }

    private ApiResponse removeGate(ApiResponse pod) {
        return writer.patch(
                PODS + "/" + pod.at("metadata", "name").orElseThrow(),
                "{\"metadata\":{\"uid\":\"%s\"},\"spec\":{\"schedulingGates\":[{\"$patch\":\"delete\",\"name\":\"%s\"}]}}"
                        .formatted(pod.uid(), GATE));
    }

    @Test
    void gatesOnlyPodsWithPendingClaims() {
        assertThat(admin.createOrThrow(PODS, """
                apiVersion: v1
                kind: Pod
                metadata: {name: plain}
                spec: {containers: [{name: main, image: none}]}
                """).tree("spec", "schedulingGates"))
                .isEmpty();
        assertThat(admin.createOrThrow(
                                PODS, TEMPLATED.formatted("placed").replace("spec:", "spec:\n  nodeName: node-0000"))
                        .tree("spec", "schedulingGates"))
                .isEmpty();
        ApiResponse both = admin.createOrThrow(
                PODS,
                TEMPLATED.formatted("both").replace("spec:", "spec:\n  schedulingGates: [{name: example.com/other}]"));
        assertThat(both.at("spec", "schedulingGates", 0, "name")).contains("example.com/other");
        assertThat(both.at("spec", "schedulingGates", 1, "name")).contains(GATE);
        admin.createOrThrow("/api/v1/namespaces", "{apiVersion: v1, kind: Namespace, metadata: {name: elsewhere}}");
        assertThat(admin.createOrThrow(PODS.replace("default", "elsewhere"), TEMPLATED.formatted("free"))
                        .tree("spec", "schedulingGates"))
                .isEmpty();
    }

    @Test
    void gatesAllNamespacesExceptSystemWhenConfigured() {
        String elsewhere = "/api/v1/namespaces/everywhere/pods?dryRun=All";
        String ofTheCluster = "/api/v1/namespaces/kube-system/pods?dryRun=All";
        plane.kubectl(ControlPlaneUser.ADMIN, "", "create", "namespace", "everywhere");
        assertThat(isGated(admin.create(elsewhere, TEMPLATED.formatted("any")))).isFalse();
        try {
            plane.kubectl(
                    ControlPlaneUser.ADMIN,
                    "",
                    "apply",
                    "-f",
                    POLICIES.resolve("all-namespaces").toString());
            ApiPoller.await(admin, "/healthz", seen -> isGated(admin.create(elsewhere, TEMPLATED.formatted("any"))));
            ApiResponse system = admin.create(ofTheCluster, TEMPLATED.formatted("any"));
            assertThat(system.status()).as(system.body()).isEqualTo(201);
            assertThat(isGated(system)).isFalse();
        } finally {
            plane.kubectl(
                    ControlPlaneUser.ADMIN,
                    "",
                    "apply",
                    "-f",
                    POLICIES.resolve("gate.yaml").toString());
        }
        ApiPoller.await(admin, "/healthz", seen -> !isGated(admin.create(elsewhere, TEMPLATED.formatted("any"))));
    }

    /** What a stolen token of the writer could otherwise do to every pod. */
    @Test
    void writerChangesOnlyGateAndNodeAffinityOfPod() {
        ApiResponse pod = admin.createOrThrow(
                PODS,
                TEMPLATED.formatted("kept").replace("spec:", "spec:\n  schedulingGates: [{name: example.com/other}]"));
        String path = PODS + "/kept";
        ApiPoller.await(
                admin,
                "/healthz",
                seen -> writer.patch(path + "?dryRun=All", "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}")
                                .status()
                        == 403);
        for (String patch : List.of(
                "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}",
                "{\"metadata\":{\"annotations\":{\"a\":\"b\"}}}",
                "{\"metadata\":{\"finalizers\":[\"example.com/never\"]}}",
                "{\"spec\":{\"containers\":[{\"name\":\"main\",\"image\":\"evil\"}]}}",
                "{\"spec\":{\"nodeSelector\":{\"a\":\"b\"}}}",
                "{\"spec\":{\"activeDeadlineSeconds\":1}}",
                "{\"spec\":{\"schedulingGates\":[{\"$patch\":\"delete\",\"name\":\"example.com/other\"}]}}")) {
            ApiResponse denied = writer.patch(path, patch);
            assertThat(denied.status()).as(patch + denied.body()).isEqualTo(403);
            assertThat(denied.body())
                    .as(patch)
                    .contains("the writer of Claimstream ", "exempt system:serviceaccount:claimstream:writer from it");
            assertThat(admin.patch(path + "?dryRun=All", patch).status())
                    .as("%s by an administrator", patch)
                    .isEqualTo(200);
        }
        String toleration =
                "[{\"op\":\"add\",\"path\":\"/spec/tolerations/-\",\"value\":{\"operator\":\"Exists\",\"key\":\"a\"}}]";
        assertThat(writer.jsonPatch(path, toleration).status()).isEqualTo(403);
        assertThat(admin.jsonPatch(path + "?dryRun=All", toleration).status()).isEqualTo(200);
        String pin = "{\"spec\":{\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                + "{\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\","
                + "\"values\":[\"node-0000\"]}]}]}}}}}";
        assertThat(writer.patch(path, "{\"metadata\":{\"annotations\":{\"claimstream.dev/deallocation\":\"x\"}}}")
                        .status())
                .isEqualTo(200);
        assertThat(writer.patch(path, pin).status()).isEqualTo(200);
        assertThat(removeGate(pod).status()).isEqualTo(200);
        String narrower = pin.replace(
                "\"matchFields\"", "\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}],\"matchFields\"");
        assertThat(writer.patch(path, narrower).status())
                .as("a pod without the gate of Claimstream")
                .isEqualTo(403);
        assertThat(admin.patch(path + "?dryRun=All", narrower).status())
                .as("the same by an administrator")
                .isEqualTo(200);
    }

    /** A mutating policy stands in for a webhook: the API server validates the changes of both as part of the request. */
    @Test
    void namesChangeThatWebhookAddsToRequestOfWriter() {
        String policy = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";
        String exemption = """
                  matchConditions:
                    - {name: others, expression: "request.userInfo.username != 'system:serviceaccount:claimstream:writer'"}
                """;
        String injection = """
                apiVersion: admissionregistration.k8s.io/v1
                kind: MutatingAdmissionPolicy
                metadata: {name: injection}
                spec:
                  failurePolicy: Fail
                  reinvocationPolicy: Never
                %s
                  matchConstraints:
                    resourceRules:
                      - apiGroups: [""]
                        apiVersions: [v1]
                        operations: [UPDATE]
                        resources: [pods]
                        resourceNames: [injected]
                  mutations:
                    - patchType: ApplyConfiguration
                      applyConfiguration:
                        expression: >-
                          Object{metadata: Object.metadata{annotations: {"example.com/seen": "yes"}}}
                """;
        ApiResponse pod = admin.createOrThrow(PODS, TEMPLATED.formatted("injected"));
        admin.createOrThrow(policy, injection.formatted(""));
        admin.createOrThrow(policy.replace("policies", "policybindings"), """
                apiVersion: admissionregistration.k8s.io/v1
                kind: MutatingAdmissionPolicyBinding
                metadata: {name: injection}
                spec: {policyName: injection}
                """);
        try {
            String label = "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}";
            ApiPoller.await(
                    () -> admin.patch(PODS + "/injected?dryRun=All", label),
                    answer -> answer.body().contains("example.com/seen"));
            ApiResponse denied = removeGate(pod);
            assertThat(denied.status()).as(denied.body()).isEqualTo(403);
            assertThat(denied.body())
                    .contains(
                            "changes no metadata of a pod but the annotation claimstream.dev/deallocation; rejected change of"
                                    + " annotation example.com/seen. If a mutating webhook or policy made this change, exempt"
                                    + " system:serviceaccount:claimstream:writer from it");
            plane.kubectl(ControlPlaneUser.ADMIN, injection.formatted(exemption), "apply", "-f", "-");
            ApiPoller.await(() -> removeGate(pod), answer -> answer.status() == 200);
        } finally {
            admin.delete(policy.replace("policies", "policybindings") + "/injection");
            admin.delete(policy + "/injection");
        }
    }

    @Test
    void gateCannotBeRestored() {
        ApiResponse pod = admin.createOrThrow(PODS, TEMPLATED.formatted("once"));
        removeGate(pod);
        ApiResponse rejected =
                admin.patch(PODS + "/once", "{\"spec\":{\"schedulingGates\":[{\"name\":\"%s\"}]}}".formatted(GATE));
        assertThat(rejected.status()).isEqualTo(422);
        assertThat(rejected.body()).contains("only deletion is allowed");
    }

    @Test
    void deletedGatedPodDeletesItsClaim() {
        admin.createOrThrow(PODS, TEMPLATED.formatted("early"));
        String claim = claimOf(ApiPoller.await(
                        admin, PODS + "/early", seen -> claimOf(seen).isPresent()))
                .orElseThrow();
        admin.delete(PODS + "/early");
        ApiPoller.await(admin, CLAIMS + "/" + claim, seen -> seen.status() == 404);
    }

    @Test
    void onlyWriterAllocatesManagedDevices() {
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("guarded"));
        ApiResponse denied = admin.patch(status("guarded"), commit(claim, allocation("node-0000", "gpu-1")));
        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.body())
                .contains(
                        "devices of the drivers gpu.example.com are allocated by system:serviceaccount:claimstream:writer only");
        ApiResponse foreign = admin.patch(
                status("guarded"),
                commit(claim, allocation("node-0000", "gpu-1").replace(DRIVER, "nic.example.com")));
        assertThat(foreign.status()).as("another driver").isEqualTo(200);
        assertThat(admin.patch(status("guarded"), "{\"status\":{\"allocation\":null}}")
                        .status())
                .as("clearing")
                .isEqualTo(200);
    }

    /** Counts the denied allocations of kube-scheduler for a pod. */
    private int countDenials(String pod) {
        return admin
                .get("/api/v1/namespaces/default/events?fieldSelector=reason=FailedScheduling,involvedObject.name="
                        + pod)
                .items("items")
                .stream()
                .filter(event -> event.text("message").contains("claimstream-single-writer"))
                .map(event -> event.text("series", "count"))
                .mapToInt(count -> count.isEmpty() ? 1 : Integer.parseInt(count))
                .sum();
    }

    /** The scheduler backs off for one second, then two, and so on: denied attempts do not block other pods. */
    @Test
    @Tag("part-0")
    void earlyUngatedPodIsDeniedAndBoundAfterBackoff() {
        ApiResponse pod = admin.createOrThrow(PODS, TEMPLATED.formatted("hasty"));
        String claim = claimOf(ApiPoller.await(
                        admin, PODS + "/hasty", seen -> claimOf(seen).isPresent()))
                .orElseThrow();
        long begin = System.nanoTime();
        removeGate(pod);
        String message = ApiPoller.await(
                        admin, PODS + "/hasty", seen -> seen.body().contains("SchedulerError"))
                .body();
        assertThat(message)
                .contains("ValidatingAdmissionPolicy 'claimstream-single-writer'")
                .contains("writer only");
        ApiPoller.await(() -> countDenials("hasty") >= 3, () -> countDenials("hasty") + " times denied");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofSeconds(1 + 2));
        ApiResponse late = writer.patch(
                status(claim),
                commit(
                        writer.get(CLAIMS + "/" + claim),
                        allocation("node-0000", "gpu-4"),
                        consumer("hasty", pod.uid())));
        assertThat(late.status()).as(late.body()).isEqualTo(200);
        ApiPoller.await(
                admin, PODS + "/hasty", seen -> seen.at("status", "phase").equals(Optional.of("Running")));
        assertThat(writer.get(CLAIMS + "/" + claim).version()).isEqualTo(late.version());
    }

    @Test
    void rejectsMixedClaimsAndExtendedResourceNames() {
        assertThat(admin.create(CLAIMS, mixedClaim()).body())
                .contains("claimstream-no-mixed-claims")
                .contains("make two claims of it");
        assertThat(admin.createOrThrow(CLAIMS, ClaimManifests.claim("other", "other.example.com"))
                        .tree("metadata", "finalizers"))
                .isEmpty();
        assertThat(admin.mergePatch(CLASSES + "/" + DRIVER, NAMED).body())
                .contains("claimstream-no-extended-resource-names");
        assertThat(admin.create(PODS, EXTENDED).body()).contains("put a claim into the pod");
    }

    private static String claimWithAlternatives(String name, String first, String second) {
        return ClaimManifests.claim(name)
                .replace(
                        "exactly: {deviceClassName: gpu.example.com}",
                        "firstAvailable: [{name: a, deviceClassName: %s}, {name: b, deviceClassName: %s}]"
                                .formatted(first, second));
    }

    @Test
    void policiesCoverClassesOfAlternatives() {
        String other = "other.example.com";
        ApiResponse managed = admin.createOrThrow(CLAIMS, claimWithAlternatives("managed", DRIVER, DRIVER));
        assertThat(managed.at("metadata", "finalizers", 0)).contains(FINALIZER);
        ApiResponse both = admin.create(CLAIMS, claimWithAlternatives("either", other, DRIVER));
        assertThat(both.status()).as(both.body()).isEqualTo(422);
        assertThat(both.body()).contains("claimstream-no-mixed-claims");
        assertThat(admin.createOrThrow(CLAIMS, claimWithAlternatives("unmanaged", other, other))
                        .tree("metadata", "finalizers"))
                .isEmpty();
    }

    @Test
    void bindingRightIsCheckedAtClusterScope() {
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("unbound"));
        String patch = commit(claim, allocation("node-0000", "gpu-2"));
        String dryRun = status("unbound") + "&dryRun=All";
        ApiResponse allowed = admin.get(BINDING);
        assertThat(writer.patch(dryRun, patch).status()).isEqualTo(200);
        admin.delete(BINDING);
        admin.createOrThrow("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: too-small}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: claimstream-binding}
                subjects: [{kind: ServiceAccount, name: writer, namespace: claimstream}]
                """);
        ApiResponse denied = writer.patch(dryRun, patch);
        for (int i = 0; denied.status() == 200 && i < 100; i++) {
            denied = writer.patch(dryRun, patch);
        }
        assertThat(denied.status()).isEqualTo(422);
        assertThat(denied.cause())
                .startsWith("status.allocation FieldValueForbidden")
                .contains("resource=\"resourceclaims/binding\", verb=\"patch\"");
        admin.createOrThrow(
                BINDING.substring(0, BINDING.lastIndexOf('/')),
                allowed.body().replaceAll("\"(uid|resourceVersion|creationTimestamp)\":\"[^\"]*\",?", ""));
        ApiPoller.await(admin, "/healthz", seen -> writer.patch(dryRun, patch).status() == 200);
    }

    /** Therefore a driver that writes device status needs a right that Claimstream does not have. */
    @Test
    void writerCannotWriteDeviceStatusOfDriver() {
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("reported"));
        writer.patch(status("reported"), commit(claim, allocation("node-0000", "gpu-6")));
        ApiResponse denied = writer.patch(
                status("reported"),
                "{\"status\":{\"devices\":[{\"driver\":\"%s\",\"pool\":\"node-0000\",\"device\":\"gpu-6\"}]}}"
                        .formatted(DRIVER));
        assertThat(denied.status()).as(denied.body()).isEqualTo(422);
        assertThat(denied.cause()).contains("resourceclaims/driver", "[arbitrary-node:patch");
    }

    @Test
    void rejectsPatchWithoutStatusRight() {
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("untouched"));
        ApiResponse denied = new RawApiClient(plane, ControlPlaneUser.WATCHER)
                .patch(status("untouched"), commit(claim, allocation("node-0000", "gpu-2")));
        assertThat(denied.status()).as(denied.body()).isEqualTo(403);
        assertThat(denied.at("reason")).contains("Forbidden");
        assertThat(denied.body()).contains("resourceclaims/status");
    }

    @Test
    void missingManagedConfigBlocksAllocationButNotClaims() {
        String map = "/api/v1/namespaces/claimstream/configmaps/claimstream-managed";
        ApiResponse kept = admin.get(map);
        admin.delete(map);
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("unlisted", "other.example.com"));
        ApiPoller.await(admin, "/healthz", seen -> {
            ApiResponse answer =
                    writer.patch(status("unlisted") + "&dryRun=All", commit(claim, allocation("node-0000", "gpu-2")));
            return answer.status() == 422 && answer.body().contains("no params found for policy binding");
        });
        ApiResponse unmarked = ApiPoller.await(
                () -> admin.create(CLAIMS + "?dryRun=All", ClaimManifests.claim("unmarked")),
                answer -> answer.tree("metadata", "finalizers").isEmpty());
        assertThat(unmarked.status()).as(unmarked.body()).isEqualTo(201);
        assertThat(admin.create(CLAIMS + "?dryRun=All", mixedClaim()).status())
                .as("by no policy")
                .isEqualTo(201);
        admin.createOrThrow(
                map.substring(0, map.lastIndexOf('/')),
                kept.body().replaceAll("\"(uid|resourceVersion|creationTimestamp)\":\"[^\"]*\",?", ""));
        ApiPoller.await(
                admin,
                "/healthz",
                seen -> writer.patch(
                                        status("unlisted") + "&dryRun=All",
                                        commit(claim, allocation("node-0000", "gpu-2")))
                                .status()
                        == 200);
    }

    /** Without the keys the policies add and reject nothing, except that no user allocates managed devices. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"data\":{\"writer\":null,\"classes\":null}}", "{\"data\":null}"})
    void missingKeysOfManagedConfigBlockAllocationOnly(String removal) {
        String map = "/api/v1/namespaces/claimstream/configmaps/claimstream-managed";
        admin.createOrThrow(PODS, TEMPLATED.formatted("keyless"));
        String label = "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}";
        ApiPoller.await(() -> writer.patch(PODS + "/keyless?dryRun=All", label), answer -> answer.status() == 403);
        try {
            assertThat(admin.mergePatch(map, removal).status()).isEqualTo(200);
            ApiPoller.await(() -> writer.patch(PODS + "/keyless?dryRun=All", label), answer -> answer.status() == 200);
            assertThat(plane.kubectl(
                            ControlPlaneUser.ADMIN,
                            "",
                            "label",
                            "pod",
                            "keyless",
                            "a=b",
                            "--as=system:serviceaccount:kube-system:statefulset-controller"))
                    .as("another service account")
                    .contains("labeled");
            ApiPoller.await(
                    () -> admin.create(CLAIMS + "?dryRun=All", ClaimManifests.claim("keyless")),
                    answer -> answer.status() == 201
                            && answer.tree("metadata", "finalizers").isEmpty());
            ApiPoller.await(() -> admin.create(CLAIMS + "?dryRun=All", mixedClaim()), answer -> answer.status() == 201);
            ApiPoller.await(() -> admin.create(PODS + "?dryRun=All", EXTENDED), answer -> answer.status() == 201);
            ApiPoller.await(
                    () -> admin.mergePatch(CLASSES + "/" + DRIVER + "?dryRun=All", NAMED),
                    answer -> answer.status() == 200);
            ApiResponse managed = admin.createOrThrow(CLAIMS, ClaimManifests.claim("keyless"));
            for (RawApiClient user : List.of(admin, writer)) {
                ApiPoller.await(
                        () -> user.patch(
                                status("keyless") + "&dryRun=All", commit(managed, allocation("node-0000", "gpu-7"))),
                        answer -> answer.body().contains("no such key"));
            }
        } finally {
            plane.kubectl(
                    ControlPlaneUser.ADMIN,
                    "",
                    "apply",
                    "-f",
                    POLICIES.resolve("claimstream.yaml").toString());
            admin.delete(PODS + "/keyless");
            admin.delete(CLAIMS + "/keyless");
        }
        awaitPolicies();
        ApiPoller.await(admin, CLAIMS + "/keyless", seen -> seen.status() == 404);
        ApiPoller.await(admin, PODS + "/keyless", seen -> seen.status() == 404);
    }

    @Test
    void watcherReadsAndDoesNotWrite() {
        var watcher = new RawApiClient(plane, ControlPlaneUser.WATCHER);
        for (String path : new String[] {
            CLASSES,
            ClaimManifests.SLICES,
            "/apis/resource.k8s.io/v1/resourceclaims",
            "/apis/resource.k8s.io/v1/resourceclaimtemplates",
            "/api/v1/pods",
            "/api/v1/nodes",
            "/api/v1/namespaces",
            "/api/v1/namespaces/claimstream/configmaps/claimstream-managed"
        }) {
            assertThat(watcher.get(path).status()).as(path).isEqualTo(200);
        }
        assertThat(watcher.create(CLAIMS, ClaimManifests.claim("no")).status()).isEqualTo(403);
        assertThat(watcher.get("/api/v1/secrets").status()).isEqualTo(403);
        assertThat(watcher.get("/apis/coordination.k8s.io/v1/namespaces/claimstream/leases/claimstream-log")
                        .status())
                .isEqualTo(403);
        assertThat(writer.get("/apis/coordination.k8s.io/v1/namespaces/claimstream/leases/another")
                        .status())
                .isEqualTo(403);
        assertThat(writer.get("/api/v1/namespaces/default/secrets").status()).isEqualTo(403);
        assertThat(writer.delete(CLAIMS + "/none").status()).isEqualTo(403);
    }
}
