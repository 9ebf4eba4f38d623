package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which fields of disabled features are dropped, and which objects are invalid without them. */
class DisabledFieldsTest {
    private static final String SLICE = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: s}
            spec:
              driver: d.example.com
              nodeName: node-1
              pool: {name: p, generation: 1, resourceSliceCount: 2}
              devices:
              - name: a
                allowMultipleAllocations: true
                capacity: {bandwidth: {value: 10G, requestPolicy: {default: 1M, validRange: {min: 1M}}}}
                taints: [{key: broken, effect: NoSchedule}]
                consumesCounters: [{counterSet: c, counters: {units: {value: "1"}}}]
              - name: b
                bindingConditions: [ready]
                bindingFailureConditions: [failed]
                consumesCounters: [{counterSet: c, counters: {units: {value: "1"}}}]
            """;
    private static final String COUNTERS = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: s}
            spec:
              driver: d.example.com
              nodeName: node-1
              pool: {name: p, generation: 1, resourceSliceCount: 2}
              sharedCounters: [{name: c, counters: {units: {value: "4"}}}]
            """;
    private static final String CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c}
            spec:
              devices:
                requests:
                - name: r
                  exactly:
                    deviceClassName: net
                    capacity: {requests: {bandwidth: 1G}}
                    tolerations: [{key: broken, operator: Exists}]
            """;

    private static final String PER_DEVICE = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: s}
            spec:
              driver: d.example.com
              perDeviceNodeSelection: true
              pool: {name: p, generation: 1, resourceSliceCount: 1}
              devices: [{name: a, nodeName: node-1, attributes: {x: {ints: [1, 2]}}}]
            """;
    private static final String FIRST = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c}
            spec:
              devices:
                requests:
                - name: r
                  firstAvailable:
                  - {name: a, deviceClassName: gpu, capacity: {requests: {memory: 1Gi}}}
            """;

    private static DisabledFields.DropResult drop(String text, Feature... off) {
        ManifestReadResult reading = Manifests.read("f.yaml", text);
        assertThat(reading.findings()).isEmpty();
        FeatureGates features = FeatureGates.all();
        for (Feature each : off) {
            features = features.with(each, false);
        }
        return DisabledFields.drop(reading.manifests().getFirst(), features);
    }

    private static List<String> messages(DisabledFields.DropResult admitted) {
        return admitted.findings().stream().map(ManifestFinding::toString).toList();
    }

    private static List<Device> devices(DisabledFields.DropResult admitted) {
        return ((ResourceSlice) admitted.manifest().object()).devices();
    }

    private static RequestSpec request(DisabledFields.DropResult admitted) {
        ResourceClaim claim = (ResourceClaim) admitted.manifest().object();
        return ((DeviceRequest.Exactly) claim.spec().requests().getFirst()).spec();
    }

    @Test
    void keepsObjectWhileAllGatesAreOn() {
        assertThat(drop(SLICE).findings()).isEmpty();
        assertThat(devices(drop(SLICE)).getFirst().consumesCounters()).isNotEmpty();
    }

    @Test
    void dropsCountersWithoutPartitionableDevices() {
        var slice = drop(SLICE, Feature.PARTITIONABLE_DEVICES);
        assertThat(slice.isValid()).isTrue();
        assertThat(devices(slice)).allMatch(each -> each.consumesCounters().isEmpty());
        assertThat(messages(slice))
                .singleElement()
                .asString()
                .contains(
                        "spec.devices[0].consumesCounters: warning: the API server drops consumesCounters here and in 1 more "
                                + "places while the feature gate DRAPartitionableDevices is off");
        var counters = drop(COUNTERS, Feature.PARTITIONABLE_DEVICES);
        assertThat(counters.isValid()).isTrue();
        assertThat(((ResourceSlice) counters.manifest().object()).sharedCounters())
                .isEmpty();
    }

    @Test
    void dropsSharesPoliciesAndRequestsWithoutConsumableCapacity() {
        Device device = devices(drop(SLICE, Feature.CONSUMABLE_CAPACITY)).getFirst();
        assertThat(device.allowMultipleAllocations()).isFalse();
        assertThat(device.capacity()).hasEntrySatisfying("bandwidth", bandwidth -> {
            assertThat(bandwidth.policy()).isEmpty();
            assertThat(bandwidth.value()).hasToString("10G");
        });
        assertThat(request(drop(CLAIM, Feature.CONSUMABLE_CAPACITY)).capacity()).isEmpty();
    }

    @Test
    void dropsTaintsAndTolerationsWithoutDeviceTaints() {
        assertThat(devices(drop(SLICE, Feature.DEVICE_TAINTS)))
                .allMatch(each -> each.taints().isEmpty());
        assertThat(request(drop(CLAIM, Feature.DEVICE_TAINTS)).tolerations()).isEmpty();
        assertThat(request(drop(CLAIM, Feature.DEVICE_TAINTS)).capacity()).isNotEmpty();
    }

    @Test
    void dropsBindingConditionsWithoutEitherGate() {
        for (Feature off : List.of(Feature.DEVICE_BINDING_CONDITIONS, Feature.RESOURCE_CLAIM_DEVICE_STATUS)) {
            var slice = drop(SLICE, off);
            assertThat(devices(slice))
                    .allMatch(each -> each.bindingConditions().isEmpty()
                            && each.bindingFailureConditions().isEmpty());
            assertThat(messages(slice)).allMatch(each -> each.contains(off.gate()));
        }
    }

    @Test
    void rejectsRequestWithoutRemainingFields() {
        var claim = drop("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec: {devices: {requests: [{name: r, firstAvailable: [{name: a, deviceClassName: gpu}]}]}}
                """, Feature.PRIORITIZED_LIST);
        assertThat(claim.isValid()).isFalse();
        assertThat(messages(claim))
                .anyMatch(each -> each.contains("exactly one of `exactly` or `firstAvailable` is required"));
    }

    @Test
    void rejectsConstraintWithoutRemainingFields() {
        var claim = drop("""
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec:
                  devices:
                    requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]
                    constraints: [{distinctAttribute: d.example.com/card}]
                """, Feature.CONSUMABLE_CAPACITY);
        assertThat(claim.isValid()).isFalse();
    }

    @Test
    void rejectsSliceWithoutNodesAndAttributeWithoutValue() {
        assertThat(drop(PER_DEVICE, Feature.PARTITIONABLE_DEVICES).isValid()).isFalse();
        assertThat(drop(PER_DEVICE, Feature.LIST_TYPE_ATTRIBUTES).isValid()).isFalse();
        assertThat(drop(PER_DEVICE, Feature.DEVICE_TAINTS).findings()).isEmpty();
    }

    private static DisabledFields.DropResult update(String text, Feature... off) {
        Manifest manifest = Manifests.read("f.yaml", text).manifests().getFirst();
        FeatureGates features = FeatureGates.all();
        for (Feature each : off) {
            features = features.with(each, false);
        }
        return DisabledFields.drop(manifest, Optional.of(manifest.object()), features);
    }

    @ParameterizedTest
    @EnumSource(Feature.class)
    void keepsFieldsThatStoredObjectUses(Feature off) {
        for (String text : List.of(SLICE, COUNTERS, CLAIM, PER_DEVICE, FIRST)) {
            var admitted = update(text, off);
            assertThat(admitted.findings()).isEmpty();
            assertThat(admitted.manifest())
                    .isEqualTo(Manifests.read("f.yaml", text).manifests().getFirst());
        }
    }

    @Test
    void keepsFieldsThatNeedTwoGates() {
        var slice = update(SLICE, Feature.DEVICE_BINDING_CONDITIONS, Feature.RESOURCE_CLAIM_DEVICE_STATUS);
        assertThat(slice.findings()).isEmpty();
        assertThat(update(FIRST, Feature.PRIORITIZED_LIST, Feature.CONSUMABLE_CAPACITY)
                        .findings())
                .isEmpty();
    }

    @Test
    void dropsFieldsThatStoredObjectDoesNotUse() {
        Manifest written = Manifests.read("f.yaml", SLICE).manifests().getFirst();
        var stored = drop(SLICE, Feature.DEVICE_TAINTS).manifest().object();
        FeatureGates features =
                FeatureGates.all().with(Feature.DEVICE_TAINTS, false).with(Feature.CONSUMABLE_CAPACITY, false);
        var admitted = DisabledFields.drop(written, Optional.of(stored), features);
        assertThat(devices(admitted).getFirst().taints()).isEmpty();
        assertThat(devices(admitted).getFirst().allowMultipleAllocations()).isTrue();
        assertThat(messages(admitted)).singleElement().asString().contains("DRADeviceTaints");
    }

    @Test
    void dropsNodesOfDeviceWithoutPartitionableDevices() {
        var slice = drop(PER_DEVICE, Feature.PARTITIONABLE_DEVICES);
        assertThat(devices(slice)).allMatch(each -> each.scope() instanceof NodeScope.UnknownScope);
    }

    private static Stream<Arguments> invalidValues() {
        return Stream.of(
                arguments(SLICE.replace("effect: NoSchedule", "effect: Sometimes"), Feature.DEVICE_TAINTS),
                arguments(SLICE.replace("{min: 1M}", "{min: 2M}"), Feature.CONSUMABLE_CAPACITY),
                arguments(SLICE.replace("[ready]", "[a, b, c, d, e]"), Feature.DEVICE_BINDING_CONDITIONS),
                arguments(SLICE.replace("[ready]", "[a, b, c, d, e]"), Feature.RESOURCE_CLAIM_DEVICE_STATUS),
                arguments(SLICE.replace("{counterSet: c,", "{counterSet: C_C,"), Feature.PARTITIONABLE_DEVICES),
                arguments(COUNTERS.replace("name: c,", "name: C_C,"), Feature.PARTITIONABLE_DEVICES),
                arguments(CLAIM.replace("operator: Exists", "operator: Sometimes"), Feature.DEVICE_TAINTS),
                arguments(CLAIM.replace("operator: Exists", "operator: Exists, value: x"), Feature.DEVICE_TAINTS),
                arguments(
                        CLAIM.replace(
                                "tolerations:",
                                "derivedAttributes: [{name: x, expression: \"\"}]\n        tolerations:"),
                        Feature.DERIVED_ATTRIBUTES));
    }

    private static ManifestReadResult read(String text, FeatureGates features) {
        return Manifests.read(
                "f.yaml",
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                ReadOptions.DEFAULT.with(features));
    }

    @ParameterizedTest
    @MethodSource("invalidValues")
    void dropsInvalidFieldsOfDisabledFeature(String text, Feature feature) {
        assertThat(read(text, FeatureGates.all()).hasErrors()).isTrue();
        FeatureGates features = FeatureGates.all().with(feature, false);
        ManifestReadResult reading = read(text, features);
        assertThat(reading.findings()).isEmpty();
        Manifest written = reading.manifests().getFirst();
        var admitted = DisabledFields.drop(written, features);
        assertThat(admitted.isValid()).isTrue();
        assertThat(messages(admitted)).isNotEmpty().allMatch(each -> each.contains("the feature gate"));
        assertThat(admitted.manifest().disabledFindings()).isEmpty();
        // Another gate: the value is validated.
        assertThat(DisabledFields.drop(written, FeatureGates.all()).isValid()).isFalse();
    }

    @Test
    void rejectsInvalidFieldThatStoredObjectUses() {
        FeatureGates features = FeatureGates.all().with(Feature.DEVICE_TAINTS, false);
        Manifest written = read(CLAIM.replace("operator: Exists", "operator: Sometimes"), features)
                .manifests()
                .getFirst();
        var stored = read(CLAIM, FeatureGates.all()).manifests().getFirst().object();
        assertThat(DisabledFields.drop(written, Optional.of(stored), features).isValid())
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tolerations: all", "tolerations: [{keys: broken}]", "tolerations: [{key: a, key: b}]"})
    void rejectsUndecodableFieldOfDisabledFeature(String field) {
        FeatureGates features = FeatureGates.all().with(Feature.DEVICE_TAINTS, false);
        String text = CLAIM.replace("tolerations: [{key: broken, operator: Exists}]", field);
        assertThat(read(text, features).hasErrors()).isTrue();
    }

    @Test
    void rejectsInvalidFieldOutsideDisabledFeature() {
        String text = CLAIM.replace("name: r", "name: R_R");
        FeatureGates features = FeatureGates.all().with(Feature.DEVICE_TAINTS, false);
        assertThat(read(text, features).hasErrors()).isTrue();
    }
}
