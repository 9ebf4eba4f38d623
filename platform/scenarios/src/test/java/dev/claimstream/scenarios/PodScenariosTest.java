package dev.claimstream.scenarios;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.ReadOptions;
import java.io.ByteArrayInputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the node on which the claim of a pod is allocated. Of three nodes with one device each, node-1 is small, node-2
 * is tainted, and node-3 is large and in another zone.
 */
class PodScenariosTest {
    private static final String CLUSTER = node("node-1", "near", "", "cpu: 2, memory: 4Gi, pods: 2")
            + node(
                    "node-2",
                    "near",
                    "spec: {taints: [{key: keep, effect: NoSchedule}]}",
                    "cpu: 8, memory: 32Gi, pods: 9")
            + node("node-3", "far", "", "cpu: 64, memory: 256Gi, pods: 110")
            + """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu}
            spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: wanted}
            spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
            ---
            """;

    private static String node(String name, String zone, String spec, String allocatable) {
        return """
                apiVersion: v1
                kind: Node
                metadata: {name: %1$s, labels: {zone: %2$s}}
                %3$s
                status: {allocatable: {%4$s}}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %1$s}
                spec:
                  driver: gpu.example.com
                  nodeName: %1$s
                  pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
                  devices: [{name: gpu-0, nodeAllocatableResources: {memory: {overhead: {perPod: 8Gi}}}}]
                ---
                """.formatted(name, zone, spec, allocatable);
    }

    private static String pod(String name, String requests, String spec) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s}
                spec:
                  %s
                  containers: [{name: main, image: app, resources: {requests: {%s}}}]
                ---
                """.formatted(name, spec.replace("; ", "\n  "), requests);
    }

    private static ScenarioDecision decide(String pods, String fields) {
        return SavedScenario.runner().decide(scenario(pods, fields));
    }

    private static Scenario scenario(String pods, String fields) {
        String text = CLUSTER + pods + """
                apiVersion: claimstream.dev/v1
                kind: Scenario
                metadata: {name: s}
                spec:
                  pod: p
                  expect: {doesNotFit: true}
                  %s
                """.formatted(fields);
        var read = new ScenarioReader(ReadOptions.DEFAULT).read("file", new ByteArrayInputStream(text.getBytes(UTF_8)));
        assertThat(read.scenario()).as(read.errorText()).isPresent();
        return read.scenario().orElseThrow();
    }

    private static String describe(ScenarioDecision decision) {
        return switch (decision) {
            case ScenarioDecision.Allocated fits -> fits.node();
            case ScenarioDecision.Pending not -> not.reason();
            case ScenarioDecision.Failed fails -> fails.messages().getFirst();
            case ScenarioDecision.BudgetExhausted undecided -> undecided.reason();
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cpu: 1  |                                          |                                    | node-1
            cpu: 3  |                                          |                                    | node-3
            cpu: 3  | tolerations: [{key: keep}]               |                                    | node-2
            cpu: 1  | nodeSelector: {zone: far}                |                                    | node-3
            cpu: 65 |                                          |                                    | no node with the devices has room for the pod, nearest: node-1 has the devices and too little of cpu (2 of 2 left, 65 requested)
            cpu: 3  |                                          | node: node-1                       | no node with the devices has room for the pod, nearest: node-1 has the devices and too little of cpu (2 of 2 left, 3 requested)
            cpu: 1  |                                          | node: node-2                       | node node-2, the only one for the pod or its other claims, is not usable: the pod does not tolerate its taints
            cpu: 1  | nodeSelector: {zone: far}                | node: node-1                       | node node-1, the only one for the pod or its other claims, is not usable: its labels do not match the pod's node selector
            cpu: 1  |                                          | features: {DRANodeAllocatableResources: true} | node-3
            """)
    void allocatesOnEligibleNodeWithCapacity(String requests, String spec, String fields, String expected) {
        String rules = spec == null ? "" : spec + "; ";
        String pod = pod("p", requests, rules + "resourceClaims: [{name: gpu, resourceClaimName: wanted}]");
        assertThat(describe(decide(pod, fields == null ? "" : fields))).isEqualTo(expected);
    }

    @Test
    void countsBoundPodsAgainstPodLimit() {
        String wanted = pod("p", "cpu: 1", "resourceClaims: [{name: gpu, resourceClaimName: wanted}]");
        String small = pod("a", "cpu: 100m", "nodeName: node-1");
        assertThat(describe(decide(wanted + small, ""))).isEqualTo("node-1");
        assertThat(describe(decide(wanted + small + pod("b", "cpu: 100m", "nodeName: node-1"), "")))
                .isEqualTo("node-3");
    }

    @Test
    void countsBoundPodOnce() {
        String bound = pod("p", "cpu: 2", "nodeName: node-1; resourceClaims: [{name: gpu, resourceClaimName: wanted}]");
        assertThat(describe(decide(bound, ""))).isEqualTo("node-1");
    }

    @Test
    void doesNotUseClaimGeneratedForAnotherPod() {
        String pod = pod("p", "cpu: 1", "resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]")
                .replace("---", "status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: wanted}]}\n---");
        assertThat(describe(decide(pod, ""))).isEqualTo("claim default/wanted was not created for pod default/p");
    }

    @Test
    void generatesGroupClaimOnlyWithFeatureGate() {
        String template = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: t}
                spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
                ---
                """;
        String group = """
                apiVersion: scheduling.k8s.io/v1beta1
                kind: PodGroup
                metadata: {name: g}
                spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}
                ---
                """;
        String pod = pod(
                "p",
                "cpu: 1",
                "schedulingGroup: {podGroupName: g}; resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]");
        String gate = "features: {DRAWorkloadResourceClaims: %s}";
        assertThat(claims(template + group + pod, gate.formatted(true))).allMatch(name -> name.startsWith("g-gpu-"));
        assertThat(claims(template + group + pod, gate.formatted(false))).allMatch(name -> name.startsWith("p-gpu-"));
        assertThat(describe(decide(template + group + pod, gate.formatted(true))))
                .isEqualTo("node-1");
    }

    private static List<String> claims(String pods, String fields) {
        List<String> names =
                scenario(pods, fields).claims().stream().map(ObjectKey::name).toList();
        assertThat(names).hasSize(1);
        return names;
    }

    @Test
    void ignoresDevicePluginsOfIneligibleNodes() {
        String clazz = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: offering}
                spec: {extendedResourceName: example.com/gpu, selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}
                ---
                """;
        String plugged = node("node-9", "elsewhere", "", "cpu: 2, memory: 4Gi, pods: 2, example.com/gpu: 2");
        String pod = pod("p", "cpu: 1, example.com/gpu: 1", "nodeSelector: {zone: near}")
                .replace("{requests:", "{limits: {example.com/gpu: 1}, requests:");
        assertThat(describe(decide(clazz + plugged + pod, ""))).isEqualTo("node-1");
    }

    @Test
    void placesPodWithoutClaimsByNodeResources() {
        assertThat(decide(pod("p", "cpu: 3", "priority: 1"), ""))
                .isEqualTo(new ScenarioDecision.Allocated("node-3", List.of()));
    }
}
