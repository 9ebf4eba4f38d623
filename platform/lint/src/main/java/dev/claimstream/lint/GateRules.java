package dev.claimstream.lint;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Features;
import dev.claimstream.lint.Specs.Part;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;

/** Finds fields that an API server drops without a message because their feature gate is off. */
final class GateRules {
    /** A field that belongs to a feature. */
    private record Row(Place place, String field, Feature feature) {}

    private enum Place {
        SLICE,
        REQUEST,
        DEVICE,
        ATTRIBUTE,
        CONSUMPTION,
        CLASS
    }

    private static final List<Row> ROWS = List.of(
            new Row(Place.SLICE, "skipNodeOperations", Feature.OPTIONAL_NODE_OPERATIONS),
            new Row(Place.SLICE, "sharedCounters", Feature.PARTITIONABLE_DEVICES),
            new Row(Place.SLICE, "perDeviceNodeSelection", Feature.PARTITIONABLE_DEVICES),
            new Row(Place.REQUEST, "derivedAttributes", Feature.DERIVED_ATTRIBUTES),
            new Row(Place.REQUEST, "capacity", Feature.CONSUMABLE_CAPACITY),
            new Row(Place.REQUEST, "tolerations", Feature.DEVICE_TAINTS),
            new Row(Place.REQUEST, "adminAccess", Feature.ADMIN_ACCESS),
            new Row(Place.REQUEST, "firstAvailable", Feature.PRIORITIZED_LIST),
            new Row(Place.DEVICE, "taints", Feature.DEVICE_TAINTS),
            new Row(Place.DEVICE, "consumesCounters", Feature.PARTITIONABLE_DEVICES),
            new Row(Place.DEVICE, "allowMultipleAllocations", Feature.CONSUMABLE_CAPACITY),
            new Row(Place.DEVICE, "bindsToNode", Feature.DEVICE_BINDING_CONDITIONS),
            new Row(Place.DEVICE, "bindingConditions", Feature.DEVICE_BINDING_CONDITIONS),
            new Row(Place.DEVICE, "bindingFailureConditions", Feature.DEVICE_BINDING_CONDITIONS),
            new Row(Place.DEVICE, "nodeAllocatableResources", Feature.NODE_ALLOCATABLE_RESOURCES),
            new Row(Place.ATTRIBUTE, "ints", Feature.LIST_TYPE_ATTRIBUTES),
            new Row(Place.ATTRIBUTE, "bools", Feature.LIST_TYPE_ATTRIBUTES),
            new Row(Place.ATTRIBUTE, "strings", Feature.LIST_TYPE_ATTRIBUTES),
            new Row(Place.ATTRIBUTE, "versions", Feature.LIST_TYPE_ATTRIBUTES),
            new Row(Place.CONSUMPTION, "compatibilityGroups", Feature.DEVICE_COMPATIBILITY_GROUPS),
            new Row(Place.CLASS, "extendedResourceName", Feature.EXTENDED_RESOURCE));

    private GateRules() {}

    static List<Diagnosis> findings(Written object, Features features) {
        List<Diagnosis> found = new ArrayList<>();
        for (Row row : ROWS) {
            if (!features.has(row.feature)) {
                parts(object, row.place)
                        .forEach(
                                part -> part.get(row.field).ifPresent(field -> found.add(finding(object, row, field))));
            }
        }
        return found;
    }

    private static List<Part> parts(Written object, Place place) {
        return switch (place) {
            case REQUEST -> Specs.asking(object);
            case DEVICE -> Specs.published(object);
            case ATTRIBUTE ->
                Specs.published(object).stream()
                        .flatMap(device -> device.get("attributes").stream())
                        .flatMap(attributes -> attributes.node().fields().stream()
                                .map(entry -> new Part(
                                        "%s[%s]".formatted(attributes.path(), entry.name()),
                                        entry.value(),
                                        entry.key())))
                        .toList();
            case CONSUMPTION ->
                Specs.published(object).stream()
                        .flatMap(device -> device.items("consumesCounters").stream())
                        .toList();
            case CLASS -> spec(object, "DeviceClass");
            case SLICE -> spec(object, "ResourceSlice");
        };
    }

    private static List<Part> spec(Written object, String kind) {
        return object.isResource() && object.kind().equals(kind)
                ? new Part("", object.root()).get("spec").stream().toList()
                : List.of();
    }

    private static Diagnosis finding(Written object, Row row, Part field) {
        String value = field.node() instanceof SourceNode.Scalar scalar ? scalar.text() : "";
        return object.error(
                Rule.GATE_OFF,
                field.key(),
                field.path(),
                value,
                "the API server drops the field while the feature gate %s is off".formatted(row.feature.gate()),
                "leave it out, or switch the gate on in the cluster and say so with --features %s=true"
                        .formatted(row.feature.gate()));
    }
}
