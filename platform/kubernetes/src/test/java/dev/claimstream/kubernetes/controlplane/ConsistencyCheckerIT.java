package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.ClaimManifests.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.PODS;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.allocation;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.consumer;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.status;
import static dev.claimstream.kubernetes.controlplane.ClaimManifests.unconditionalPatch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The consistency checker of the test bed finds each fault and reports no allowed change.
 *
 * <p>The test makes the faults by hand, without policies, scheduler and controllers.
 */
@Timeout(120)
class ConsistencyCheckerIT {
    private static final String NODE = "node-0000";
    private static final String UNKNOWN_UID = "11111111-1111-1111-1111-111111111111";

    private static final String PARTITIONS = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: counters}
            spec:
              driver: gpu.example.com
              nodeName: node-0000
              pool: {name: parts, generation: 1, resourceSliceCount: 2}
              sharedCounters: [{name: card, counters: {memory: {value: 60Gi}}}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: parts}
            spec:
              driver: gpu.example.com
              nodeName: node-0000
              pool: {name: parts, generation: 1, resourceSliceCount: 2}
              devices:
              - {name: half-0, consumesCounters: [{counterSet: card, counters: {memory: {value: 40Gi}}}]}
              - {name: half-1, consumesCounters: [{counterSet: card, counters: {memory: {value: 40Gi}}}]}
            """;

    @Test
    void findsEveryFaultExactlyOnce() {
        var few = ControlPlaneOptions.DEFAULT
                .without(ControlPlaneComponent.SCHEDULER)
                .without(ControlPlaneComponent.CONTROLLERS);
        try (var plane = TestControlPlane.start(few);
                var api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
                var look = plane.startChecker("--patience", "4s", "--behind", "3s")) {
            plane.kubectl(ControlPlaneUser.ADMIN, PARTITIONS, "apply", "-f", "-");
            var making = new FaultScenario(api, look);
            making.makeAllowedChanges();
            making.makeTwoHolders();
            making.makeCounterOverrun();
            making.makeDelayedFaults();
            assertThat(look.finish().getLast())
                    .contains(
                            "\"faults\":{\"allocated-twice\":1,\"counter-overrun\":1,\"not-answered\":1,\"not-released\":1,\"taken-away\":1,\"two-holders\":1}");
        }
    }

    private record FaultScenario(RawApiClient api, ControlPlane.ConsistencyChecker checker, List<String> expected) {
        FaultScenario(RawApiClient api, ControlPlane.ConsistencyChecker checker) {
            this(api, checker, new ArrayList<>());
        }

        /** A claim is reused after its pod ends, and another one is reallocated because its pod was not bound. */
        private void makeAllowedChanges() {
            ApiResponse first = pod("first", "nodeName: node-0000");
            allocate("used-again", allocation(NODE, "gpu-0"), consumer("first", first.uid()));
            assertAccepted(api.patch(PODS + "/first/status", "{\"status\":{\"phase\":\"Succeeded\"}}"));
            clear("used-again");
            ApiResponse second = pod("second", "nodeName: node-0000");
            change("used-again", allocation(NODE, "gpu-1"), consumer("second", second.uid()));
            ApiResponse moved = pod("moved", "schedulingGates: [{name: example.com/wait}]");
            allocate("moved", allocation(NODE, "gpu-2"), consumer("moved", moved.uid()));
            clear("moved");
            change("moved", allocation(NODE, "gpu-3"), consumer("moved", moved.uid()));
            assertAccepted(api.patch(PODS + "/moved", "{\"spec\":{\"schedulingGates\":null}}"));
            assertAccepted(api.create(PODS + "/moved/binding", """
                    {"apiVersion":"v1","kind":"Binding","metadata":{"name":"moved"},"target":{"kind":"Node","name":"node-0000"}}"""));
        }

        private void makeTwoHolders() {
            allocate("one", allocation(NODE, "gpu-9"));
            allocate("other", allocation(NODE, "gpu-9"));
            expectFaults("two-holders gpu.example.com/node-0000/gpu-9: default/one default/other");
        }

        private void makeCounterOverrun() {
            allocate("half", allocation("parts", "half-0"));
            allocate("more", allocation("parts", "half-1"));
            expectFaults(
                    "counter-overrun gpu.example.com/parts card memory: 85899345920000 of 64424509440000 thousandths");
        }

        private void makeDelayedFaults() {
            ApiResponse keeper = pod("keeps", "nodeName: node-0000");
            allocate("twice", allocation(NODE, "gpu-10"), consumer("keeps", keeper.uid()));
            assertAccepted(api.delete(PODS + "/keeps")); // the pod ends slowly and keeps its devices until then
            clear("twice");
            change("twice", allocation(NODE, "gpu-11"));
            ApiResponse robbed = pod("robbed", "nodeName: node-0000");
            allocate("taken", allocation(NODE, "gpu-12"), consumer("robbed", robbed.uid()));
            clear("taken");
            allocate("left", allocation(NODE, "gpu-13"), consumer("missing", UNKNOWN_UID));
            api.createOrThrow(PODS, ClaimManifests.pod("waits", "1"));
            expectFaults(
                    "allocated-twice default/twice: gpu-10, then gpu-11 while pod keeps was on node-0000",
                    "taken-away default/taken: gpu-12 from pod robbed on node-0000",
                    "not-released default/left",
                    "not-answered default/waits");
        }

        private void expectFaults(String... faults) {
            expected.addAll(List.of(faults));
            ApiPoller.await(
                    () -> checker.faults().size() >= expected.size(),
                    () -> "%s: %s".formatted(expected, checker.faults()));
            assertThat(checker.faults()).map(FaultScenario::faultText).containsExactlyInAnyOrderElementsOf(expected);
        }

        /** Kind and subject of a fault; of allocations only the device names. */
        private static String faultText(String line) {
            var response = new ApiResponse(200, line);
            return response.at("fault").orElse("") + " "
                    + response.at("about").orElse("").replaceAll("\\[\\{.*?\"device\":\"([^\"]*)\".*?}]", "$1");
        }

        private ApiResponse pod(String name, String more) {
            return api.createOrThrow(PODS, """
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: %s}
                    spec: {containers: [{name: main, image: none}], %s}
                    """.formatted(name, more));
        }

        private void allocate(String claim, String allocation, String... consumers) {
            api.createOrThrow(CLAIMS, ClaimManifests.claim(claim));
            change(claim, allocation, consumers);
        }

        private void change(String claim, String allocation, String... consumers) {
            assertAccepted(api.patch(status(claim), unconditionalPatch(allocation, consumers)));
        }

        private void clear(String claim) {
            assertAccepted(api.patch(status(claim), "{\"status\":{\"allocation\":null,\"reservedFor\":null}}"));
        }

        private static void assertAccepted(ApiResponse answer) {
            assertThat(answer.status()).as(answer.body()).isBetween(200, 201);
        }
    }
}
