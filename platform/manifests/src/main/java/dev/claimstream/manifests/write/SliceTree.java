package dev.claimstream.manifests.write;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.List;
import java.util.function.Function;

/** Writes {@code ResourceSlice.spec}. */
final class SliceTree {
    private SliceTree() {}

    static Tree of(ResourceSlice slice) {
        return Tree.mapping(fields -> {
            fields.put("driver", slice.driver())
                    .put("pool", pool(slice))
                    .putList("devices", slice.devices(), SliceTree::device)
                    .putList("sharedCounters", slice.sharedCounters(), SliceTree::counterSet)
                    .putList("skipNodeOperations", slice.skipNodeOperations(), Tree::of);
            scope(fields, slice.scope());
        });
    }

    private static Tree pool(ResourceSlice slice) {
        return Tree.mapping(fields -> fields.put("name", slice.pool())
                .put("generation", slice.generation())
                .put("resourceSliceCount", slice.resourceSliceCount()));
    }

    private static void scope(TreeFields fields, NodeScope scope) {
        switch (scope) {
            case NodeScope.SingleNode(String node) -> fields.put("nodeName", node);
            case NodeScope.AllNodes() -> fields.putIfTrue("allNodes", true);
            case NodeScope.MatchingNodes(var selector) ->
                fields.put("nodeSelector", SharedTrees.nodeSelector(selector));
            case NodeScope.PerDevice() -> fields.putIfTrue("perDeviceNodeSelection", true);
            case NodeScope.UnknownScope() -> {}
        }
    }

    private static Tree device(Device device) {
        return Tree.mapping(fields -> {
            fields.put("name", device.name())
                    .putIfTrue("allowMultipleAllocations", device.allowMultipleAllocations())
                    .putMap("attributes", device.attributes(), SliceTree::attribute)
                    .putMap("capacity", device.capacity(), SliceTree::capacity)
                    .putList("consumesCounters", device.consumesCounters(), SliceTree::consumption)
                    .putList("taints", device.taints(), SharedTrees::taint)
                    .putIfTrue("bindsToNode", device.bindsToNode())
                    .putList("bindingConditions", device.bindingConditions(), Tree::of)
                    .putList("bindingFailureConditions", device.bindingFailureConditions(), Tree::of)
                    .putMap("nodeAllocatableResources", device.nodeAllocatable(), SliceTree::nodeAllocatable);
            scope(fields, device.scope());
        });
    }

    private static Tree nodeAllocatable(NodeAllocatable allocatable) {
        return Tree.mapping(fields -> {
            fields.putIfPresent("mapping", allocatable.mapping(), SliceTree::mapping);
            if (allocatable.perPod().isPresent() || allocatable.perContainer().isPresent()) {
                fields.put(
                        "overhead",
                        Tree.mapping(overhead -> overhead.putIfPresent(
                                        "perPod", allocatable.perPod(), SharedTrees::quantity)
                                .putIfPresent("perContainer", allocatable.perContainer(), SharedTrees::quantity)));
            }
        });
    }

    private static Tree mapping(NodeAllocatable.ResourceMapping mapping) {
        return Tree.mapping(fields -> {
            switch (mapping) {
                case NodeAllocatable.ResourceMapping.CapacityMapping(String capacity, Quantity multiplier) ->
                    fields.put("capacityKey", capacity).put("capacityMultiplier", SharedTrees.quantity(multiplier));
                case NodeAllocatable.ResourceMapping.DeviceMapping(Quantity multiplier) ->
                    fields.put("deviceMultiplier", SharedTrees.quantity(multiplier));
            }
        });
    }

    private static Tree attribute(AttributeValue attribute) {
        return Tree.mapping(fields -> {
            switch (attribute) {
                case AttributeValue.IntValue(long value) -> fields.put("int", value);
                case AttributeValue.BoolValue(boolean value) -> fields.put("bool", Tree.of(value));
                case AttributeValue.StringValue(String value) -> fields.put("string", value);
                case AttributeValue.VersionValue(String value) -> fields.put("version", value);
                case AttributeValue.IntList(var values) -> fields.put("ints", list(values, Tree::of));
                case AttributeValue.BoolList(var values) -> fields.put("bools", list(values, Tree::of));
                case AttributeValue.StringList(var values) -> fields.put("strings", list(values, Tree::of));
                case AttributeValue.VersionList(var values) -> fields.put("versions", list(values, Tree::of));
                case AttributeValue.UnknownValue() -> {}
            }
        });
    }

    private static <T> Tree list(List<T> values, Function<T, Tree> tree) {
        return new Tree.Sequence(values.stream().map(tree).toList());
    }

    private static Tree capacity(DeviceCapacity capacity) {
        return Tree.mapping(fields -> fields.put("value", SharedTrees.quantity(capacity.value()))
                .putIfPresent("requestPolicy", capacity.policy(), SliceTree::policy));
    }

    private static Tree policy(DeviceCapacity.RequestPolicy policy) {
        return Tree.mapping(fields -> fields.putIfPresent("default", policy.defaultValue(), SharedTrees::quantity)
                .putList("validValues", policy.validValues(), SharedTrees::quantity)
                .putIfPresent("validRange", policy.validRange(), SliceTree::range));
    }

    private static Tree range(DeviceCapacity.Range range) {
        return Tree.mapping(fields -> fields.putIfPresent("min", range.min(), SharedTrees::quantity)
                .putIfPresent("max", range.max(), SharedTrees::quantity)
                .putIfPresent("step", range.step(), SharedTrees::quantity));
    }

    private static Tree counterSet(CounterSet set) {
        return Tree.mapping(
                fields -> fields.put("name", set.name()).putMap("counters", set.counters(), SliceTree::counter));
    }

    private static Tree consumption(CounterConsumption consumption) {
        return Tree.mapping(fields -> fields.put("counterSet", consumption.counterSet())
                .putMap("counters", consumption.counters(), SliceTree::counter)
                .putList("compatibilityGroups", consumption.compatibilityGroups(), Tree::of));
    }

    private static Tree counter(Quantity amount) {
        return Tree.mapping(fields -> fields.put("value", SharedTrees.quantity(amount)));
    }
}
