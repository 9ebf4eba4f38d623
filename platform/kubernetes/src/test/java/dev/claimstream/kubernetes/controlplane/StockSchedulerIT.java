package dev.claimstream.kubernetes.controlplane;

import static dev.claimstream.kubernetes.controlplane.Claims.CLAIMS;
import static dev.claimstream.kubernetes.controlplane.Claims.CLASSES;
import static dev.claimstream.kubernetes.controlplane.Claims.DRIVER;
import static dev.claimstream.kubernetes.controlplane.Claims.PODS;
import static dev.claimstream.kubernetes.controlplane.Claims.allocation;
import static dev.claimstream.kubernetes.controlplane.Claims.commit;
import static dev.claimstream.kubernetes.controlplane.Claims.consumer;
import static dev.claimstream.kubernetes.controlplane.Claims.status;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Behaviour of kube-scheduler on claims that another client has allocated, without policies. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockSchedulerIT {
    private static final String GATE = "example.com/wait";

    @AutoClose
    private ControlPlane plane;

    private RawApiClient api;

    @BeforeAll
    void start() {
        plane = Real.start(ControlPlaneOptions.DEFAULT);
        api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        plane.createNodes(4, "--cpu=8");
        plane.startSimulatedKubelet();
        api.createOrThrow(CLASSES, Claims.deviceClass(DRIVER));
        for (int i = 0; i < 4; i++) {
            api.createOrThrow(Claims.SLICES, Claims.slice("node-000" + i, 16));
        }
        api.createOrThrow("/apis/scheduling.k8s.io/v1/priorityclasses", """
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: urgent}
                value: 1000
                """);
    }

    /** Creates a gated pod with a claim of the same name. */
    private ApiResponse gated(String name, String cpu) {
        api.createOrThrow(CLAIMS, Claims.claim(name));
        return api.createOrThrow(
                PODS, Claims.pod(name, cpu).replace("spec:", "spec:\n  schedulingGates: [{name: %s}]".formatted(GATE)));
    }

    private void allocate(String name, String allocation, String... consumers) {
        ApiResponse answer = api.patch(status(name), commit(api.get(CLAIMS + "/" + name), allocation, consumers));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    private void ungate(String name) {
        ungate(name, "");
    }

    private void ungate(String name, String more) {
        ApiResponse answer = api.patch(
                PODS + "/" + name,
                "{\"spec\":{%s\"schedulingGates\":[{\"$patch\":\"delete\",\"name\":\"%s\"}]}}".formatted(more, GATE));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    private ApiResponse bound(String name) {
        return Asked.until(
                api, PODS + "/" + name, seen -> seen.at("spec", "nodeName").isPresent());
    }

    private static String why(ApiResponse pod) {
        return pod.tree("status", "conditions").map(Object::toString).orElse("");
    }

    @Test
    void aClaimWithoutTimeAndReservationKeepsItsPodFromEverBeingBound() {
        gated("trapped", "1");
        allocate("trapped", allocation("node-0001", "gpu-0", ""));
        ungate("trapped");
        // a scheduler without the allocation in its cache fails once with its own allocation, then retries
        ApiResponse refused =
                Asked.until(api, PODS + "/trapped", seen -> why(seen).contains("add reservation to claim"));
        assertThat(why(refused))
                .contains("add reservation to claim default/trapped")
                .contains("SchedulerError", "field is immutable");

        assertThat(api.patch(status("trapped"), "{\"status\":{\"allocation\":null,\"reservedFor\":null}}")
                        .status())
                .isEqualTo(200);
        allocate("trapped", allocation("node-0001", "gpu-0"));
        assertThat(bound("trapped").at("spec", "nodeName")).contains("node-0001");
    }

    @Test
    void aClaimWithATimeIsReservedByTheSchedulerAlsoForASecondPod() {
        gated("timed", "1");
        allocate("timed", allocation("node-0001", "gpu-1"));
        ungate("timed");
        bound("timed");
        api.createOrThrow(
                PODS, Claims.pod("timed", "1").replace("metadata: {name: timed}", "metadata: {name: timed-too}"));
        assertThat(bound("timed-too").at("spec", "nodeName")).contains("node-0001");
        assertThat(api.get(CLAIMS + "/timed").tree("status", "reservedFor", 1)).isPresent();
    }

    @Test
    void aClaimThatIsReservedIsNotWrittenByTheScheduler() {
        ApiResponse pod = gated("reserved", "1");
        allocate("reserved", allocation("node-0002", "gpu-0"), consumer("reserved", pod.uid()));
        String version = api.get(CLAIMS + "/reserved").version();
        ungate("reserved");
        assertThat(bound("reserved").at("spec", "nodeName")).contains("node-0002");
        assertThat(api.get(CLAIMS + "/reserved").version()).isEqualTo(version);
    }

    @Test
    void aPodThatFitsElsewhereThanItsDeviceHasItsClaimClearedUnlessItIsPinned() {
        fill("node-0003", "filler");
        ApiResponse moved = gated("moved", "1");
        ApiResponse pinned = gated("pinned", "1");
        ApiResponse large = gated("large", "100");
        allocate("moved", allocation("node-0003", "gpu-1"), consumer("moved", moved.uid()));
        allocate("pinned", allocation("node-0003", "gpu-2"), consumer("pinned", pinned.uid()));
        allocate("large", allocation("node-0003", "gpu-3"), consumer("large", large.uid()));
        ungate("pinned", pin("node-0003"));
        ungate("large");
        ungate("moved");
        for (String name : new String[] {"pinned", "large"}) {
            Asked.until(api, PODS + "/" + name, seen -> why(seen).contains("Insufficient cpu"));
        }
        assertThat(bound("moved").at("spec", "nodeName"))
                .as("allocated anew by the scheduler")
                .isNotEqualTo(Optional.of("node-0003"));
        assertThat(device("pinned")).as("pinned").contains("gpu-2");
        assertThat(device("large")).as("fits nowhere").contains("gpu-3");
        api.delete(PODS + "/moved");
        Asked.until(api, PODS + "/moved", seen -> seen.status() == 404);
    }

    private void fill(String node, String name) {
        api.createOrThrow(PODS, """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  nodeSelector: {kubernetes.io/hostname: %s}
                  containers: [{name: main, image: none, resources: {requests: {cpu: 8}}}]
                """.formatted(name, node));
        bound(name);
    }

    private Optional<String> device(String claim) {
        return api.get(CLAIMS + "/" + claim).at("status", "allocation", "devices", "results", 0, "device");
    }

    private static String pin(String node) {
        return """
                "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
                {"matchFields":[{"key":"metadata.name","operator":"In","values":["%s"]}]}]}}},""".formatted(node);
    }

    @Test
    void anUrgentPodThatIsPinnedEvictsAndIsBoundWithItsDevice() {
        fill("node-0000", "victim");
        api.createOrThrow(CLAIMS, Claims.claim("urgent"));
        ApiResponse urgent = api.createOrThrow(
                PODS,
                Claims.pod("urgent", "2")
                        .replace(
                                "spec:",
                                "spec:\n  priorityClassName: urgent\n  schedulingGates: [{name: %s}]".formatted(GATE)));
        allocate("urgent", allocation("node-0000", "gpu-5"), consumer("urgent", urgent.uid()));
        ungate("urgent", pin("node-0000"));
        assertThat(bound("urgent").at("spec", "nodeName")).contains("node-0000");
        Asked.until(api, PODS + "/victim", seen -> seen.status() == 404);
        assertThat(device("urgent")).contains("gpu-5");
    }

    /**
     * Therefore {@code lint} warns of selectors that the API server accepts: one device can make all pods of a class
     * unschedulable.
     */
    @Test
    void aSelectorThatFailsOnADeviceIsAnErrorOfTheWholePod() {
        api.createOrThrow(
                CLAIMS,
                Claims.claim("quantity")
                        .replace(
                                DRIVER + "}",
                                DRIVER
                                        + ", selectors: [{cel: {expression: 'device.attributes[\"example.com/memory\"].quantity == \"40Gi\"'}}]}"));
        api.createOrThrow(PODS, Claims.pod("quantity", "1"));
        ApiResponse pod = Asked.until(api, PODS + "/quantity", seen -> why(seen).contains("SchedulerError"));
        assertThat(why(pod)).contains("no such key: quantity");
        api.delete(PODS + "/quantity");
    }

    @Test
    void aDeviceThatAnotherClaimHasIsRefusedByTheDriver() {
        for (String name : new String[] {"twice", "twice-too"}) {
            ApiResponse pod = gated(name, "1");
            allocate(name, allocation("node-0001", "gpu-9"), consumer(name, pod.uid()));
            ungate(name);
            bound(name);
            if (name.equals("twice")) {
                Asked.until(
                        api,
                        PODS + "/" + name,
                        seen -> seen.at("status", "phase").equals(Optional.of("Running")));
            }
        }
        Asked.until(
                api,
                "/api/v1/namespaces/default/events?fieldSelector=reason=FailedPrepareDynamicResources",
                seen -> seen.body()
                        .contains(
                                "device gpu.example.com/node-0001/gpu-9 of ResourceClaim twice-too is prepared for ResourceClaim default/twice already"));
        assertThat(api.get(PODS + "/twice-too").at("status", "phase")).contains("Pending");
        api.delete(PODS + "/twice");
        Asked.until(api, PODS + "/twice-too", seen -> seen.at("status", "phase").equals(Optional.of("Running")));
    }
}
