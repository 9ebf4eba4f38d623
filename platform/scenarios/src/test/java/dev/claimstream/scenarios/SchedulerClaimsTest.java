package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.scenarios.SchedulerClaim.ExtendedResource;
import dev.claimstream.scenarios.SchedulerClaim.Placement;
import dev.claimstream.selectors.CelSelectors;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests the predicted placement of pods with extended resources, on two nodes with two devices each. node-2 also has a
 * device plugin for another resource.
 */
class SchedulerClaimsTest {
    private static final String CLUSTER = """
            apiVersion: v1
            kind: Node
            metadata: {name: node-1}
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: node-2}
            status: {allocatable: {pods: 110, example.com/plugged: 2}}
            """ + slice("node-1") + slice("node-2") + """
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu}
            spec: {extendedResourceName: example.com/gpu, selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: plugged}
            spec: {extendedResourceName: example.com/plugged, selectors: [{cel: {expression: "false"}}]}
            """;

    private static String slice(String node) {
        return """
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %s}
                spec:
                  driver: gpu.example.com
                  nodeName: %1$s
                  pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
                  devices: [{name: gpu-0}, {name: gpu-1}]
                """.formatted(node);
    }

    private static String pod(String limits, String rest) {
        return """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  containers: [{name: main, image: app, resources: {limits: {%s}}}]
                """.formatted(limits) + rest;
    }

    private static List<SchedulerClaim> of(String text) {
        ManifestReadResult reading = Manifests.read("file", text);
        assertThat(reading.hasErrors()).isFalse();
        List<ClusterObject> objects = ClusterCompletion.complete(reading.manifests()).stream()
                .map(Manifest::object)
                .toList();
        return new SchedulerClaims(objects, FeatureGates.defaults(), new CelSelectors(), 10_000).all();
    }

    private static Placement placement(String limits, String rest) {
        return of(CLUSTER + pod(limits, rest)).getFirst().placement();
    }

    @Test
    void reportsFittingNodes() {
        SchedulerClaim claim = of(CLUSTER + pod("example.com/gpu: 2", "")).getFirst();
        assertThat(claim.resources()).containsExactly(new ExtendedResource("example.com/gpu", "gpu"));
        assertThat(claim.placement()).isEqualTo(new Placement.FittingNodes("node-1", 2));
        assertThat(claim.placement().text()).isEqualTo("it would fit on 2 nodes, for example node-1");
        assertThat(placement(
                        "deviceclass.resource.kubernetes.io/gpu: 2",
                        "  nodeSelector: {kubernetes.io/hostname: node-9}\n"))
                .isEqualTo(new Placement.NoFittingNode("there is no node that the pod may go to"));
    }

    @Test
    void predictsNoClaimForBoundOrUnmatchedPod() {
        assertThat(of(CLUSTER + pod("example.com/gpu: 1", "  nodeName: node-1\n")))
                .isEmpty();
        assertThat(of(CLUSTER + pod("example.com/other: 1", ""))).isEmpty();
        assertThat(of(CLUSTER + pod("cpu: 1", ""))).isEmpty();
    }

    @Test
    void reportsNoFittingNodeForExcessiveRequest() {
        assertThat(placement("example.com/gpu: 3", "")).isInstanceOf(Placement.NoFittingNode.class);
        assertThat(placement("example.com/gpu: 1, example.com/other: 1", ""))
                .isEqualTo(new Placement.NoFittingNode("neither a class nor a device plugin offers example.com/other"));
    }

    @Test
    void predictsNoClaimForDevicePluginNode() {
        assertThat(placement("example.com/plugged: 1", "")).isEqualTo(new Placement.DevicePluginNode("node-2"));
        assertThat(placement("example.com/plugged: 1, example.com/gpu: 1", ""))
                .isEqualTo(new Placement.FittingNodes("node-2", 1));
    }

    @Test
    void reportsPendingClaimOfPod() {
        assertThat(placement("example.com/gpu: 1", "  resourceClaims: [{name: own, resourceClaimName: own}]\n"))
                .isEqualTo(new Placement.NoFittingNode("claim default/own of the pod is not allocated"));
    }
}
