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
import dev.claimstream.dra.Features;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private final Features features;
    /** The dropped fields with the number of occurrences in the object; each key has the path of the first occurrence. */
    private final Map<Field, Integer> dropped = new LinkedHashMap<>();

    private DisabledFields(Features features) {
        this.features = features;
    }

    private record Field(String path, String name, Feature feature) {}

    /**
     * An object without the fields of disabled features.
     *
     * @param findings a warning per dropped field, and an error if the object is invalid without it
     */
    public record Admitted(Manifest manifest, List<Finding> findings) {
        public Admitted {
            findings = List.copyOf(findings);
        }

        /** Returns whether the API server accepts the object. */
        public boolean isValid() {
            return findings.stream().noneMatch(Finding::isError);
        }
    }

    /** Drops the disabled fields of a created object. */
    public static Admitted drop(Manifest manifest, Features features) {
        return drop(manifest, Optional.empty(), features);
    }

    /**
     * Drops the disabled fields of a created or updated object.
     *
     * @param stored the object with this kind and name in the cluster, which the manifest updates
     */
    public static Admitted drop(Manifest manifest, Optional<ClusterObject> stored, Features features) {
        return dropDisabled(
                manifest, stored.map(object -> withUsed(features, object)).orElse(features));
    }

    /** Enables the features that an object uses. A field can need two features: the second one is found after the first is enabled. */
    private static Features withUsed(Features features, ClusterObject object) {
        Features all = features;
        boolean isComplete = false;
        while (!isComplete) {
            var fields = new DisabledFields(all);
            ClusterObject unused = fields.without(object);
            isComplete = fields.dropped.isEmpty();
            for (Field field : fields.dropped.keySet()) {
                all = all.with(field.feature, true);
            }
        }
        return all;
    }

    private static Admitted dropDisabled(Manifest manifest, Features features) {
        var fields = new DisabledFields(features);
        ClusterObject object = fields.without(manifest.object());
        if (fields.dropped.isEmpty()) {
            return new Admitted(manifest, List.of());
        }
        List<Finding> findings = new ArrayList<>();
        fields.dropped.forEach((field, count) -> findings.add(fields.warning(manifest, field, count)));
        fields.invalid(object)
                .ifPresent(message -> findings.add(manifest.error(
                        fields.dropped.keySet().iterator().next().path,
                        "",
                        message,
                        "the API server refuses the object without the field that it drops")));
        return new Admitted(
                new Manifest(
                        object,
                        manifest.apiVersion(),
                        manifest.place(),
                        manifest.generateName(),
                        manifest.places(),
                        manifest.expressions().stream()
                                .filter(each -> each.purpose() == Manifest.Expression.Purpose.SELECTOR
                                        || features.has(Feature.DERIVED_ATTRIBUTES))
                                .toList()),
                findings);
    }

    private Finding warning(Manifest manifest, Field field, int count) {
        return new Finding(
                Finding.Severity.WARNING,
                manifest.placeOf(field.path),
                field.path,
                "",
                "the API server drops %s%s while the feature gate %s is off"
                        .formatted(
                                field.name,
                                count == 1 ? "" : " here and in %d more places".formatted(count - 1),
                                field.feature.gate()),
                "leave it out, or switch the gate on in the cluster and say so with --features %s=true"
                        .formatted(field.feature.gate()));
    }

    /** Returns the error of the API server if a required field was dropped. */
    private Optional<String> invalid(ClusterObject object) {
        if (dropped.keySet().stream().anyMatch(field -> field.feature == Feature.LIST_TYPE_ATTRIBUTES)) {
            return Optional.of("exactly one value must be specified");
        }
        return switch (object) {
            case ResourceSlice slice
            when slice.scope() instanceof NodeScope.Unset ->
                Optional.of("exactly one of `nodeName`, `nodeSelector`, `allNodes` is required");
            case ResourceClaim claim -> invalid(claim.spec());
            case ResourceClaimTemplate template -> invalid(template.spec());
            case ResourceSlice _, DeviceClass _, DeviceTaintRule _, Node _, Pod _, PodGroup _, Namespace _ ->
                Optional.empty();
        };
    }

    private static Optional<String> invalid(ClaimSpec spec) {
        if (spec.requests().stream().anyMatch(DeviceRequest.Unsupported.class::isInstance)) {
            return Optional.of("exactly one of `exactly` or `firstAvailable` is required");
        }
        return spec.constraints().stream().anyMatch(DeviceConstraint.Unsupported.class::isInstance)
                ? Optional.of("exactly one of \"matchAttribute\" or \"distinctAttribute\" is required")
                : Optional.empty();
    }

    // ---- dropping
    // --------------------------------------------------------------------------------------------------------------

    /** Returns whether a field is set and must be dropped, and records it. */
    private boolean goes(boolean isSet, String path, String name, Feature feature) {
        if (!isSet || features.has(feature)) {
            return false;
        }
        Optional<Field> known = dropped.keySet().stream()
                .filter(each -> each.name.equals(name) && each.feature == feature)
                .findFirst();
        String place = name.equals(SCOPE_FIELDS) ? path : path + "." + name;
        dropped.merge(known.orElse(new Field(place, name, feature)), 1, Integer::sum);
        return true;
    }

    private ClusterObject without(ClusterObject object) {
        return switch (object) {
            case ResourceSlice slice -> without(slice);
            case ResourceClaim claim ->
                new ResourceClaim(claim.meta(), without(claim.spec(), "spec"), claim.allocation(), claim.reservedFor());
            case ResourceClaimTemplate template ->
                new ResourceClaimTemplate(
                        template.meta(),
                        template.claimLabels(),
                        template.claimAnnotations(),
                        without(template.spec(), "spec.spec"));
            case DeviceClass deviceClass ->
                goes(
                                deviceClass.extendedResourceName().isPresent(),
                                "spec",
                                "extendedResourceName",
                                Feature.EXTENDED_RESOURCE)
                        ? new DeviceClass(
                                deviceClass.meta(),
                                deviceClass.selectors(),
                                deviceClass.config(),
                                Optional.empty(),
                                deviceClass.givenBy())
                        : deviceClass;
            case DeviceTaintRule _, Node _, Pod _, PodGroup _, Namespace _ -> object;
        };
    }

    private ResourceSlice without(ResourceSlice slice) {
        boolean noCounters =
                goes(!slice.sharedCounters().isEmpty(), "spec", "sharedCounters", Feature.PARTITIONABLE_DEVICES);
        boolean noScopes = goes(
                slice.scope() instanceof NodeScope.PerDevice,
                "spec",
                "perDeviceNodeSelection",
                Feature.PARTITIONABLE_DEVICES);
        boolean noSkips = goes(
                !slice.skipNodeOperations().isEmpty(), "spec", "skipNodeOperations", Feature.OPTIONAL_NODE_OPERATIONS);
        List<Device> devices = new ArrayList<>();
        for (int i = 0; i < slice.devices().size(); i++) {
            devices.add(without(slice.devices().get(i), "spec.devices[%d]".formatted(i)));
        }
        return new ResourceSlice(
                slice.meta(),
                slice.driver(),
                slice.pool(),
                slice.generation(),
                slice.resourceSliceCount(),
                noScopes ? new NodeScope.Unset() : slice.scope(),
                devices,
                noCounters ? List.of() : slice.sharedCounters(),
                noSkips ? List.of() : slice.skipNodeOperations());
    }

    private Device without(Device device, String path) {
        boolean noTaints = goes(!device.taints().isEmpty(), path, "taints", Feature.DEVICE_TAINTS);
        boolean noCounters =
                goes(!device.consumesCounters().isEmpty(), path, "consumesCounters", Feature.PARTITIONABLE_DEVICES);
        boolean noScope =
                goes(!(device.scope() instanceof NodeScope.Unset), path, SCOPE_FIELDS, Feature.PARTITIONABLE_DEVICES);
        boolean noShares =
                goes(device.allowMultipleAllocations(), path, "allowMultipleAllocations", Feature.CONSUMABLE_CAPACITY);
        boolean noPolicies = goes(
                device.capacity().values().stream()
                        .anyMatch(each -> each.policy().isPresent()),
                path,
                "requestPolicy",
                Feature.CONSUMABLE_CAPACITY);
        Feature binding = features.has(Feature.DEVICE_BINDING_CONDITIONS)
                ? Feature.RESOURCE_CLAIM_DEVICE_STATUS
                : Feature.DEVICE_BINDING_CONDITIONS;
        boolean noConditions = goes(!device.bindingConditions().isEmpty(), path, "bindingConditions", binding);
        boolean noFailures =
                goes(!device.bindingFailureConditions().isEmpty(), path, "bindingFailureConditions", binding);
        boolean isUnbound = goes(device.bindsToNode(), path, "bindsToNode", binding);
        boolean noRoom = goes(
                !device.nodeAllocatable().isEmpty(),
                path,
                "nodeAllocatableResources",
                Feature.NODE_ALLOCATABLE_RESOURCES);
        return new Device(
                device.name(),
                withoutLists(device.attributes(), path),
                noPolicies ? withoutPolicies(device.capacity()) : device.capacity(),
                noCounters ? List.of() : withoutGroups(device.consumesCounters(), path),
                noScope ? new NodeScope.Unset() : device.scope(),
                noTaints ? List.of() : device.taints(),
                !isUnbound && device.bindsToNode(),
                noConditions ? List.of() : device.bindingConditions(),
                noFailures ? List.of() : device.bindingFailureConditions(),
                !noShares && device.allowMultipleAllocations(),
                noRoom ? new TreeMap<>() : device.nodeAllocatable());
    }

    private static SortedMap<String, DeviceCapacity> withoutPolicies(SortedMap<String, DeviceCapacity> capacity) {
        SortedMap<String, DeviceCapacity> plain = new TreeMap<>(capacity);
        plain.replaceAll((name, each) -> DeviceCapacity.of(each.value()));
        return plain;
    }

    private List<CounterConsumption> withoutGroups(List<CounterConsumption> consumption, String path) {
        Predicate<CounterConsumption> hasGroups =
                each -> !each.compatibilityGroups().isEmpty();
        return goes(
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
        if (!goes(hasLists, path, "attributes", Feature.LIST_TYPE_ATTRIBUTES)) {
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
                    AttributeValue.Unknown _ -> false;
        };
    }

    // ---- claims
    // --------------------------------------------------------------------------------------------------------------

    private ClaimSpec without(ClaimSpec spec, String path) {
        List<DeviceRequest> requests = new ArrayList<>();
        for (int i = 0; i < spec.requests().size(); i++) {
            requests.add(without(spec.requests().get(i), "%s.devices.requests[%d]".formatted(path, i)));
        }
        List<DeviceConstraint> constraints = new ArrayList<>();
        for (int i = 0; i < spec.constraints().size(); i++) {
            DeviceConstraint constraint = spec.constraints().get(i);
            boolean isDropped = goes(
                    constraint instanceof DeviceConstraint.DistinctAttribute,
                    "%s.devices.constraints[%d]".formatted(path, i),
                    "distinctAttribute",
                    Feature.CONSUMABLE_CAPACITY);
            constraints.add(isDropped ? new DeviceConstraint.Unsupported(constraint.requests()) : constraint);
        }
        return new ClaimSpec(requests, constraints, spec.config());
    }

    private DeviceRequest without(DeviceRequest request, String path) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> {
                boolean noAccess =
                        goes(exactly.adminAccess().isPresent(), path + ".exactly", "adminAccess", Feature.ADMIN_ACCESS);
                yield new DeviceRequest.Exactly(
                        exactly.name(),
                        without(exactly.spec(), path + ".exactly"),
                        noAccess ? Optional.empty() : exactly.adminAccess());
            }
            case DeviceRequest.FirstAvailable first -> {
                if (goes(true, path, "firstAvailable", Feature.PRIORITIZED_LIST)) {
                    yield new DeviceRequest.Unsupported(first.name());
                }
                List<DeviceRequest.Alternative> alternatives = new ArrayList<>();
                for (int i = 0; i < first.alternatives().size(); i++) {
                    DeviceRequest.Alternative each = first.alternatives().get(i);
                    alternatives.add(new DeviceRequest.Alternative(
                            each.name(), without(each.spec(), "%s.firstAvailable[%d]".formatted(path, i))));
                }
                yield new DeviceRequest.FirstAvailable(first.name(), alternatives);
            }
            case DeviceRequest.Unsupported unsupported -> unsupported;
        };
    }

    private RequestSpec without(RequestSpec spec, String path) {
        boolean noTolerations = goes(!spec.tolerations().isEmpty(), path, "tolerations", Feature.DEVICE_TAINTS);
        boolean noCapacity = goes(!spec.capacity().isEmpty(), path, "capacity", Feature.CONSUMABLE_CAPACITY);
        boolean noDerived =
                goes(!spec.derivedAttributes().isEmpty(), path, "derivedAttributes", Feature.DERIVED_ATTRIBUTES);
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
