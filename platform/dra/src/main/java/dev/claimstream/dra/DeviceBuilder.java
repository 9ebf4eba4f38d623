package dev.claimstream.dra;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sets the fields of a device by name. Not thread-safe. */
public final class DeviceBuilder {
    private final String name;
    private SortedMap<String, AttributeValue> attributes = new TreeMap<>();
    private SortedMap<String, DeviceCapacity> capacity = new TreeMap<>();
    private List<CounterConsumption> consumesCounters = List.of();
    private NodeScope scope = new NodeScope.UnknownScope();
    private List<Taint> taints = List.of();
    private boolean bindsToNode;
    private List<String> bindingConditions = List.of();
    private List<String> bindingFailureConditions = List.of();
    private boolean allowMultipleAllocations;
    private SortedMap<String, NodeAllocatable> nodeAllocatable = new TreeMap<>();

    DeviceBuilder(String name) {
        this.name = name;
    }

    public DeviceBuilder attributes(SortedMap<String, AttributeValue> value) {
        attributes = value;
        return this;
    }

    public DeviceBuilder capacity(SortedMap<String, DeviceCapacity> value) {
        capacity = value;
        return this;
    }

    public DeviceBuilder consumesCounters(List<CounterConsumption> value) {
        consumesCounters = value;
        return this;
    }

    public DeviceBuilder scope(NodeScope value) {
        scope = value;
        return this;
    }

    public DeviceBuilder taints(List<Taint> value) {
        taints = value;
        return this;
    }

    public DeviceBuilder bindsToNode(boolean value) {
        bindsToNode = value;
        return this;
    }

    public DeviceBuilder bindingConditions(List<String> value) {
        bindingConditions = value;
        return this;
    }

    public DeviceBuilder bindingFailureConditions(List<String> value) {
        bindingFailureConditions = value;
        return this;
    }

    public DeviceBuilder allowMultipleAllocations(boolean value) {
        allowMultipleAllocations = value;
        return this;
    }

    public DeviceBuilder nodeAllocatable(SortedMap<String, NodeAllocatable> value) {
        nodeAllocatable = value;
        return this;
    }

    /** Creates the device. */
    public Device build() {
        return new Device(
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
                nodeAllocatable);
    }
}
