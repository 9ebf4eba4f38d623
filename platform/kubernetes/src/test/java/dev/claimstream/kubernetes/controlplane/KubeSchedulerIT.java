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

import dev.claimstream.kubernetes.controlplane.RawApiClient.ApiResponse;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Behaviour of kube-scheduler on claims that another client has allocated, without policies. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KubeSchedulerIT {
    private static final String GATE = "example.com/wait";

    @AutoClose
    private ControlPlane plane;

    private RawApiClient api;

    @BeforeAll
    void start() {
        plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT);
        api = new RawApiClient(plane, ControlPlaneUser.ADMIN);
        plane.createNodes(4, "--cpu=8");
        plane.startSimulatedKubelet();
        api.createOrThrow(CLASSES, ClaimManifests.deviceClass(DRIVER));
        for (int i = 0; i < 4; i++) {
            api.createOrThrow(ClaimManifests.SLICES, ClaimManifests.slice("node-000" + i, 16));
        }
        api.createOrThrow("/apis/scheduling.k8s.io/v1/priorityclasses", """
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: urgent}
                value: 1000
                """);
    }

    /** Creates a gated pod with a claim of the same name. */
    private ApiResponse createGatedPod(String name, String cpu) {
        api.createOrThrow(CLAIMS, ClaimManifests.claim(name));
        return api.createOrThrow(
                PODS,
                ClaimManifests.pod(name, cpu)
                        .replace("spec:", "spec:\n  schedulingGates: [{name: %s}]".formatted(GATE)));
    }

    private void allocate(String name, String allocation, String... consumers) {
        ApiResponse answer = api.patch(status(name), commit(api.get(CLAIMS + "/" + name), allocation, consumers));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    private void removeGate(String name) {
        removeGate(name, "");
    }

    private void removeGate(String name, String more) {
        ApiResponse answer = api.patch(
                PODS + "/" + name,
                "{\"spec\":{%s\"schedulingGates\":[{\"$patch\":\"delete\",\"name\":\"%s\"}]}}".formatted(more, GATE));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    }

    private ApiResponse awaitBound(String name) {
        return ApiPoller.await(
                api, PODS + "/" + name, seen -> seen.at("spec", "nodeName").isPresent());
    }

    private static String conditions(ApiResponse pod) {
        return pod.tree("status", "conditions").map(Object::toString).orElse("");
    }

    @Test
    void claimWithoutTimeAndReservationBlocksBinding() {
        createGatedPod("trapped", "1");
        allocate("trapped", allocation("node-0001", "gpu-0", ""));
        removeGate("trapped");
        // a scheduler without the allocation in its cache fails once with its own allocation, then retries
        ApiResponse rejected =
                ApiPoller.await(api, PODS + "/trapped", seen -> conditions(seen).contains("add reservation to claim"));
        assertThat(conditions(rejected))
                .contains("add reservation to claim default/trapped")
                .contains("SchedulerError")
                .containsAnyOf("field is immutable", "field cannot be modified once set"); // 1.36, 1.37

        assertThat(api.patch(status("trapped"), "{\"status\":{\"allocation\":null,\"reservedFor\":null}}")
                        .status())
                .isEqualTo(200);
        allocate("trapped", allocation("node-0001", "gpu-0"));
        assertThat(awaitBound("trapped").at("spec", "nodeName")).contains("node-0001");
    }

    @Test
    void schedulerReservesClaimWithTimeForSecondPod() {
        createGatedPod("timed", "1");
        allocate("timed", allocation("node-0001", "gpu-1"));
        removeGate("timed");
        awaitBound("timed");
        api.createOrThrow(
                PODS,
                ClaimManifests.pod("timed", "1").replace("metadata: {name: timed}", "metadata: {name: timed-too}"));
        assertThat(awaitBound("timed-too").at("spec", "nodeName")).contains("node-0001");
        assertThat(api.get(CLAIMS + "/timed").tree("status", "reservedFor", 1)).isPresent();
    }

    @Test
    void schedulerDoesNotWriteReservedClaim() {
        ApiResponse pod = createGatedPod("reserved", "1");
        allocate("reserved", allocation("node-0002", "gpu-0"), consumer("reserved", pod.uid()));
        String version = api.get(CLAIMS + "/reserved").version();
        removeGate("reserved");
        assertThat(awaitBound("reserved").at("spec", "nodeName")).contains("node-0002");
        assertThat(api.get(CLAIMS + "/reserved").version()).isEqualTo(version);
    }

    @Test
    void schedulerClearsClaimOfUnpinnedPodThatFitsElsewhere() {
        fill("node-0003", "filler");
        ApiResponse moved = createGatedPod("moved", "1");
        ApiResponse pinned = createGatedPod("pinned", "1");
        ApiResponse large = createGatedPod("large", "100");
        allocate("moved", allocation("node-0003", "gpu-1"), consumer("moved", moved.uid()));
        allocate("pinned", allocation("node-0003", "gpu-2"), consumer("pinned", pinned.uid()));
        allocate("large", allocation("node-0003", "gpu-3"), consumer("large", large.uid()));
        removeGate("pinned", pin("node-0003"));
        removeGate("large");
        removeGate("moved");
        for (String name : new String[] {"pinned", "large"}) {
            ApiPoller.await(api, PODS + "/" + name, seen -> conditions(seen).contains("Insufficient cpu"));
        }
        assertThat(awaitBound("moved").at("spec", "nodeName"))
                .as("allocated anew by the scheduler")
                .isNotEqualTo(Optional.of("node-0003"));
        assertThat(device("pinned")).as("pinned").contains("gpu-2");
        assertThat(device("large")).as("fits nowhere").contains("gpu-3");
        api.delete(PODS + "/moved");
        ApiPoller.await(api, PODS + "/moved", seen -> seen.status() == 404);
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
        awaitBound(name);
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
    void pinnedUrgentPodPreemptsAndKeepsDevice() {
        fill("node-0000", "victim");
        api.createOrThrow(CLAIMS, ClaimManifests.claim("urgent"));
        ApiResponse urgent = api.createOrThrow(
                PODS,
                ClaimManifests.pod("urgent", "2")
                        .replace(
                                "spec:",
                                "spec:\n  priorityClassName: urgent\n  schedulingGates: [{name: %s}]".formatted(GATE)));
        allocate("urgent", allocation("node-0000", "gpu-5"), consumer("urgent", urgent.uid()));
        removeGate("urgent", pin("node-0000"));
        assertThat(awaitBound("urgent").at("spec", "nodeName")).contains("node-0000");
        ApiPoller.await(api, PODS + "/victim", seen -> seen.status() == 404);
        assertThat(device("urgent")).contains("gpu-5");
    }

    /**
     * Therefore {@code lint} warns of selectors that the API server accepts: one device can make all pods of a class
     * unschedulable.
     */
    @Test
    void failingSelectorIsErrorOfWholePod() {
        api.createOrThrow(
                CLAIMS,
                ClaimManifests.claim("quantity")
                        .replace(
                                DRIVER + "}",
                                DRIVER
                                        + ", selectors: [{cel: {expression: 'device.attributes[\"example.com/memory\"].quantity == \"40Gi\"'}}]}"));
        api.createOrThrow(PODS, ClaimManifests.pod("quantity", "1"));
        ApiResponse pod = ApiPoller.await(
                api, PODS + "/quantity", seen -> conditions(seen).contains("SchedulerError"));
        assertThat(conditions(pod)).contains("no such key: quantity");
        api.delete(PODS + "/quantity");
    }

    @Test
    void driverRejectsDeviceOfOtherClaim() {
        for (String name : new String[] {"twice", "twice-too"}) {
            ApiResponse pod = createGatedPod(name, "1");
            allocate(name, allocation("node-0001", "gpu-9"), consumer(name, pod.uid()));
            removeGate(name);
            awaitBound(name);
            if (name.equals("twice")) {
                ApiPoller.await(
                        api,
                        PODS + "/" + name,
                        seen -> seen.at("status", "phase").equals(Optional.of("Running")));
            }
        }
        ApiPoller.await(
                api,
                "/api/v1/namespaces/default/events?fieldSelector=reason=FailedPrepareDynamicResources",
                seen -> seen.body()
                        .contains(
                                "device gpu.example.com/node-0001/gpu-9 of ResourceClaim twice-too is prepared for ResourceClaim default/twice already"));
        assertThat(api.get(PODS + "/twice-too").at("status", "phase")).contains("Pending");
        api.delete(PODS + "/twice");
        ApiPoller.await(
                api, PODS + "/twice-too", seen -> seen.at("status", "phase").equals(Optional.of("Running")));
    }
}
