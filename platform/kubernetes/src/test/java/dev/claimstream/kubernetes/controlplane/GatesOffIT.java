package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.Claims.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.Claims.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import dev.claimstream.kubernetes.controlplane.PlainApi.Answer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a server makes of fields whose gates are off: it takes them, and drops them without a word. */
class GatesOffIT {
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
                taints: [{key: example.com/worn, effect: NoSchedule}]
            """;

    private static final String[] FIELDS = {
        "shareID", "consumedCapacity", "bindingConditions", "bindingFailureConditions"
    };

    @Test
    void onlyTheAnswerShowsWhichFieldsWereDropped() {
        try (var plane = Real.start(few(Gates.OFF))) {
            Answer answer = patched(plane);
            for (String field : FIELDS) {
                assertThat(answer.tree("status", "allocation", "devices", "results", 0, field))
                        .as(field)
                        .isEmpty();
            }
            assertThat(answer.tree("status", "allocation", "devices", "results", 0, "tolerations"))
                    .isPresent();
            assertThat(answer.at("status", "allocation", "allocationTimestamp")).contains(Claims.TIME);
            assertThat(worn(plane))
                    .as("what is asked for, and what a driver says")
                    .isEmpty();
        }
    }

    @Test
    void withTheGatesOfTheReleaseAllAreKept() {
        try (var plane = Real.start(few(Gates.DEFAULT))) {
            Answer answer = patched(plane);
            for (String field : FIELDS) {
                assertThat(answer.tree("status", "allocation", "devices", "results", 0, field))
                        .as(field)
                        .isPresent();
            }
            assertThat(worn(plane)).containsExactly("tolerations", "capacity", "taints", "allowMultipleAllocations");
        }
    }

    /** So a claim asks for less where gates are off, and it is no use to decide as if they were on. */
    private static List<String> worn(ControlPlane plane) {
        var api = new PlainApi(plane, Identity.ADMIN);
        Answer claim = api.make(CLAIMS, WORN_CLAIM);
        Answer slice = api.make(Claims.SLICES, WORN_DEVICE);
        return Stream.concat(
                        Stream.of("tolerations", "capacity")
                                .filter(each -> claim.tree("spec", "devices", "requests", 0, "exactly", each)
                                        .isPresent()),
                        Stream.of("taints", "allowMultipleAllocations")
                                .filter(each ->
                                        slice.tree("spec", "devices", 0, each).isPresent()))
                .toList();
    }

    private static ControlPlaneOptions few(Gates gates) {
        return ControlPlaneOptions.DEFAULT.with(gates).without(Part.SCHEDULER).without(Part.CONTROLLERS);
    }

    private static Answer patched(ControlPlane plane) {
        var api = new PlainApi(plane, Identity.ADMIN);
        api.make(CLAIMS, Claims.claim("claim"));
        Answer answer = api.patch(status("claim"), GATED);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer;
    }
}
