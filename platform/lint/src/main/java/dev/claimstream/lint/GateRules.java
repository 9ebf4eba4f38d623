package dev.claimstream.lint;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;

/** Finds fields that an API server drops without a message because their feature gate is off. */
final class GateRules {
    /** A field that belongs to a feature. */
    private record FeatureField(FieldOwner owner, String field, Feature feature) {}

    private enum FieldOwner {
        SLICE,
        REQUEST,
        DEVICE,
        ATTRIBUTE,
        CONSUMPTION,
        CLASS
    }

    private static final List<FeatureField> ROWS = List.of(
            new FeatureField(FieldOwner.SLICE, "skipNodeOperations", Feature.OPTIONAL_NODE_OPERATIONS),
            new FeatureField(FieldOwner.SLICE, "sharedCounters", Feature.PARTITIONABLE_DEVICES),
            new FeatureField(FieldOwner.SLICE, "perDeviceNodeSelection", Feature.PARTITIONABLE_DEVICES),
            new FeatureField(FieldOwner.REQUEST, "derivedAttributes", Feature.DERIVED_ATTRIBUTES),
            new FeatureField(FieldOwner.REQUEST, "capacity", Feature.CONSUMABLE_CAPACITY),
            new FeatureField(FieldOwner.REQUEST, "tolerations", Feature.DEVICE_TAINTS),
            new FeatureField(FieldOwner.REQUEST, "adminAccess", Feature.ADMIN_ACCESS),
            new FeatureField(FieldOwner.REQUEST, "firstAvailable", Feature.PRIORITIZED_LIST),
            new FeatureField(FieldOwner.DEVICE, "taints", Feature.DEVICE_TAINTS),
            new FeatureField(FieldOwner.DEVICE, "consumesCounters", Feature.PARTITIONABLE_DEVICES),
            new FeatureField(FieldOwner.DEVICE, "allowMultipleAllocations", Feature.CONSUMABLE_CAPACITY),
            new FeatureField(FieldOwner.DEVICE, "bindsToNode", Feature.DEVICE_BINDING_CONDITIONS),
            new FeatureField(FieldOwner.DEVICE, "bindingConditions", Feature.DEVICE_BINDING_CONDITIONS),
            new FeatureField(FieldOwner.DEVICE, "bindingFailureConditions", Feature.DEVICE_BINDING_CONDITIONS),
            new FeatureField(FieldOwner.DEVICE, "nodeAllocatableResources", Feature.NODE_ALLOCATABLE_RESOURCES),
            new FeatureField(FieldOwner.ATTRIBUTE, "ints", Feature.LIST_TYPE_ATTRIBUTES),
            new FeatureField(FieldOwner.ATTRIBUTE, "bools", Feature.LIST_TYPE_ATTRIBUTES),
            new FeatureField(FieldOwner.ATTRIBUTE, "strings", Feature.LIST_TYPE_ATTRIBUTES),
            new FeatureField(FieldOwner.ATTRIBUTE, "versions", Feature.LIST_TYPE_ATTRIBUTES),
            new FeatureField(FieldOwner.CONSUMPTION, "compatibilityGroups", Feature.DEVICE_COMPATIBILITY_GROUPS),
            new FeatureField(FieldOwner.CLASS, "extendedResourceName", Feature.EXTENDED_RESOURCE));

    private GateRules() {}

    static List<LintFinding> findings(SourceObject object, FeatureGates features) {
        List<LintFinding> found = new ArrayList<>();
        for (FeatureField row : ROWS) {
            if (!features.has(row.feature)) {
                parts(object, row.owner)
                        .forEach(
                                part -> part.get(row.field).ifPresent(field -> found.add(finding(object, row, field))));
            }
        }
        return found;
    }

    private static List<ObjectPart> parts(SourceObject object, FieldOwner owner) {
        return switch (owner) {
            case REQUEST -> ObjectParts.requestParts(object);
            case DEVICE -> ObjectParts.deviceParts(object);
            case ATTRIBUTE ->
                ObjectParts.deviceParts(object).stream()
                        .flatMap(device -> device.get("attributes").stream())
                        .flatMap(attributes -> attributes.node().fields().stream()
                                .map(entry -> new ObjectPart(
                                        "%s[%s]".formatted(attributes.path(), entry.name()),
                                        entry.value(),
                                        entry.key())))
                        .toList();
            case CONSUMPTION ->
                ObjectParts.deviceParts(object).stream()
                        .flatMap(device -> device.items("consumesCounters").stream())
                        .toList();
            case CLASS -> spec(object, "DeviceClass");
            case SLICE -> spec(object, "ResourceSlice");
        };
    }

    private static List<ObjectPart> spec(SourceObject object, String kind) {
        return object.isResource() && object.kind().equals(kind)
                ? new ObjectPart("", object.root()).get("spec").stream().toList()
                : List.of();
    }

    private static LintFinding finding(SourceObject object, FeatureField row, ObjectPart field) {
        String value = field.node() instanceof SourceNode.SourceScalar scalar ? scalar.text() : "";
        return object.error(
                LintRule.GATE_OFF,
                field.key(),
                field.path(),
                value,
                "the API server drops the field while the feature gate %s is off".formatted(row.feature.gate()),
                "leave it out, or enable the gate in the cluster and pass --features %s=true"
                        .formatted(row.feature.gate()));
    }
}
