package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.Claims.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.Claims.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.Api.Answer;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import org.junit.jupiter.api.Test;

/** What a server makes of fields whose gates are off: it takes them, and drops them without a word. */
class GatesOffIT {
    private static final String GATED = """
            {"status":{"allocation":{"allocationTimestamp":"2026-10-01T10:00:00Z","devices":{"results":[{
              "request":"gpu","driver":"gpu.example.com","pool":"node-0000","device":"gpu-0",
              "tolerations":[{"key":"example.com/worn","operator":"Exists"}],
              "shareID":"8fbfb0f1-0a0e-4a3f-9b0d-57ad10a9ccd5","consumedCapacity":{"memory":"4Gi"},
              "bindingConditions":["example.com/attached"],"bindingFailureConditions":["example.com/broken"]}]}}}}""";

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
        }
    }

    private static ControlPlaneOptions few(Gates gates) {
        return ControlPlaneOptions.DEFAULT.with(gates).without(Part.SCHEDULER).without(Part.CONTROLLERS);
    }

    private static Answer patched(ControlPlane plane) {
        var api = new Api(plane, Identity.ADMIN);
        api.make(CLAIMS, Claims.claim("claim"));
        Answer answer = api.patch(status("claim"), GATED);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer;
    }
}
