package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests {@code skipNodeOperations} of slices and results, and the declared features of nodes. */
class NodeOperationReaderTest {
    private static String slice(String version, String operations) {
        return """
                apiVersion: resource.k8s.io/%s
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 1, resourceSliceCount: 1}
                  allNodes: true
                  devices: []
                  skipNodeOperations: [%s]
                """.formatted(version, operations);
    }

    private static String claim(String operations) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c, namespace: ns}
                spec: {devices: {requests: [{name: a, exactly: {deviceClassName: g}}]}}
                status:
                  allocation:
                    devices:
                      results:
                      - {request: a, driver: d, pool: p, device: x, skipNodeOperations: [%s]}
                """.formatted(operations);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta2", "v1beta1"})
    void readsSkippedOperationsOfSlice(String version) {
        assertThat(ManifestFixtures.readSingle(
                                ResourceSlice.class, slice(version, "NodeUnprepareResources, NodePrepareResources"))
                        .skipNodeOperations())
                .containsExactly("NodeUnprepareResources", "NodePrepareResources");
        assertThat(ManifestFixtures.readSingle(ResourceSlice.class, slice(version, ""))
                        .skipNodeOperations())
                .isEmpty();
    }

    @Test
    void readsSkippedOperationsOfResult() {
        assertThat(ManifestFixtures.readSingle(ResourceClaim.class, claim("\"*\""))
                        .allocation()
                        .orElseThrow()
                        .results())
                .extracting(DeviceResult::skipNodeOperations)
                .containsExactly(List.of("*"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "NodePrepareResources | : Invalid value: NodePrepareResources cannot be skipped unless NodeUnprepareResources is"
                        + " also skipped (NodePrepareResources): add NodeUnprepareResources",
                "NodeStart | [0]: Unsupported value: supported values: \"*\", \"NodePrepareResources\", \"NodeUnprepareResources\""
                        + " (NodeStart): write one of the supported values",
                "\"*\", \"*\" | [1]: Duplicate value (*): leave one of the two out, or give it another name",
            })
    void rejectsOperationsThatApiServerRejects(String operations, String finding) {
        assertThat(ManifestFixtures.findings(slice("v1", operations)))
                .singleElement()
                .asString()
                .endsWith("spec.skipNodeOperations" + finding);
        assertThat(ManifestFixtures.findings(claim(operations)))
                .singleElement()
                .asString()
                .endsWith("status.allocation.devices.results[0].skipNodeOperations" + finding);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NodeUnprepareResources",
                "NodePrepareResources, \"*\"",
                "\"*\", NodePrepareResources, NodeUnprepareResources"
            })
    void acceptsOperationsThatApiServerAccepts(String operations) {
        assertThat(ManifestFixtures.findings(slice("v1", operations))).isEmpty();
    }

    @Test
    void readsDeclaredFeaturesOfNode() {
        Node node = ManifestFixtures.readSingle(Node.class, """
                apiVersion: v1
                kind: Node
                metadata: {name: node-1}
                status:
                  declaredFeatures: [DRAOptionalNodeOperations, Other]
                  conditions: [{type: Ready, status: "True"}]
                """);
        assertThat(node.declaredFeatures()).containsExactly("DRAOptionalNodeOperations", "Other");
        assertThat(node.ready()).isTrue();
    }
}
