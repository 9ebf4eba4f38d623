package dev.claimstream.dra;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One device as its driver publishes it. Attribute and capacity names without a domain belong to the driver's.
 *
 * @param scope {@link NodeScope.Unset} unless the slice leaves node selection to its devices
 * @param bindsToNode whether an allocation is pinned to the node that was chosen
 * @param nodeAllocatable what it takes of its node's own resources, by resource
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

    /** A device that takes nothing of its node's own resources. */
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

    /** A device with attributes and capacities only. */
    public static Device of(
            String name, SortedMap<String, AttributeValue> attributes, SortedMap<String, DeviceCapacity> capacity) {
        return new Device(
                name,
                attributes,
                capacity,
                List.of(),
                new NodeScope.Unset(),
                List.of(),
                false,
                List.of(),
                List.of(),
                false);
    }

    /** The same with other taints. */
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
