package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.allocation;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.commit;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.consumer;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.status;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.unconditionalPatch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;

/** Strategic merge patches of a claim's status on an API server without controllers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StatusPatchIT {
    private static final String ALLOCATION = allocation("node-0000", "gpu-0");
    private static final String POD = consumer("pod", "11111111-1111-1111-1111-111111111111");
    private static final String OTHER_POD = consumer("other", "22222222-2222-2222-2222-222222222222");

    @AutoClose
    private ControlPlane plane;

    private RawApiClient api;
    private String name = "";
    private ApiResponse pendingClaim;

    @BeforeAll
    void start() {
        plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT
                .without(ControlPlaneComponent.SCHEDULER)
                .without(ControlPlaneComponent.CONTROLLERS));
        api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
    }

    @BeforeEach
    void claim(TestInfo test) {
        name = "c" + Integer.toUnsignedString(test.getDisplayName().hashCode());
        pendingClaim = api.createOrThrow(CLAIMS, ClaimManifests.claim(name));
    }

    private ApiResponse patch(String body) {
        return api.patch(status(name), body);
    }

    private void allocate() {
        assertThat(patch(commit(pendingClaim, ALLOCATION, POD)).status()).isEqualTo(200);
    }

    private ApiResponse currentClaim() {
        return api.get(CLAIMS + "/" + name);
    }

    @Test
    void changedClaimAndRepeatedPatchAreConflicts() {
        allocate();
        assertThat(patch(commit(pendingClaim, ALLOCATION, POD)).status()).isEqualTo(409);
        assertThat(patch(commit(pendingClaim, allocation("node-0001", "gpu-1"), POD))
                        .status())
                .isEqualTo(409);
    }

    @Test
    void otherUidIsInvalid() {
        String other = commit(pendingClaim, ALLOCATION, POD)
                .replace(pendingClaim.uid(), "33333333-3333-3333-3333-333333333333");
        String withoutVersion = other.replaceAll(",\"resourceVersion\":\"[0-9]*\"", "");
        assertThat(withoutVersion).isNotEqualTo(other);
        for (String body : List.of(other, withoutVersion)) {
            ApiResponse answer = patch(body);
            assertThat(answer.status()).as(body).isEqualTo(422);
            assertThat(answer.cause())
                    .startsWith("metadata.uid FieldValueInvalid")
                    .endsWith("field is immutable");
        }
    }

    @Test
    void repeatedPatchWritesNothing() {
        allocate();
        ApiResponse once = currentClaim();
        assertThat(patch(unconditionalPatch(ALLOCATION, POD)).version()).isEqualTo(once.version());
        assertThat(patch(commit(once, ALLOCATION, POD)).version()).isEqualTo(once.version());
    }

    @Test
    void patchWithoutVersionRestoresDroppedReservation() {
        allocate();
        assertThat(patch("{\"status\":{\"reservedFor\":null}}").tree("status", "reservedFor"))
                .isEmpty();
        assertThat(patch(unconditionalPatch(ALLOCATION, POD)).at("status", "reservedFor", 0, "name"))
                .contains("pod");
    }

    @Test
    void allocationIsImmutable() {
        allocate();
        for (String other : new String[] {
            allocation("node-0001", "gpu-1"),
            allocation("node-0000", "gpu-0", "2026-10-01T10:00:01Z"),
            "{\"devices\":{\"config\":[]},\"nodeSelector\":null}"
        }) {
            ApiResponse answer = patch(unconditionalPatch(other, POD));
            assertThat(answer.status()).as(other).isEqualTo(422);
            assertThat(answer.cause())
                    .startsWith("status.allocation ")
                    .matches(".*(field is immutable|field cannot be modified once set)"); // 1.36, 1.37
        }
    }

    /** Therefore the writer can identify its own decision after a lost response. */
    @Test
    void fieldManagerIdentifiesWriterAfterMutation() {
        api.createOrThrow("/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies", """
                apiVersion: admissionregistration.k8s.io/v1
                kind: MutatingAdmissionPolicy
                metadata: {name: meddler}
                spec:
                  failurePolicy: Fail
                  reinvocationPolicy: Never
                  matchConstraints:
                    resourceRules:
                    - {apiGroups: [resource.k8s.io], apiVersions: ["*"], operations: [UPDATE], resources: [resourceclaims/status]}
                  matchConditions:
                  - {name: its, expression: "object.metadata.name == '%s' && has(object.status.allocation)"}
                  mutations:
                  - patchType: JSONPatch
                    jsonPatch:
                      expression: '[JSONPatch{op: "replace", path: "/status/allocation/devices/results/0/device", value: "other"}]'
                """.formatted(name));
        api.createOrThrow("/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings", """
                apiVersion: admissionregistration.k8s.io/v1
                kind: MutatingAdmissionPolicyBinding
                metadata: {name: meddler}
                spec: {policyName: meddler}
                """);
        String write = CLAIMS + "/" + name + "/status?fieldManager=" + ClaimStatusClient.WRITER;
        ApiPoller.await(
                () -> api.patch(write + "&dryRun=All", commit(pendingClaim, ALLOCATION, POD)), StatusPatchIT::isOther);
        assertThat(api.patch(write, commit(pendingClaim, ALLOCATION, POD))).matches(StatusPatchIT::isOther);
        assertThat(allocatedBy()).contains(ClaimStatusClient.WRITER);
        assertThat(patch("{\"status\":{\"reservedFor\":[%s]}}".formatted(OTHER_POD))
                        .status())
                .isEqualTo(200);
        assertThat(allocatedBy()).as("a consumer more is no decision").contains(ClaimStatusClient.WRITER);
        assertThat(patch("{\"status\":{\"allocation\":null,\"reservedFor\":null}}")
                        .status())
                .isEqualTo(200);
        assertThat(allocatedBy()).isEmpty();
        assertThat(patch(unconditionalPatch(ALLOCATION, POD))).matches(StatusPatchIT::isOther);
        assertThat(allocatedBy()).contains("writer");
    }

    private static boolean isOther(ApiResponse answer) {
        return answer.at("status", "allocation", "devices", "results", 0, "device")
                .equals(Optional.of("other"));
    }

    private Optional<String> allocatedBy() {
        try (var cluster = ApiCluster.open(
                ApiAccess.of(plane.kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.CONFIGURED)) {
            return cluster.read(new ObjectKey("default", name)).orElseThrow().allocatedBy();
        }
    }

    @Test
    void mergesAndRemovesConsumersOneByOne() {
        allocate();
        ApiResponse both = patch("{\"status\":{\"reservedFor\":[%s]}}".formatted(OTHER_POD));
        assertThat(both.at("status", "reservedFor", 0, "name")).contains("other");
        assertThat(both.at("status", "reservedFor", 1, "name")).contains("pod");
        String without =
                "{\"status\":{\"reservedFor\":[{\"$patch\":\"delete\",\"uid\":\"11111111-1111-1111-1111-111111111111\"}]}}";
        ApiResponse less = patch(without);
        assertThat(less.at("status", "reservedFor", 0, "name")).contains("other");
        assertThat(less.tree("status", "reservedFor", 1)).isEmpty();
        ApiResponse again = patch(without);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.version()).as("one that is gone").isEqualTo(less.version());
        ApiResponse replaced = api.mergePatch(status(name), "{\"status\":{\"reservedFor\":[%s]}}".formatted(POD));
        assertThat(replaced.at("status", "reservedFor", 0, "name")).contains("pod");
        assertThat(replaced.tree("status", "reservedFor", 1)).isEmpty();
    }

    @Test
    void clearingAllocationRequiresClearingConsumers() {
        allocate();
        ApiResponse rejected = patch("{\"status\":{\"allocation\":null}}");
        assertThat(rejected.status()).isEqualTo(422);
        assertThat(rejected.cause()).startsWith("status.reservedFor FieldValueForbidden");
        ApiResponse cleared = patch("{\"status\":{\"allocation\":null,\"reservedFor\":null}}");
        assertThat(cleared.status()).isEqualTo(200);
        assertThat(cleared.tree("status", "allocation")).isEmpty();
    }

    @Test
    void unknownFieldIsInvalid() {
        ApiResponse answer = patch("{\"status\":{\"devises\":[]}}");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.cause()).startsWith("patch ").contains("unknown field \"status.devises\"");
    }

    @Test
    void terminatingClaimAcceptsNoConsumer() {
        api.mergePatch(
                CLAIMS + "/" + name, "{\"metadata\":{\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]}}");
        api.delete(CLAIMS + "/" + name);
        ApiResponse rejected = patch(unconditionalPatch(ALLOCATION, POD));
        assertThat(rejected.status()).isEqualTo(422);
        assertThat(rejected.body())
                .contains("new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
        assertThat(patch("{\"status\":{\"allocation\":%s}}".formatted(ALLOCATION))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void serverDoesNotCheckDevices() {
        allocate();
        ApiResponse other = api.createOrThrow(CLAIMS, ClaimManifests.claim(name + "-other"));
        assertThat(api.patch(status(name + "-other"), commit(other, ALLOCATION, OTHER_POD))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void statusPatchSilentlyIgnoresFinalizers() {
        ApiResponse answer = patch(
                "{\"metadata\":{\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]},\"status\":{\"allocation\":%s}}"
                        .formatted(ALLOCATION));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.tree("metadata", "finalizers")).isEmpty();
    }

    @Test
    void truncatesFractionOfSecond() {
        assertThat(patch(commit(pendingClaim, allocation("node-0000", "gpu-0", "2026-10-01T10:00:00.987Z"), POD))
                        .at("status", "allocation", "allocationTimestamp"))
                .contains("2026-10-01T10:00:00Z");
    }

    @Test
    void putWithoutVersionOverwrites() {
        allocate();
        ApiResponse answer = api.put(CLAIMS + "/" + name + "/status", """
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"%s"},
                 "spec":{"devices":{"requests":[{"name":"gpu","exactly":{"deviceClassName":"%s"}}]}},"status":{}}""".formatted(name, ClaimManifests.DRIVER));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.tree("status", "allocation")).isEmpty();
    }

    @Test
    void consumerRequiresName() {
        ApiResponse answer = patch(commit(pendingClaim, ALLOCATION, POD.replace("\"pod\"", "\"\"")));
        assertThat(answer.status()).as(answer.body()).isEqualTo(422);
        assertThat(answer.cause()).startsWith("status.reservedFor[0].name FieldValueRequired");
    }

    /** Therefore the writer patches: an apply conflict names the fields of earlier managers, not a version. */
    @Test
    void applyByOtherManagerIsFieldConflict() {
        allocate();
        ApiResponse answer = api.serverSideApply(
                status(name).replace("=writer", "=another"), """
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"%s"},
                 "status":{"allocation":%s}}""".formatted(name, allocation("node-0001", "gpu-1")));
        assertThat(answer.status()).as(answer.body()).isEqualTo(409);
        assertThat(answer.body())
                .contains(
                        "FieldManagerConflict",
                        ".status.allocation.nodeSelector",
                        ".status.allocation.devices.results");
    }

    /** Therefore the writer uses no JSON patch test: the response does not name the difference. */
    @Test
    void failedJsonPatchTestIsInvalidWithoutReason() {
        ApiResponse answer =
                api.jsonPatch(status(name), "[{\"op\":\"test\",\"path\":\"/metadata/name\",\"value\":\"other\"}]");
        assertThat(answer.status()).as(answer.body()).isEqualTo(422);
        assertThat(answer.at("message")).contains("the server rejected our request due to an error in our request");
    }

    @Test
    void deletedClaimIsNotFound() {
        api.delete(CLAIMS + "/" + name);
        assertThat(patch(commit(pendingClaim, ALLOCATION, POD)).status()).isEqualTo(404);
    }
}
