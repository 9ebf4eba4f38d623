package dev.claimstream.dra;

import java.util.List;
import java.util.SortedMap;

/**
 * A device as published in a ResourceSlice. Attribute and capacity names without a domain belong to the driver's domain.
 *
 * @param scope {@link NodeScope.UnknownScope} unless the slice has per-device node selection
 * @param bindsToNode whether an allocation is bound to the selected node
 * @param nodeAllocatable the node resources that the device consumes, by resource
 */
public record Device(
        String name,
        SortedMap<String, AttributeValue> attributes,
        SortedMap<String, DeviceCapacity> capacity,
        List<CounterConsumption> consumesCounters,
        NodeScope scope,
        List<Taint> taints,
        boolean bindsToNode,
        List<String> bindingConditions,
        List<String> bindingFailureConditions,
        boolean allowMultipleAllocations,
        SortedMap<String, NodeAllocatable> nodeAllocatable) {
    public Device {
        attributes = Copies.sorted(attributes);
        capacity = Copies.sorted(capacity);
        consumesCounters = List.copyOf(consumesCounters);
        taints = List.copyOf(taints);
        bindingConditions = List.copyOf(bindingConditions);
        bindingFailureConditions = List.copyOf(bindingFailureConditions);
        nodeAllocatable = Copies.sorted(nodeAllocatable);
    }

    /** Returns a builder of a device with a name only. */
    public static DeviceBuilder builder(String name) {
        return new DeviceBuilder(name);
    }

    /** Returns a builder with the components of this record. */
    public DeviceBuilder toBuilder() {
        return builder(name)
                .attributes(attributes)
                .capacity(capacity)
                .consumesCounters(consumesCounters)
                .scope(scope)
                .taints(taints)
                .bindsToNode(bindsToNode)
                .bindingConditions(bindingConditions)
                .bindingFailureConditions(bindingFailureConditions)
                .allowMultipleAllocations(allowMultipleAllocations)
                .nodeAllocatable(nodeAllocatable);
    }

    /** Creates a device with attributes and capacities only. */
    public static Device of(
            String name, SortedMap<String, AttributeValue> attributes, SortedMap<String, DeviceCapacity> capacity) {
        return Device.builder(name).attributes(attributes).capacity(capacity).build();
    }

    /** Returns a copy with these taints. */
    public Device withTaints(List<Taint> other) {
        return toBuilder().taints(other).build();
    }
}
