package dev.claimstream.manifests;

import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeAllocatable.ResourceMapping;
import dev.claimstream.dra.Quantity;
import dev.claimstream.manifests.tree.DocumentNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads the node resources that a device consumes: {@code nodeAllocatableResources}, and its form in 1.36. */
final class NodeAllocatableReader {
    private static final String LEGACY_FIELD = "nodeAllocatableResourceMappings";
    private static final String CURRENT_FIELD = "nodeAllocatableResources";
    private static final String CAPACITY_KEY = "capacityKey";
    /** The fields below the name of a resource. */
    private static final List<String> INNER_FIELDS = List.of(
            "mapping",
            "overhead",
            CAPACITY_KEY,
            "capacityMultiplier",
            "deviceMultiplier",
            "allocationMultiplier",
            "perPod",
            "perContainer");

    private static final Quantity ONE = Quantity.of(1);

    private NodeAllocatableReader() {}

    /** @param capacities the names of the device's capacities */
    static SortedMap<String, NodeAllocatable> of(FieldMap device, Set<String> capacities) {
        ManifestField now = device.get(CURRENT_FIELD);
        ManifestField former = device.get(LEGACY_FIELD);
        if (now.isPresent() && former.isPresent()) {
            former.invalid(
                    "", "%s replaces this field".formatted(CURRENT_FIELD), "keep only %s".formatted(CURRENT_FIELD));
        }
        return now.isPresent()
                ? all(now, field -> of(field, capacities))
                : all(former, field -> ofLegacy(field, capacities));
    }

    private static SortedMap<String, NodeAllocatable> all(
            ManifestField field, Function<ManifestField, Optional<NodeAllocatable>> of) {
        SortedMap<String, NodeAllocatable> taken = new TreeMap<>();
        field.values().forEach((resource, value) -> {
            if (INNER_FIELDS.contains(resource)) {
                value.invalid(
                        resource,
                        "the resource name comes first, `%s` inside it".formatted(resource),
                        "write %s: {%s}".formatted(resourceIn(value), example(resource)));
                return;
            }
            if (ExtendedResources.isExtended(resource)) {
                value.invalid(
                        resource,
                        "must be a node allocatable resource name",
                        "name a resource of the node itself: cpu, memory, ephemeral-storage or hugepages");
            }
            of.apply(value).ifPresent(each -> taken.put(resource, each));
        });
        return taken;
    }

    /** Returns the resource that a field in the wrong order contains. */
    private static String resourceIn(ManifestField value) {
        return value.node()
                .filter(DocumentNode.DocumentMapping.class::isInstance)
                .map(node -> ((DocumentNode.DocumentMapping) node).fields().keySet())
                .flatMap(names -> names.stream()
                        .filter(name -> !INNER_FIELDS.contains(name))
                        .findFirst())
                .orElse("cpu");
    }

    private static String example(String field) {
        return switch (field) {
            case "overhead", "perPod", "perContainer" -> "overhead: {perPod: 512Mi}";
            default -> "mapping: {capacityKey: ..., capacityMultiplier: \"1\"}";
        };
    }

    private static Optional<NodeAllocatable> of(ManifestField field, Set<String> capacities) {
        FieldMap fields = field.fieldsOrEmpty();
        Optional<ResourceMapping> mapping =
                fields.get("mapping").fields().flatMap(inner -> mapping(inner, "capacityMultiplier", capacities));
        FieldMap overhead = fields.get("overhead").fieldsOrEmpty();
        Optional<Quantity> perPod = amount(overhead.get("perPod"));
        Optional<Quantity> perContainer = amount(overhead.get("perContainer"));
        overhead.reportUnknown();
        fields.reportUnknown();
        if (mapping.isEmpty() && perPod.isEmpty() && perContainer.isEmpty()) {
            if (!fields.has("mapping") && overhead.entries().isEmpty()) {
                field.invalid(
                        "",
                        "at least one of `mapping` or `overhead` must be specified",
                        "write overhead: {perPod: 512Mi} or mapping: {deviceMultiplier: 8}");
            }
            return Optional.empty();
        }
        return Optional.of(new NodeAllocatable(mapping, perPod, perContainer));
    }

    private static Optional<ResourceMapping> mapping(FieldMap fields, String ofCapacity, Set<String> capacities) {
        ManifestField key = fields.get(CAPACITY_KEY);
        ManifestField capacityMultiplier = fields.get(ofCapacity);
        ManifestField deviceMultiplier = fields.get("deviceMultiplier");
        Optional<String> capacity = capacity(key, capacities);
        Optional<Quantity> byCapacity = amount(capacityMultiplier);
        Optional<Quantity> byDevice = amount(deviceMultiplier);
        fields.reportUnknown();
        if (key.isPresent() == deviceMultiplier.isPresent()) {
            fields.self()
                    .invalid(
                            "",
                            "must specify exactly one of: `capacityKey`, `deviceMultiplier`",
                            "count consumed capacity (capacityKey with capacityMultiplier), or devices (deviceMultiplier)");
            return Optional.empty();
        }
        if (key.isPresent() != capacityMultiplier.isPresent()) {
            ManifestField missing = key.isPresent() ? capacityMultiplier : key;
            missing.required("`capacityKey` and `capacityMultiplier` go together");
            return Optional.empty();
        }
        return key.isPresent()
                ? capacity.flatMap(name -> byCapacity.map(by -> new ResourceMapping.CapacityMapping(name, by)))
                : byDevice.map(ResourceMapping.DeviceMapping::new);
    }

    /** Reads the form of 1.36; without a multiplier the consumed amount counts unchanged. */
    private static Optional<NodeAllocatable> ofLegacy(ManifestField field, Set<String> capacities) {
        FieldMap fields = field.fieldsOrEmpty();
        ManifestField key = fields.get(CAPACITY_KEY);
        ManifestField multiplier = fields.get("allocationMultiplier");
        Optional<String> capacity = capacity(key, capacities);
        Optional<Quantity> by = amount(multiplier);
        fields.reportUnknown();
        if (!key.isPresent() && !multiplier.isPresent()) {
            field.invalid(
                    "",
                    "at least one of `capacityKey` or `allocationMultiplier` must be specified",
                    "write capacityKey, allocationMultiplier or both");
            return Optional.empty();
        }
        return key.isPresent()
                ? capacity.map(name -> NodeAllocatable.of(new ResourceMapping.CapacityMapping(name, by.orElse(ONE))))
                : by.map(each -> NodeAllocatable.of(new ResourceMapping.DeviceMapping(each)));
    }

    private static Optional<String> capacity(ManifestField key, Set<String> capacities) {
        Optional<String> name = key.optionalText();
        name.filter(each -> !capacities.contains(each))
                .ifPresent(each -> key.invalid(
                        each, "the device has no capacity of this name", "name one of %s".formatted(capacities)));
        return name.filter(capacities::contains);
    }

    private static Optional<Quantity> amount(ManifestField field) {
        Optional<Quantity> amount = field.quantity();
        amount.filter(each -> each.signum() <= 0)
                .ifPresent(each -> field.invalid(each.toString(), "must be positive", "write more than 0"));
        return amount.filter(each -> each.signum() > 0);
    }
}
