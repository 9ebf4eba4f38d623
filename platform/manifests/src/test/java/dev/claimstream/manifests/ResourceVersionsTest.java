package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Toleration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every version of {@code resource.k8s.io} is read into the same object. */
class ResourceVersionsTest {
    private static final String DEVICE = """
                attributes:
                  type: {string: gpu}
                  index: {int: 3}
                  healthy: {bool: true}
                  driverVersion: {version: 1.2.3-rc.1}
                  example.com/numa: {ints: [0, 1]}
                capacity:
                  memory:
                    value: 80Gi
                    requestPolicy:
                      default: 10Gi
                      validRange: {min: 10Gi, max: 80Gi, step: 10Gi}
                  cores: {value: 8}
                consumesCounters:
                - counterSet: gpu-0
                  counters: {memory: {value: 40Gi}}
                taints:
                - {key: example.com/broken, value: x, effect: NoSchedule, timeAdded: 2026-01-02T03:04:05Z}
                allowMultipleAllocations: true
                bindsToNode: true
                bindingConditions: [ready]
                bindingFailureConditions: [failed]
            """;

    private static String slice(String version, String device) {
        return """
                apiVersion: resource.k8s.io/%s
                kind: ResourceSlice
                metadata: {name: s, uid: u, generation: 3, resourceVersion: "7", managedFields: [{manager: x}]}
                spec:
                  driver: gpu.example.com
                  pool: {name: node-1, generation: 2, resourceSliceCount: 1}
                  nodeName: node-1
                  devices:
                  - name: gpu-0
                %s
                """.formatted(version, device);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta2"})
    void readsFlatDevicesOfSlice(String version) {
        assertDeviceFields(ManifestFixtures.readSingle(ResourceSlice.class, slice(version, DEVICE)));
    }

    @Test
    void readsBasicDevicesOfV1beta1Slice() {
        assertDeviceFields(
                ManifestFixtures.readSingle(ResourceSlice.class, slice("v1beta1", "    basic:\n" + DEVICE.indent(2))));
    }

    private static void assertDeviceFields(ResourceSlice slice) {
        assertThat(slice.driver()).isEqualTo("gpu.example.com");
        assertThat(slice.pool()).isEqualTo("node-1");
        assertThat(slice.generation()).isEqualTo(2);
        assertThat(slice.scope()).isEqualTo(new NodeScope.SingleNode("node-1"));
        var device = slice.devices().getFirst();
        assertThat(device.attributes())
                .containsEntry("type", new AttributeValue.StringValue("gpu"))
                .containsEntry("index", new AttributeValue.IntValue(3))
                .containsEntry("healthy", new AttributeValue.BoolValue(true))
                .containsEntry("driverVersion", new AttributeValue.VersionValue("1.2.3-rc.1"))
                .containsEntry("example.com/numa", new AttributeValue.IntList(List.of(0L, 1L)));
        assertThat(device.capacity()).containsEntry("cores", DeviceCapacity.of(Quantity.of(8)));
        var policy = Optional.ofNullable(device.capacity().get("memory"))
                .flatMap(DeviceCapacity::policy)
                .orElseThrow();
        assertThat(policy.validRange().orElseThrow().step()).contains(Quantity.parse("10Gi"));
        assertThat(device.consumesCounters().getFirst().counters()).containsEntry("memory", Quantity.parse("40Gi"));
        assertThat(device.taints().getFirst().timeAdded()).contains(Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(device.bindsToNode()).isTrue();
        assertThat(device.allowMultipleAllocations()).isTrue();
        assertThat(device.bindingConditions()).containsExactly("ready");
        assertThat(device.bindingFailureConditions()).containsExactly("failed");
        assertThat(device.scope()).isEqualTo(new NodeScope.UnknownScope());
    }

    @Test
    void readsPerDeviceNodesAndSharedCounters() {
        ResourceSlice perDevice = ManifestFixtures.readSingle(ResourceSlice.class, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 0, resourceSliceCount: 2}
                  perDeviceNodeSelection: true
                  devices:
                  - {name: a, allNodes: true}
                  - name: b
                    nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: rack, operator: In, values: [r1]}]}]}
                """);
        assertThat(perDevice.scope()).isEqualTo(new NodeScope.PerDevice());
        assertThat(perDevice.devices().getFirst().scope()).isEqualTo(new NodeScope.AllNodes());
        assertThat(perDevice.devices().get(1).scope()).isInstanceOf(NodeScope.MatchingNodes.class);
        ResourceSlice counters = ManifestFixtures.readSingle(ResourceSlice.class, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: s}
                spec:
                  driver: d
                  pool: {name: p, generation: 0, resourceSliceCount: 2}
                  allNodes: true
                  sharedCounters: [{name: gpu-0, counters: {memory: {value: 80Gi}}}]
                """);
        assertThat(counters.scope()).isEqualTo(new NodeScope.AllNodes());
        assertThat(counters.sharedCounters().getFirst().counters()).containsEntry("memory", Quantity.parse("80Gi"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta2", "v1beta1"})
    void readsDeviceClassOfEveryVersion(String version) {
        DeviceClass read = ManifestFixtures.readSingle(DeviceClass.class, """
                apiVersion: resource.k8s.io/%s
                kind: DeviceClass
                metadata: {name: gpu.example.com, creationTimestamp: null, labels: {team: "7"}}
                spec:
                  selectors:
                  - cel:
                      expression: |-
                        device.driver == "gpu.example.com" &&
                        device.attributes["gpu.example.com"].type == "gpu"
                  config:
                  - opaque: {driver: gpu.example.com, parameters: {kind: X, b: [1, 2.5, true, null], a: "1"}}
                  extendedResourceName: example.com/gpu
                """.formatted(version));
        assertThat(read.selectors().getFirst()).startsWith("device.driver ==").contains("\n");
        assertThat(read.config())
                .containsExactly(
                        new OpaqueConfig("gpu.example.com", "{\"a\":\"1\",\"b\":[1,2.5,true,null],\"kind\":\"X\"}"));
        assertThat(read.extendedResourceName()).contains("example.com/gpu");
        assertThat(read.meta().labels()).containsEntry("team", "7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta2", "v1beta1"})
    void readsClaimOfEveryVersion(String version) {
        boolean flat = version.equals("v1beta1");
        ResourceClaim claim = ManifestFixtures.readSingle(ResourceClaim.class, """
                apiVersion: resource.k8s.io/%s
                kind: ResourceClaim
                metadata: {name: c, namespace: ns}
                spec:
                  devices:
                    requests:
                    - {name: a, %s deviceClassName: gpu, selectors: [{cel: {expression: "true"}}], count: 2,
                       adminAccess: false, tolerations: [{key: k, effect: NoExecute, tolerationSeconds: 5}],
                       capacity: {requests: {memory: 10Gi}} %s}
                    - {name: b, %s deviceClassName: gpu, allocationMode: All %s}
                    - name: c
                      firstAvailable:
                      - {name: big, deviceClassName: big}
                      - {name: small, deviceClassName: small, count: 4}
                    constraints:
                    - {requests: [a, c/big], matchAttribute: example.com/root}
                    - {distinctAttribute: example.com/slot}
                    config:
                    - {requests: [c], opaque: {driver: d, parameters: {x: why}}}
                """.formatted(
                        version, flat ? "" : "exactly: {", flat ? "" : "}", flat ? "" : "exactly: {", flat ? "" : "}"));
        var first = (DeviceRequest.Exactly) claim.spec().requests().getFirst();
        assertThat(first.spec().count()).isEqualTo(2);
        assertThat(first.spec().selectors()).containsExactly("true");
        assertThat(first.adminAccess()).contains(false);
        assertThat(first.spec().tolerations())
                .containsExactly(new Toleration("k", "Equal", "", "NoExecute", Optional.of(5L)));
        assertThat(first.spec().capacity()).containsEntry("memory", Quantity.parse("10Gi"));
        var all = (DeviceRequest.Exactly) claim.spec().requests().get(1);
        assertThat(all.spec().allocationMode()).isEqualTo(AllocationMode.ALL);
        assertThat(all.adminAccess()).isEmpty();
        var either = (DeviceRequest.FirstAvailable) claim.spec().requests().get(2);
        assertThat(either.alternatives()).extracting(a -> a.spec().count()).containsExactly(1L, 4L);
        assertThat(claim.spec().constraints())
                .containsExactly(
                        new DeviceConstraint.MatchAttribute(List.of("a", "c/big"), "example.com/root"),
                        new DeviceConstraint.DistinctAttribute(List.of(), "example.com/slot"));
        assertThat(claim.spec().config().getFirst().opaque()).isEqualTo(new OpaqueConfig("d", "{\"x\":\"why\"}"));
    }

    @Test
    void readsStatusOfClaim() {
        ResourceClaim claim = ManifestFixtures.readSingle(ResourceClaim.class, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata:
                  name: c
                  deletionTimestamp: 2026-01-01T00:00:00Z
                  ownerReferences:
                  - {apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u0}
                  - {apiVersion: v1, kind: Pod, name: p, uid: u1, controller: true, blockOwnerDeletion: true}
                spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu}}]}}
                status:
                  allocation:
                    allocationTimestamp: 2026-01-02T03:04:05Z
                    devices:
                      results:
                      - {request: a, driver: d, pool: p/q, device: gpu-0, adminAccess: true,
                         shareID: 0b1c2d3e-0000-4000-8000-000000000000, consumedCapacity: {memory: 1Gi}}
                      config:
                      - {source: FromClass, requests: [a], opaque: {driver: d, parameters: {}}}
                    nodeSelector:
                      nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]
                  reservedFor: [{resource: pods, name: p, uid: u1}]
                  devices: [{driver: d, pool: p, device: gpu-0, conditions: []}]
                """);
        assertThat(claim.meta().controller()).contains(Owner.pod("p", "u1"));
        assertThat(claim.meta().deleting()).isTrue();
        var allocation = claim.allocation().orElseThrow();
        assertThat(allocation.allocationTimestamp()).contains(Instant.parse("2026-01-02T03:04:05Z"));
        assertThat(allocation.nodeSelector().orElseThrow().onlyNode()).contains("n1");
        assertThat(allocation.results().getFirst().device()).isEqualTo(new DeviceId("d", "p/q", "gpu-0"));
        assertThat(allocation.results().getFirst().adminAccess()).isTrue();
        assertThat(allocation.config()).hasSize(1);
        assertThat(claim.reservedFor()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta2", "v1beta1"})
    void readsClaimTemplateOfEveryVersion(String version) {
        ResourceClaimTemplate template = ManifestFixtures.readSingle(ResourceClaimTemplate.class, """
                apiVersion: resource.k8s.io/%s
                kind: ResourceClaimTemplate
                metadata: {name: t}
                spec:
                  metadata: {creationTimestamp: null, labels: {a: b}, annotations: {c: "d e"}}
                  spec: {devices: {requests: [{name: r, %s deviceClassName: gpu %s}]}}
                """.formatted(
                        version, version.equals("v1beta1") ? "" : "exactly: {", version.equals("v1beta1") ? "" : "}"));
        assertThat(template.claimLabels()).containsEntry("a", "b");
        assertThat(template.claimAnnotations()).containsEntry("c", "d e");
        assertThat(template.spec().requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1beta2", "v1alpha3"})
    void readsTaintRuleOfEveryVersion(String version) {
        DeviceTaintRule rule = ManifestFixtures.readSingle(DeviceTaintRule.class, """
                apiVersion: resource.k8s.io/%s
                kind: DeviceTaintRule
                metadata: {name: r}
                spec:
                  deviceSelector: {driver: d, pool: p}
                  taint: {key: example.com/bad, effect: NoExecute}
                status: {conditions: []}
                """.formatted(version));
        assertThat(rule.selector())
                .contains(
                        new DeviceTaintRule.DeviceTaintSelector(Optional.of("d"), Optional.of("p"), Optional.empty()));
        assertThat(rule.taint()).hasToString("example.com/bad:NoExecute");
    }

    @Test
    void distinguishesAbsentAndEmptyDeviceSelector() {
        String rule = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceTaintRule
                metadata: {name: r}
                spec: {taint: {key: k, effect: None}%s}
                """;
        assertThat(ManifestFixtures.readSingle(DeviceTaintRule.class, rule.formatted(""))
                        .selector())
                .isEmpty();
        assertThat(ManifestFixtures.readSingle(DeviceTaintRule.class, rule.formatted(", deviceSelector: {}"))
                        .selector())
                .isPresent();
    }

    @Test
    void sortsLabelsByName() {
        DeviceClass read = ManifestFixtures.readSingle(
                DeviceClass.class,
                "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"DeviceClass\",\"metadata\":{\"name\":\"c\",\"labels\":{\"b\":\"1\",\"a\":\"2\"}},\"spec\":{}}");
        assertThat(read.meta().labels()).isEqualTo(new TreeMap<>(Map.of("a", "2", "b", "1")));
    }
}
