package dev.claimstream.manifests;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceConstraint;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Drops the fields of disabled features from written objects, as an API server does before validation.
 *
 * <p>Source: {@code dropDisabledFields} in {@code pkg/registry/resource/*}{@code /strategy.go}. A feature that the stored object uses
 * counts as enabled: its fields were stored while the gate was on. Objects of a real cluster are never passed to this class.
 */
public final class DisabledFields {
    private static final String SCOPE_FIELDS = "nodeName, nodeSelector and allNodes";

    private final FeatureGates features;
    private final DroppedFields dropped = new DroppedFields();

    private DisabledFields(FeatureGates features) {
        this.features = features;
    }

    /**
     * An object without the fields of disabled features.
     *
     * @param findings a warning per dropped field, and an error if the object is invalid without it
     */
    public record DropResult(Manifest manifest, List<ManifestFinding> findings) {
        public DropResult {
            findings = List.copyOf(findings);
        }

        /** Returns whether the API server accepts the object. */
        public boolean isValid() {
            return findings.stream().noneMatch(ManifestFinding::isError);
        }
    }

    /** Drops the disabled fields of a created object. */
    public static DropResult drop(Manifest manifest, FeatureGates features) {
        return drop(manifest, Optional.empty(), features);
    }

    /**
     * Drops the disabled fields of a created or updated object.
     *
     * @param stored the object with this kind and name in the cluster, which the manifest updates
     */
    public static DropResult drop(Manifest manifest, Optional<ClusterObject> stored, FeatureGates features) {
        return dropDisabled(
                manifest, stored.map(object -> withFeaturesOf(features, object)).orElse(features));
    }

    /** Enables the features that an object uses. A field can need two features: the second one is found after the first is enabled. */
    private static FeatureGates withFeaturesOf(FeatureGates features, ClusterObject object) {
        FeatureGates all = features;
        boolean isComplete = false;
        while (!isComplete) {
            var fields = new DisabledFields(all);
            ClusterObject unused = fields.withoutDisabled(object);
            isComplete = fields.dropped.isEmpty();
            for (Feature each : fields.dropped.features()) {
                all = all.with(each, true);
            }
        }
        return all;
    }

    private static DropResult dropDisabled(Manifest manifest, FeatureGates features) {
        var fields = new DisabledFields(features);
        ClusterObject object = fields.withoutDisabled(manifest.object());
        List<ManifestFinding> findings = new ArrayList<>(fields.errorsInKeptFields(manifest));
        if (fields.dropped.isEmpty()) {
            return new DropResult(manifest, findings);
        }
        findings.addAll(fields.dropped.warnings(manifest));
        fields.validationError(object)
                .ifPresent(message -> findings.add(manifest.error(
                        fields.dropped.firstPath(),
                        "",
                        message,
                        "the API server rejects the object without the dropped field")));
        return new DropResult(
                new Manifest(
                        object,
                        manifest.apiVersion(),
                        manifest.location(),
                        manifest.generateName(),
                        manifest.locations(),
                        manifest.expressions().stream()
                                .filter(each -> each.purpose() == Manifest.CelExpression.ExpressionUsage.SELECTOR
                                        || features.has(Feature.DERIVED_ATTRIBUTES))
                                .toList(),
                        List.of(),
                        manifest.template()),
                findings);
    }

    /** Returns the errors in fields that are kept, and records the fields of the others as dropped: their values may not be in the object. */
    private List<ManifestFinding> errorsInKeptFields(Manifest manifest) {
        List<ManifestFinding> errors = new ArrayList<>();
        for (ManifestFinding each : manifest.disabledFindings()) {
            Optional<GatedField> field = GatedField.of(manifest.object().kind(), each.field(), features);
            field.ifPresentOrElse(dropped::addUnlessKnown, () -> errors.add(each));
        }
        return errors;
    }

    /** Returns the error of the API server if a required field was dropped. */
    private Optional<String> validationError(ClusterObject object) {
        if (dropped.features().contains(Feature.LIST_TYPE_ATTRIBUTES)) {
            return Optional.of("exactly one value must be specified");
        }
        return switch (object) {
            case ResourceSlice slice
            when slice.scope() instanceof NodeScope.UnknownScope ->
                Optional.of("exactly one of `nodeName`, `nodeSelector`, `allNodes` is required");
            case ResourceClaim claim -> validationError(claim.spec());
            case ResourceClaimTemplate template -> validationError(template.spec());
            case ResourceSlice _, DeviceClass _, DeviceTaintRule _, Node _, Pod _, PodGroup _, Namespace _ ->
                Optional.empty();
        };
    }

    private static Optional<String> validationError(ClaimSpec spec) {
        if (spec.requests().stream().anyMatch(DeviceRequest.UnknownRequest.class::isInstance)) {
            return Optional.of("exactly one of `exactly` or `firstAvailable` is required");
        }
        return spec.constraints().stream().anyMatch(DeviceConstraint.UnknownConstraint.class::isInstance)
                ? Optional.of("exactly one of \"matchAttribute\" or \"distinctAttribute\" is required")
                : Optional.empty();
    }

    // ---- dropping
    // --------------------------------------------------------------------------------------------------------------

    /** Returns whether a field is set and must be dropped, and records it. */
    private boolean dropIfDisabled(boolean isSet, String path, String name, Feature feature) {
        if (!isSet || features.has(feature)) {
            return false;
        }
        String fieldPath = name.equals(SCOPE_FIELDS) ? path : path + "." + name;
        dropped.add(new GatedField(fieldPath, name, feature));
        return true;
    }

    private ClusterObject withoutDisabled(ClusterObject object) {
        return switch (object) {
            case ResourceSlice slice -> withoutDisabled(slice);
            case ResourceClaim claim ->
                new ResourceClaim(
                        claim.meta(), withoutDisabled(claim.spec(), "spec"), claim.allocation(), claim.reservedFor());
            case ResourceClaimTemplate template ->
                new ResourceClaimTemplate(
                        template.meta(),
                        template.claimLabels(),
                        template.claimAnnotations(),
                        withoutDisabled(template.spec(), "spec.spec"));
            case DeviceClass deviceClass ->
                dropIfDisabled(
                                deviceClass.extendedResourceName().isPresent(),
                                "spec",
                                "extendedResourceName",
                                Feature.EXTENDED_RESOURCE)
                        ? new DeviceClass(
                                deviceClass.meta(),
                                deviceClass.selectors(),
                                deviceClass.config(),
                                Optional.empty(),
                                deviceClass.allocator())
                        : deviceClass;
            case DeviceTaintRule _, Node _, Pod _, PodGroup _, Namespace _ -> object;
        };
    }

    private ResourceSlice withoutDisabled(ResourceSlice slice) {
        boolean noCounters = dropIfDisabled(
                !slice.sharedCounters().isEmpty(), "spec", "sharedCounters", Feature.PARTITIONABLE_DEVICES);
        boolean noScopes = dropIfDisabled(
                slice.scope() instanceof NodeScope.PerDevice,
                "spec",
                "perDeviceNodeSelection",
                Feature.PARTITIONABLE_DEVICES);
        boolean noSkips = dropIfDisabled(
                !slice.skipNodeOperations().isEmpty(), "spec", "skipNodeOperations", Feature.OPTIONAL_NODE_OPERATIONS);
        List<Device> devices = new ArrayList<>();
        for (int i = 0; i < slice.devices().size(); i++) {
            devices.add(withoutDisabled(slice.devices().get(i), "spec.devices[%d]".formatted(i)));
        }
        return slice.toBuilder()
                .scope(noScopes ? new NodeScope.UnknownScope() : slice.scope())
                .devices(devices)
                .sharedCounters(noCounters ? List.of() : slice.sharedCounters())
                .skipNodeOperations(noSkips ? List.of() : slice.skipNodeOperations())
                .build();
    }

    private Device withoutDisabled(Device device, String path) {
        boolean noTaints = dropIfDisabled(!device.taints().isEmpty(), path, "taints", Feature.DEVICE_TAINTS);
        boolean noCounters = dropIfDisabled(
                !device.consumesCounters().isEmpty(), path, "consumesCounters", Feature.PARTITIONABLE_DEVICES);
        boolean noScope = dropIfDisabled(
                !(device.scope() instanceof NodeScope.UnknownScope), path, SCOPE_FIELDS, Feature.PARTITIONABLE_DEVICES);
        boolean noShares = dropIfDisabled(
                device.allowMultipleAllocations(), path, "allowMultipleAllocations", Feature.CONSUMABLE_CAPACITY);
        boolean noPolicies = dropIfDisabled(
                device.capacity().values().stream()
                        .anyMatch(each -> each.policy().isPresent()),
                path,
                "requestPolicy",
                Feature.CONSUMABLE_CAPACITY);
        Feature binding = features.has(Feature.DEVICE_BINDING_CONDITIONS)
                ? Feature.RESOURCE_CLAIM_DEVICE_STATUS
                : Feature.DEVICE_BINDING_CONDITIONS;
        boolean noConditions =
                dropIfDisabled(!device.bindingConditions().isEmpty(), path, "bindingConditions", binding);
        boolean noFailures =
                dropIfDisabled(!device.bindingFailureConditions().isEmpty(), path, "bindingFailureConditions", binding);
        boolean isUnbound = dropIfDisabled(device.bindsToNode(), path, "bindsToNode", binding);
        boolean noRoom = dropIfDisabled(
                !device.nodeAllocatable().isEmpty(),
                path,
                "nodeAllocatableResources",
                Feature.NODE_ALLOCATABLE_RESOURCES);
        return Device.builder(device.name())
                .attributes(withoutLists(device.attributes(), path))
                .capacity(noPolicies ? withoutPolicies(device.capacity()) : device.capacity())
                .consumesCounters(noCounters ? List.of() : withoutGroups(device.consumesCounters(), path))
                .scope(noScope ? new NodeScope.UnknownScope() : device.scope())
                .taints(noTaints ? List.of() : device.taints())
                .bindsToNode(!isUnbound && device.bindsToNode())
                .bindingConditions(noConditions ? List.of() : device.bindingConditions())
                .bindingFailureConditions(noFailures ? List.of() : device.bindingFailureConditions())
                .allowMultipleAllocations(!noShares && device.allowMultipleAllocations())
                .nodeAllocatable(noRoom ? new TreeMap<>() : device.nodeAllocatable())
                .build();
    }

    private static SortedMap<String, DeviceCapacity> withoutPolicies(SortedMap<String, DeviceCapacity> capacity) {
        SortedMap<String, DeviceCapacity> plain = new TreeMap<>(capacity);
        plain.replaceAll((name, each) -> DeviceCapacity.of(each.value()));
        return plain;
    }

    private List<CounterConsumption> withoutGroups(List<CounterConsumption> consumption, String path) {
        Predicate<CounterConsumption> hasGroups =
                each -> !each.compatibilityGroups().isEmpty();
        return dropIfDisabled(
                        consumption.stream().anyMatch(hasGroups),
                        path + ".consumesCounters",
                        "compatibilityGroups",
                        Feature.DEVICE_COMPATIBILITY_GROUPS)
                ? consumption.stream()
                        .map(each -> new CounterConsumption(each.counterSet(), each.counters(), List.of()))
                        .toList()
                : consumption;
    }

    private SortedMap<String, AttributeValue> withoutLists(SortedMap<String, AttributeValue> attributes, String path) {
        boolean hasLists = attributes.values().stream().anyMatch(DisabledFields::isList);
        if (!dropIfDisabled(hasLists, path, "attributes", Feature.LIST_TYPE_ATTRIBUTES)) {
            return attributes;
        }
        SortedMap<String, AttributeValue> scalars = new TreeMap<>(attributes);
        scalars.values().removeIf(DisabledFields::isList);
        return scalars;
    }

    private static boolean isList(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntList _,
                    AttributeValue.BoolList _,
                    AttributeValue.StringList _,
                    AttributeValue.VersionList _ -> true;
            case AttributeValue.IntValue _,
                    AttributeValue.BoolValue _,
                    AttributeValue.StringValue _,
                    AttributeValue.VersionValue _,
                    AttributeValue.UnknownValue _ -> false;
        };
    }

    // ---- claims
    // --------------------------------------------------------------------------------------------------------------

    private ClaimSpec withoutDisabled(ClaimSpec spec, String path) {
        List<DeviceRequest> requests = new ArrayList<>();
        for (int i = 0; i < spec.requests().size(); i++) {
            requests.add(withoutDisabled(spec.requests().get(i), "%s.devices.requests[%d]".formatted(path, i)));
        }
        List<DeviceConstraint> constraints = new ArrayList<>();
        for (int i = 0; i < spec.constraints().size(); i++) {
            DeviceConstraint constraint = spec.constraints().get(i);
            boolean isDropped = dropIfDisabled(
                    constraint instanceof DeviceConstraint.DistinctAttribute,
                    "%s.devices.constraints[%d]".formatted(path, i),
                    "distinctAttribute",
                    Feature.CONSUMABLE_CAPACITY);
            constraints.add(isDropped ? new DeviceConstraint.UnknownConstraint(constraint.requests()) : constraint);
        }
        return new ClaimSpec(requests, constraints, spec.config());
    }

    private DeviceRequest withoutDisabled(DeviceRequest request, String path) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> {
                boolean noAccess = dropIfDisabled(
                        exactly.adminAccess().isPresent(), path + ".exactly", "adminAccess", Feature.ADMIN_ACCESS);
                yield new DeviceRequest.Exactly(
                        exactly.name(),
                        withoutDisabled(exactly.spec(), path + ".exactly"),
                        noAccess ? Optional.empty() : exactly.adminAccess());
            }
            case DeviceRequest.FirstAvailable first -> {
                if (dropIfDisabled(true, path, "firstAvailable", Feature.PRIORITIZED_LIST)) {
                    yield new DeviceRequest.UnknownRequest(first.name());
                }
                List<DeviceRequest.Alternative> alternatives = new ArrayList<>();
                for (int i = 0; i < first.alternatives().size(); i++) {
                    DeviceRequest.Alternative each = first.alternatives().get(i);
                    alternatives.add(new DeviceRequest.Alternative(
                            each.name(), withoutDisabled(each.spec(), "%s.firstAvailable[%d]".formatted(path, i))));
                }
                yield new DeviceRequest.FirstAvailable(first.name(), alternatives);
            }
            case DeviceRequest.UnknownRequest unsupported -> unsupported;
        };
    }

    private RequestSpec withoutDisabled(RequestSpec spec, String path) {
        boolean noTolerations =
                dropIfDisabled(!spec.tolerations().isEmpty(), path, "tolerations", Feature.DEVICE_TAINTS);
        boolean noCapacity = dropIfDisabled(!spec.capacity().isEmpty(), path, "capacity", Feature.CONSUMABLE_CAPACITY);
        boolean noDerived = dropIfDisabled(
                !spec.derivedAttributes().isEmpty(), path, "derivedAttributes", Feature.DERIVED_ATTRIBUTES);
        return new RequestSpec(
                spec.deviceClassName(),
                spec.selectors(),
                spec.allocationMode(),
                spec.count(),
                noTolerations ? List.of() : spec.tolerations(),
                noCapacity ? new TreeMap<>() : spec.capacity(),
                noDerived ? List.of() : spec.derivedAttributes());
    }
}
