package dev.claimstream.wire;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.schemas.AttributeValueRecord;
import dev.claimstream.schemas.CapacityRange;
import dev.claimstream.schemas.CapacityRequestPolicy;
import dev.claimstream.schemas.CounterConsumptionRecord;
import dev.claimstream.schemas.CounterSetRecord;
import dev.claimstream.schemas.DeviceCapacityRecord;
import dev.claimstream.schemas.DeviceClassRecord;
import dev.claimstream.schemas.DeviceRecord;
import dev.claimstream.schemas.DeviceTaintRuleRecord;
import dev.claimstream.schemas.DeviceTaintSelectorRecord;
import dev.claimstream.schemas.NamespaceRecord;
import dev.claimstream.schemas.NodeAllocatableRecord;
import dev.claimstream.schemas.NodeRecord;
import dev.claimstream.schemas.ResourceSliceRecord;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Converts slices, classes, taint rules, nodes and namespaces to and from Avro. */
final class InventoryCodec {
    private static final InternTable<AttributeValue, AttributeValue> VALUES = new InternTable<>(Function.identity());

    /** Keyed by text, because equal amounts can have different notations. */
    private static final InternTable<String, DeviceCapacity> CAPACITIES =
            new InternTable<>(text -> DeviceCapacity.of(MetadataCodec.quantity(text)));

    private InventoryCodec() {}

    static ResourceSliceRecord to(ResourceSlice slice) {
        return new ResourceSliceRecord(
                MetadataCodec.to(slice.meta()),
                slice.driver(),
                slice.pool(),
                slice.generation(),
                slice.resourceSliceCount(),
                MetadataCodec.to(slice.scope()),
                slice.devices().stream().map(InventoryCodec::to).toList(),
                slice.sharedCounters().stream()
                        .map(set -> new CounterSetRecord(set.name(), MetadataCodec.to(set.counters())))
                        .toList(),
                slice.skipNodeOperations());
    }

    static ResourceSlice from(ResourceSliceRecord slice) {
        return ResourceSlice.builder(
                        MetadataCodec.from(slice.getMeta()),
                        InternTable.STRINGS.intern(slice.getDriver()),
                        slice.getPool())
                .generation(slice.getGeneration())
                .resourceSliceCount(slice.getResourceSliceCount())
                .scope(MetadataCodec.from(slice.getScope()))
                .devices(slice.getDevices().stream().map(InventoryCodec::from).toList())
                .sharedCounters(slice.getSharedCounters().stream()
                        .map(set -> new CounterSet(set.getName(), MetadataCodec.quantities(set.getCounters())))
                        .toList())
                .skipNodeOperations(slice.getSkipNodeOperations())
                .build();
    }

    private static DeviceRecord to(Device device) {
        var attributes = new TreeMap<String, AttributeValueRecord>();
        device.attributes().forEach((name, value) -> attributes.put(name, to(value)));
        var capacity = new TreeMap<String, DeviceCapacityRecord>();
        device.capacity().forEach((name, value) -> capacity.put(name, to(value)));
        var nodeAllocatable = new TreeMap<String, NodeAllocatableRecord>();
        device.nodeAllocatable().forEach((resource, value) -> nodeAllocatable.put(resource, to(value)));
        return new DeviceRecord(
                device.name(),
                attributes,
                capacity,
                device.consumesCounters().stream()
                        .map(each -> new CounterConsumptionRecord(
                                each.counterSet(), MetadataCodec.to(each.counters()), each.compatibilityGroups()))
                        .toList(),
                device.scope() instanceof NodeScope.UnknownScope ? null : MetadataCodec.to(device.scope()),
                device.taints().stream().map(MetadataCodec::to).toList(),
                device.bindsToNode(),
                device.bindingConditions(),
                device.bindingFailureConditions(),
                device.allowMultipleAllocations(),
                nodeAllocatable);
    }

    private static Device from(DeviceRecord device) {
        return Device.builder(InternTable.STRINGS.intern(device.getName()))
                .attributes(attributes(device.getAttributes()))
                .capacity(capacity(device.getCapacity()))
                .consumesCounters(device.getConsumesCounters().stream()
                        .map(each -> new CounterConsumption(
                                each.getCounterSet(),
                                MetadataCodec.quantities(each.getCounters()),
                                each.getCompatibilityGroups()))
                        .toList())
                .scope(device.getScope().map(MetadataCodec::from).orElse(MetadataCodec.UNSET))
                .taints(device.getTaints().stream().map(MetadataCodec::from).toList())
                .bindsToNode(device.getBindsToNode())
                .bindingConditions(device.getBindingConditions())
                .bindingFailureConditions(device.getBindingFailureConditions())
                .allowMultipleAllocations(device.getAllowMultipleAllocations())
                .nodeAllocatable(nodeAllocatable(device.getNodeAllocatable()))
                .build();
    }

