package dev.claimstream.dra;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

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

    /** Creates a device that consumes no node resources. */
    public Device(
            String name,
            SortedMap<String, AttributeValue> attributes,
            SortedMap<String, DeviceCapacity> capacity,
            List<CounterConsumption> consumesCounters,
            NodeScope scope,
            List<Taint> taints,
            boolean bindsToNode,
            List<String> bindingConditions,
            List<String> bindingFailureConditions,
            boolean allowMultipleAllocations) {
        this(
                name,
                attributes,
                capacity,
                consumesCounters,
                scope,
                taints,
                bindsToNode,
                bindingConditions,
                bindingFailureConditions,
                allowMultipleAllocations,
                new TreeMap<>());
    }

    /** Creates a device with attributes and capacities only. */
    public static Device of(
            String name, SortedMap<String, AttributeValue> attributes, SortedMap<String, DeviceCapacity> capacity) {
        return new Device(
                name,
                attributes,
                capacity,
                List.of(),
                new NodeScope.UnknownScope(),
                List.of(),
                false,
                List.of(),
                List.of(),
                false);
    }

    /** Returns a copy with these taints. */
    public Device withTaints(List<Taint> other) {
        return new Device(
                name,
                attributes,
                capacity,
                consumesCounters,
                scope,
                other,
                bindsToNode,
                bindingConditions,
                bindingFailureConditions,
                allowMultipleAllocations,
                nodeAllocatable);
    }
}
