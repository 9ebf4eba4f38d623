package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the remedies that findings suggest for outdated and mistaken manifests. */
class MistakenManifestsTest {
    @Test
    void suggestsDeviceClassForResourceClass() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1alpha2
                kind: ResourceClass
                metadata: {name: gpu}
                structuredParameters: true
                """))
                .containsExactly("f.yaml:2: kind: no matches for kind \"ResourceClass\" in version"
                        + " \"resource.k8s.io/v1alpha2\" (ResourceClass): it was removed in 1.31: write a DeviceClass of"
                        + " resource.k8s.io/v1 with spec.selectors[].cel.expression and spec.config[].opaque");
    }

    @Test
    void suggestsCurrentVersionForRemovedVersion() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1alpha3
                kind: ResourceClaim
                metadata: {name: c}
                """))
                .containsExactly("f.yaml:1: apiVersion: no matches for kind \"ResourceClaim\" in version"
                        + " \"resource.k8s.io/v1alpha3\" (resource.k8s.io/v1alpha3): write apiVersion:"
                        + " resource.k8s.io/v1");
        assertThat(ManifestFixtures.findings("{apiVersion: v1, kind: ResourceSlice, metadata: {name: s}}"))
                .singleElement()
                .asString()
                .endsWith("write apiVersion: resource.k8s.io/v1");
        assertThat(ManifestFixtures.findings(
                        "{apiVersion: resource.k8s.io/v1, kind: ResourceClaims, metadata: {name: s}}"))
                .singleElement()
                .asString()
                .endsWith("did you mean ResourceClaim?");
    }

    @Test
    void suggestsExactlyForFlatRequest() {
        assertThat(ManifestFixtures.findingsInDevices("{requests: [{name: a, deviceClassName: gpu, count: 2}]}"))
                .containsExactly(
                        "f.yaml:5: spec.devices.requests[0].deviceClassName: unknown field: put it under exactly: (flat"
                                + " requests are the v1beta1 form)",
                        "f.yaml:5: spec.devices.requests[0].count: unknown field: put it under exactly: (flat requests"
                                + " are the v1beta1 form)");
    }

    @Test
    void rejectsExactlyInV1beta1() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1beta1
                kind: ResourceClaim
                metadata: {name: c}
                spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}
                """))
                .containsExactly(
                        "f.yaml:4: spec.devices.requests[0].exactly: unknown field: v1beta1 has no exactly: write"
                                + " apiVersion resource.k8s.io/v1");
    }

    @Test
    void rejectsRemovedSuitableNodes() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu}
                spec:
                  suitableNodes: {nodeSelectorTerms: []}
                """))
                .singleElement()
                .asString()
                .startsWith("f.yaml:5: spec.suitableNodes: unknown field: it was removed in 1.32");
    }

    @Test
    void rejectsConstraintsInsideRequest() {
        assertThat(ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceClassName: gpu}, constraints: []}]}"))
                .singleElement()
                .asString()
                .contains("spec.devices.requests[0].constraints: unknown field: constraints stand beside requests");
        assertThat(ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceClassName: gpu, constraints: []}}]}"))
                .singleElement()
                .asString()
                .contains("spec.devices.requests[0].exactly.constraints: unknown field: constraints stand beside");
    }

    @Test
    void suggestsFirstAvailableForAnyOf() {
        assertThat(ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceClassName: gpu}, anyOf: true}]}"))
                .singleElement()
                .asString()
                .contains("anyOf: unknown field: write firstAvailable:");
        assertThat(ManifestFixtures.findingsInDevices("{constraints: [{anyOf: true}]}"))
                .first()
                .asString()
                .endsWith("write one of matchAttribute: domain/name and distinctAttribute: domain/name");
        assertThat(ManifestFixtures.findingsInDevices("{constraints: [{anyOf: true}]}"))
                .last()
                .asString()
                .contains("constraints[0].anyOf: unknown field: write firstAvailable:");
    }

    @Test
    void rejectsBasicDevicesOutsideV1beta1() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 1, resourceSliceCount: 1}
                  allNodes: true
                  devices: [{name: a, basic: {}}]
                """))
                .containsExactly(
                        "f.yaml:8: spec.devices[0].basic: unknown field: basic is the v1beta1 form: move its fields"
                                + " up to the device itself");
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1beta1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 1, resourceSliceCount: 1}
                  allNodes: true
                  devices: [{name: a, attributes: {}}]
                """))
                .containsExactly("f.yaml:8: spec.devices[0].attributes: unknown field: put it under basic:, or write"
                        + " apiVersion resource.k8s.io/v1");
    }

    @Test
    void rejectsClaimSourceOfPod() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  resourceClaims:
                  - name: gpu
                    source: {resourceClaimTemplateName: t}
                """))
                .containsExactly("f.yaml:7: spec.resourceClaims[0].source: unknown field: it was removed in 1.31: write"
                        + " resourceClaimName or resourceClaimTemplateName directly");
    }

    @Test
    void rejectsUntypedAttributesAndCapacities() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 1, resourceSliceCount: 1}
                  allNodes: true
                  devices:
                  - name: a
                    attributes:
                      type: gpu
                      memory: {quantity: 40Gi}
                      none: {}
                      two: {int: 1, bool: true}
                    capacity: {memory: 40Gi}
                """))
                .containsExactly(
                        "f.yaml:11: spec.devices[0].attributes[type]: expected fields, found a text (gpu): name the type,"
                                + " for example {string: gpu}",
                        "f.yaml:12: spec.devices[0].attributes[memory].quantity: unknown field: quantities are"
                                + " capacities: write capacity: {name: {value: 40Gi}} beside attributes",
                        "f.yaml:13: spec.devices[0].attributes[none]: Invalid value: exactly one value must be specified:"
                                + " write one of int, bool, string, version",
                        "f.yaml:14: spec.devices[0].attributes[two]: Invalid value: exactly one value must be specified:"
                                + " write one of int, bool, string, version",
                        "f.yaml:15: spec.devices[0].capacity[memory]: expected fields, found a text (40Gi): write {value:"
                                + " 40Gi}");
    }

    @Test
    void suggestsNameForMisspeltField() {
        assertThat(ManifestFixtures.findingsInDevices(
                        "{requests: [{name: a, exactly: {deviceclassname: gpu, selector: []}}]}"))
                .containsExactly(
                        "f.yaml:5: spec.devices.requests[0].exactly.deviceclassname: unknown field: did you mean"
                                + " deviceClassName?",
                        "f.yaml:5: spec.devices.requests[0].exactly.selector: unknown field: did you mean selectors?");
    }

    @Test
    void keepsUnknownFieldsOfServedObject() {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 1, resourceSliceCount: 1}
                  someOfNodes: true
                  devices: [{name: a, attributes: {x: {complex: 1}}, fancy: true}]
                """;
        ManifestReadResult reading = Manifests.read(
                "f.yaml",
                new java.io.ByteArrayInputStream(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED));
        assertThat(reading.manifests()).hasSize(1);
        assertThat(reading.hasErrors()).isFalse();
        assertThat(reading.findings()).isNotEmpty();
        assertThat(Manifests.read("f.yaml", text).manifests()).isEmpty();
    }
}