    private static NodeAllocatableRecord to(NodeAllocatable allocatable) {
        var builder = NodeAllocatableRecord.newBuilder();
        allocatable.perPod().map(Quantity::toString).ifPresent(builder::setPerPod);
        allocatable.perContainer().map(Quantity::toString).ifPresent(builder::setPerContainer);
        if (allocatable.mapping().isPresent()) {
            switch (allocatable.mapping().get()) {
                case NodeAllocatable.ResourceMapping.CapacityMapping(String capacity, Quantity multiplier) ->
                    builder.setCapacityKey(capacity).setCapacityMultiplier(multiplier.toString());
                case NodeAllocatable.ResourceMapping.DeviceMapping(Quantity multiplier) ->
                    builder.setDeviceMultiplier(multiplier.toString());
            }
        }
        return builder.build();
    }

    private static SortedMap<String, NodeAllocatable> nodeAllocatable(Map<String, NodeAllocatableRecord> values) {
        var taken = new TreeMap<String, NodeAllocatable>();
        values.forEach((resource, value) -> taken.put(InternTable.STRINGS.intern(resource), from(value)));
        return taken;
    }

    private static NodeAllocatable from(NodeAllocatableRecord value) {
        Optional<NodeAllocatable.ResourceMapping> ofCapacity = value.getCapacityKey()
                .flatMap(key -> value.getCapacityMultiplier()
                        .map(by ->
                                new NodeAllocatable.ResourceMapping.CapacityMapping(key, MetadataCodec.quantity(by))));
        return new NodeAllocatable(
                ofCapacity.or(() -> value.getDeviceMultiplier()
                        .map(by -> new NodeAllocatable.ResourceMapping.DeviceMapping(MetadataCodec.quantity(by)))),
                value.getPerPod().map(MetadataCodec::quantity),
                value.getPerContainer().map(MetadataCodec::quantity));
    }

    private static SortedMap<String, AttributeValue> attributes(Map<String, AttributeValueRecord> values) {
        var attributes = new TreeMap<String, AttributeValue>();
        values.forEach((name, value) -> attributes.put(InternTable.STRINGS.intern(name), VALUES.intern(from(value))));
        return attributes;
    }

    private static SortedMap<String, DeviceCapacity> capacity(Map<String, DeviceCapacityRecord> values) {
        var capacity = new TreeMap<String, DeviceCapacity>();
        values.forEach((name, value) -> capacity.put(InternTable.STRINGS.intern(name), from(value)));
        return capacity;
    }

    static AttributeValueRecord to(AttributeValue value) {
        var builder = AttributeValueRecord.newBuilder();
        switch (value) {
            case AttributeValue.IntValue v -> builder.setIntValue(v.value());
            case AttributeValue.BoolValue v -> builder.setBoolValue(v.value());
            case AttributeValue.StringValue v -> builder.setStringValue(v.value());
            case AttributeValue.VersionValue v -> builder.setVersionValue(v.value());
            case AttributeValue.IntList v -> builder.setIntList(v.values());
            case AttributeValue.BoolList v -> builder.setBoolList(v.values());
            case AttributeValue.StringList v -> builder.setStringList(v.values());
            case AttributeValue.VersionList v -> builder.setVersionList(v.values());
            case AttributeValue.UnknownValue v -> {}
        }
        return builder.build();
    }

    static AttributeValue from(AttributeValueRecord value) {
        return value.getIntValue()
                .<AttributeValue>map(AttributeValue.IntValue::new)
                .or(() -> value.getBoolValue().map(AttributeValue.BoolValue::new))
                .or(() -> value.getStringValue().map(AttributeValue.StringValue::new))
                .or(() -> value.getVersionValue().map(AttributeValue.VersionValue::new))
                .or(() -> value.getIntList().map(AttributeValue.IntList::new))
                .or(() -> value.getBoolList().map(AttributeValue.BoolList::new))
                .or(() -> value.getStringList().map(AttributeValue.StringList::new))
                .or(() -> value.getVersionList().map(AttributeValue.VersionList::new))
                .orElse(new AttributeValue.UnknownValue());
    }

