package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.allocation;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.commit;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The API server silently drops fields whose feature gates are off. */
class DisabledFeatureGatesIT {
    private static final String GATED = """
            {"status":{"allocation":{"allocationTimestamp":"2026-10-01T10:00:00Z","devices":{"results":[{
              "request":"gpu","driver":"gpu.example.com","pool":"node-0000","device":"gpu-0",
              "tolerations":[{"key":"example.com/worn","operator":"Exists"}],
              "shareID":"8fbfb0f1-0a0e-4a3f-9b0d-57ad10a9ccd5","consumedCapacity":{"memory":"4Gi"},
              "bindingConditions":["example.com/attached"],"bindingFailureConditions":["example.com/broken"]}]}}}}""";

    private static final String WORN_CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: worn}
            spec:
              devices:
                requests:
                - name: gpu
                  exactly:
                    deviceClassName: gpu.example.com
                    tolerations: [{key: example.com/worn, operator: Exists}]
                    capacity: {requests: {memory: 4Gi}}
            """;

    private static final String WORN_DEVICE = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: worn}
            spec:
              driver: gpu.example.com
              nodeName: node-0000
              pool: {name: node-0000, generation: 1, resourceSliceCount: 1}
              devices:
              - name: gpu-0
                allowMultipleAllocations: true
                capacity: {memory: {value: 80Gi}}
                bindsToNode: true
                taints: [{key: example.com/worn, effect: NoSchedule}]
            """;

    private static final String CHOOSING = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: choosing}
            spec:
              devices:
                requests:
                - name: gpu
                  firstAvailable: [{name: a, deviceClassName: gpu.example.com}, {name: b, deviceClassName: other.example.com}]
            """;

    private static final String STATUS_ONLY = """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: status-only}
            rules: [{apiGroups: [resource.k8s.io], resources: [resourceclaims/status], verbs: [patch]}]
            """;

    private static final String TO_THE_WRITER = """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            metadata: {name: status-only}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: status-only}
            subjects: [{kind: ServiceAccount, name: writer, namespace: claimstream}]
            """;

    private static final String[] FIELDS = {
        "shareID", "consumedCapacity", "bindingConditions", "bindingFailureConditions"
    };

    @Test
    void onlyResponseShowsDroppedFields() {
        try (var plane = TestControlPlane.start(options(Gates.OFF))) {
            ApiResponse answer = patchStatus(plane);
            for (String field : FIELDS) {
                assertThat(answer.tree("status", "allocation", "devices", "results", 0, field))
                        .as(field)
                        .isEmpty();
            }
            assertThat(answer.tree("status", "allocation", "devices", "results", 0, "tolerations"))
                    .isPresent();
            assertThat(answer.at("status", "allocation", "allocationTimestamp")).contains(ClaimManifests.TIME);
            assertThat(keptFields(plane))
                    .as("fields of requests and devices")
                    .isEqualTo(is136(plane) ? List.of() : List.of("tolerations", "taints", "timeAdded"));
            ApiResponse choosing = new RawApiClient(plane, ControlPlaneUser.ADMIN).createOrThrow(CLAIMS, CHOOSING);
            assertThat(choosing.at("spec", "devices", "requests", 0, "firstAvailable", 1, "name"))
                    .contains("b");
            assertThat(patchWithStatusRightOnly(plane).status()).isEqualTo(200);
        }
    }

    @Test
    void keepsAllFieldsWithDefaultGates() {
        try (var plane = TestControlPlane.start(options(Gates.DEFAULT))) {
            ApiResponse answer = patchStatus(plane);
            for (String field : FIELDS) {
                assertThat(answer.tree("status", "allocation", "devices", "results", 0, field))
                        .as(field)
                        .isPresent();
            }
            assertThat(keptFields(plane))
                    .containsExactly(
                            "tolerations",
                            "capacity",
                            "taints",
                            "allowMultipleAllocations",
                            "bindsToNode",
                            "timeAdded");
            assertThat(patchWithStatusRightOnly(plane).cause()).contains("resourceclaims/binding");
        }
    }

    /** Patches a claim as a writer with the right to the status but not to binding. */
    private static ApiResponse patchWithStatusRightOnly(ControlPlane plane) {
        var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        String rights = "/apis/rbac.authorization.k8s.io/v1/";
        admin.createOrThrow(rights + "clusterroles", STATUS_ONLY);
        admin.createOrThrow(rights + "clusterrolebindings", TO_THE_WRITER);
        ApiResponse claim = admin.createOrThrow(CLAIMS, ClaimManifests.claim("unbound"));
        String patch = commit(claim, allocation("node-0000", "gpu-0"));
        var writer = new RawApiClient(plane, ControlPlaneUser.WRITER);
        return ApiPoller.await(() -> writer.patch(status("unbound"), patch), answer -> answer.status() != 403);
    }

    /** Device taints are generally available since 1.37. */
    private static boolean is136(ControlPlane plane) {
        return KubernetesVersion.nearest(plane.version()) == KubernetesVersion.V1_36;
    }

    /** Therefore a claim requests less while gates are off, and decisions must use the gates of the server. */
    private static List<String> keptFields(ControlPlane plane) {
        var api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        ApiResponse claim = api.createOrThrow(CLAIMS, WORN_CLAIM);
        ApiResponse slice = api.createOrThrow(ClaimManifests.SLICES, WORN_DEVICE);
        return Stream.of(
                        Stream.of("tolerations", "capacity")
                                .filter(each -> claim.tree("spec", "devices", "requests", 0, "exactly", each)
                                        .isPresent()),
                        Stream.of("taints", "allowMultipleAllocations", "bindsToNode")
                                .filter(each ->
                                        slice.tree("spec", "devices", 0, each).isPresent()),
                        Stream.of("timeAdded")
                                .filter(each -> slice.tree("spec", "devices", 0, "taints", 0, each)
                                        .isPresent()))
                .flatMap(each -> each)
                .toList();
    }

    private static ControlPlaneOptions options(Gates gates) {
        return ControlPlaneOptions.DEFAULT
                .with(gates)
                .without(ControlPlaneComponent.SCHEDULER)
                .without(ControlPlaneComponent.CONTROLLERS);
    }

    private static ApiResponse patchStatus(ControlPlane plane) {
        var api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        api.createOrThrow(CLAIMS, ClaimManifests.claim("claim"));
        ApiResponse answer = api.patch(status("claim"), GATED);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer;
    }
}
