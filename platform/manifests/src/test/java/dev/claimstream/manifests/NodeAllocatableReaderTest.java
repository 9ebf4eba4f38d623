package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeAllocatable.ResourceMapping;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how node allocatable resources of devices are read, and the pod fields that their accounting needs. */
class NodeAllocatableReaderTest {
    private static String slice(String fields) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: cpu.example.com
                  pool: {name: p, generation: 1, resourceSliceCount: 1}
                  nodeName: node-1
                  devices:
                  - name: socket-0
                    allowMultipleAllocations: true
                    capacity: {cores: {value: 64}}
                    %s
                """.formatted(fields);
    }

    private static SortedMap<String, NodeAllocatable> read(String fields) {
        return ManifestFixtures.readSingle(ResourceSlice.class, slice(fields))
                .devices()
                .getFirst()
                .nodeAllocatable();
    }

    @Test
    void readsMappingsAndOverheadOfDevice() {
        assertThat(read("nodeAllocatableResources: {cpu: {mapping: {capacityKey: cores, capacityMultiplier: 2}}}"))
                .containsExactly(Map.entry(
                        "cpu", NodeAllocatable.of(new ResourceMapping.CapacityMapping("cores", Quantity.of(2)))));
        assertThat(read("nodeAllocatableResources: {hugepages-2Mi: {mapping: {deviceMultiplier: 64Mi}}}"))
                .containsExactly(Map.entry(
                        "hugepages-2Mi",
                        NodeAllocatable.of(new ResourceMapping.DeviceMapping(Quantity.parse("64Mi")))));
        assertThat(
                        read(
                                "nodeAllocatableResources: {memory: {mapping: {deviceMultiplier: 1Gi}, overhead: {perPod: 8Mi, perContainer: 1Mi}}}"))
                .containsExactly(Map.entry(
                        "memory",
                        new NodeAllocatable(
                                Optional.of(new ResourceMapping.DeviceMapping(Quantity.parse("1Gi"))),
                                Optional.of(Quantity.parse("8Mi")),
                                Optional.of(Quantity.parse("1Mi")))));
    }

    @Test
    void readsMappingsOfKubernetes136() {
        assertThat(read("nodeAllocatableResourceMappings: {cpu: {capacityKey: cores, allocationMultiplier: 2}}"))
                .isEqualTo(read(
                        "nodeAllocatableResources: {cpu: {mapping: {capacityKey: cores, capacityMultiplier: 2}}}"));
        assertThat(read("nodeAllocatableResourceMappings: {cpu: {capacityKey: cores}}"))
                .isEqualTo(read(
                        "nodeAllocatableResources: {cpu: {mapping: {capacityKey: cores, capacityMultiplier: 1}}}"));
        assertThat(read("nodeAllocatableResourceMappings: {cpu: {allocationMultiplier: 8}}"))
                .isEqualTo(read("nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: 8}}}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nodeAllocatableResources: {cpu: {}} | nodeAllocatableResources[cpu]: Invalid value: at least one of `mapping` or"
                        + " `overhead` must be specified",
                "nodeAllocatableResources: {cpu: {mapping: {capacityKey: cores}}} | capacityMultiplier: Required value:",
                "nodeAllocatableResources: {cpu: {mapping: {capacityMultiplier: 2, deviceMultiplier: 2}}} | capacityKey: Required value:",
                "nodeAllocatableResources: {cpu: {mapping: {capacityKey: rows, capacityMultiplier: 2}}} | the device has no capacity of"
                        + " this name (rows): name one of [cores]",
                "nodeAllocatableResources: {cpu: {mapping: {capacityKey: cores, capacityMultiplier: 2, deviceMultiplier: 1}}} | must specify"
                        + " exactly one of: `capacityKey`, `deviceMultiplier`",
                "nodeAllocatableResources: {cpu: {mapping: {deviceMultiplier: 0}}} | must be positive (0): write more than 0",
                "nodeAllocatableResources: {cpu: {overhead: {perPod: -1}}} | must be positive (-1): write more than 0",
                "nodeAllocatableResources: {example.com/gpu: {overhead: {perPod: 1}}} | must be a node allocatable resource name",
                "nodeAllocatableResources: {cpu: {overhead: {perNode: 1}}} | unknown field",
                "nodeAllocatableResourceMappings: {cpu: {}} | at least one of `capacityKey` or `allocationMultiplier`",
            })
    void reportsInvalidNodeAllocatableResources(String fields, String finding) {
        assertThat(ManifestFixtures.findings(slice(fields)))
                .singleElement()
                .asString()
                .contains(finding);
    }

    @Test
    void rejectsBothFieldFormsTogether() {
        assertThat(
                        ManifestFixtures.findings(
                                slice(
                                        "nodeAllocatableResourceMappings: {cpu: {allocationMultiplier: 8}}\n    nodeAllocatableResources: {cpu: {overhead: {perPod: 1}}}")))
                .singleElement()
                .asString()
                .contains("nodeAllocatableResources replaces this field");
    }

    @Test
    void readsContainersPerClaimAndPodLevelRequests() {
        Pod pod = ManifestFixtures.readSingle(Pod.class, """
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  resources: {requests: {cpu: 6, memory: 1Gi}}
                  resourceClaims: [{name: a, resourceClaimName: a}, {name: b, resourceClaimName: b}]
                  initContainers:
                  - {name: i, resources: {claims: [{name: a}]}}
                  containers:
                  - {name: m, resources: {requests: {cpu: 1500m}, claims: [{name: a, request: x}, {name: a, request: z}]}}
                  - {name: n, resources: {requests: {cpu: 500m}, claims: [{name: b}]}}
                """);
        assertThat(pod.resourceClaims()).extracting(PodClaim::containers).containsExactly(2, 1);
        assertThat(pod.spare()).containsOnly(Map.entry("cpu", 4000L), Map.entry("memory", 1L << 30));
        assertThat(pod.requests().amount("cpu")).isEqualTo(6000);
    }
}