    private static DeviceCapacityRecord to(DeviceCapacity capacity) {
        return new DeviceCapacityRecord(
                capacity.value().toString(),
                capacity.policy().map(InventoryCodec::to).orElse(null));
    }

    private static CapacityRequestPolicy to(DeviceCapacity.RequestPolicy policy) {
        return new CapacityRequestPolicy(
                policy.defaultValue().map(Quantity::toString).orElse(null),
                policy.validValues().stream().map(Quantity::toString).toList(),
                policy.validRange()
                        .map(range -> new CapacityRange(
                                range.min().map(Quantity::toString).orElse(null),
                                range.max().map(Quantity::toString).orElse(null),
                                range.step().map(Quantity::toString).orElse(null)))
                        .orElse(null));
    }

    private static DeviceCapacity from(DeviceCapacityRecord capacity) {
        return capacity.getPolicy()
                .map(policy -> new DeviceCapacity(
                        MetadataCodec.quantity(capacity.getValue()), Optional.of(InventoryCodec.from(policy))))
                .orElseGet(() -> CAPACITIES.intern(capacity.getValue()));
    }

    private static DeviceCapacity.RequestPolicy from(CapacityRequestPolicy policy) {
        return new DeviceCapacity.RequestPolicy(
                policy.getDefaultValue().map(MetadataCodec::quantity),
                policy.getValidValues().stream().map(MetadataCodec::quantity).toList(),
                policy.getValidRange()
                        .map(range -> new DeviceCapacity.Range(
                                range.getMin().map(MetadataCodec::quantity),
                                range.getMax().map(MetadataCodec::quantity),
                                range.getStep().map(MetadataCodec::quantity))));
    }

    static DeviceClassRecord to(DeviceClass each) {
        return new DeviceClassRecord(
                MetadataCodec.to(each.meta()),
                each.selectors(),
                each.config().stream().map(MetadataCodec::to).toList(),
                each.extendedResourceName().orElse(null),
                each.allocator() == DeviceClass.ClassAllocator.OTHERS);
    }

    static DeviceClass from(DeviceClassRecord each) {
        return new DeviceClass(
                MetadataCodec.from(each.getMeta()),
                each.getSelectors(),
                each.getConfig().stream().map(MetadataCodec::from).toList(),
                each.getExtendedResourceName(),
                each.getUnmanaged() ? DeviceClass.ClassAllocator.OTHERS : DeviceClass.ClassAllocator.CLAIMSTREAM);
    }

    static DeviceTaintRuleRecord to(DeviceTaintRule rule) {
        return new DeviceTaintRuleRecord(
                MetadataCodec.to(rule.meta()),
                rule.selector()
                        .map(selector -> new DeviceTaintSelectorRecord(
                                selector.driver().orElse(null),
                                selector.pool().orElse(null),
                                selector.device().orElse(null)))
                        .orElse(null),
                MetadataCodec.to(rule.taint()));
    }

    static DeviceTaintRule from(DeviceTaintRuleRecord rule) {
        return new DeviceTaintRule(
                MetadataCodec.from(rule.getMeta()),
                rule.getSelector()
                        .map(selector -> new DeviceTaintRule.DeviceTaintSelector(
                                selector.getDriver(), selector.getPool(), selector.getDevice())),
                MetadataCodec.from(rule.getTaint()));
    }

    static NodeRecord to(Node node) {
        return new NodeRecord(
                MetadataCodec.to(node.meta()),
                node.taints().stream().map(MetadataCodec::to).toList(),
                node.unschedulable(),
                node.ready(),
                node.declaredFeatures(),
                new TreeMap<>(node.allocatable().amounts()));
    }

    static Node from(NodeRecord node) {
        return new Node(
                MetadataCodec.from(node.getMeta()),
                node.getTaints().stream().map(MetadataCodec::from).toList(),
                node.getUnschedulable(),
                node.getReady(),
                node.getDeclaredFeatures(),
                new ResourceList(new TreeMap<>(node.getAllocatable())));
    }

    static NamespaceRecord to(Namespace namespace) {
        return new NamespaceRecord(MetadataCodec.to(namespace.meta()));
    }

    static Namespace from(NamespaceRecord namespace) {
        return new Namespace(MetadataCodec.from(namespace.getMeta()));
    }
}
