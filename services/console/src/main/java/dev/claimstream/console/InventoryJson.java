package dev.claimstream.console;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.Taint;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Renders devices, pools and nodes as JSON for the REST API. */
final class InventoryJson {
    private InventoryJson() {}

    /**
     * Renders a device.
     *
     * @param classes names of the device classes that contain it
     */
    static Tree.Mapping device(DeviceView view, List<String> classes) {
        return Tree.mapping(fields -> {
            fields.put("driver", view.id().driver())
                    .put("pool", view.id().pool())
                    .put("device", view.id().device())
                    .putUnlessEmpty("node", view.nodes())
                    .put("state", view.state().text())
                    .putUnlessEmpty("reason", view.reason());
            fields.putList("claims", view.claims(), holder -> Tree.of(holder.toString()));
            fields.putList("taints", view.taints(), taint -> Tree.of(taint.toString()));
            fields.putList("classes", classes, Tree::of);
            view.device().ifPresent(device -> addDevice(fields, device));
            fields.putMap("remaining", view.remainder().capacity(), remaining -> Tree.of(remaining.toString()));
            fields.putMap("remainingCounters", view.remainder().counters(), remaining -> Tree.of(remaining.toString()));
            view.sample().ifPresent(sample -> fields.put("sample", sample(sample)));
        });
    }

    private static void addDevice(TreeFields fields, Device device) {
        fields.putMap("attributes", device.attributes(), InventoryJson::attribute);
        fields.putMap(
                "capacity",
                device.capacity(),
                capacity -> Tree.of(capacity.value().toString()));
    }

    private static Tree attribute(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntValue(long number) -> Tree.of(number);
            case AttributeValue.BoolValue(boolean truth) -> Tree.of(truth);
            case AttributeValue.StringValue(String text) -> Tree.of(text);
            case AttributeValue.VersionValue(String text) -> Tree.of(text);
            case AttributeValue.IntList(List<Long> numbers) ->
                new Tree.Sequence(numbers.stream().<Tree>map(Tree::of).toList());
            case AttributeValue.BoolList(List<Boolean> values) ->
                new Tree.Sequence(values.stream().<Tree>map(Tree::of).toList());
            case AttributeValue.StringList(List<String> texts) -> Tree.texts(texts);
            case AttributeValue.VersionList(List<String> texts) -> Tree.texts(texts);
            case AttributeValue.UnknownValue() -> new Tree.Null();
        };
    }

    private static Tree sample(TelemetrySample sample) {
        return Tree.mapping(fields -> {
            fields.put("at", sample.at().toString());
            put(fields, "utilizationPercent", sample.utilizationPercent());
            put(fields, "memoryUsedBytes", sample.memoryUsedBytes());
            put(fields, "memoryTotalBytes", sample.memoryTotalBytes());
            put(fields, "powerWatts", sample.powerWatts());
            put(fields, "temperatureCelsius", sample.temperatureCelsius());
        });
    }

    private static void put(TreeFields fields, String name, OptionalDouble value) {
        if (value.isPresent() && Double.isFinite(value.getAsDouble())) {
            fields.put(name, new Tree.Numeral(Double.toString(value.getAsDouble())));
        }
    }

    private static void put(TreeFields fields, String name, OptionalLong value) {
        if (value.isPresent()) {
            fields.put(name, value.getAsLong());
        }
    }

    static Tree.Mapping pool(PoolView pool, Collection<DeviceView> devices) {
        return Tree.mapping(fields -> {
            fields.put("driver", pool.id().driver())
                    .put("pool", pool.id().pool())
                    .put("generation", pool.generation())
                    .put("slices", pool.slices().size())
                    .put("expectedSlices", pool.expected())
                    .put("state", pool.state().text());
            List<String> nodes = devices.stream()
                    .map(DeviceView::nodes)
                    .filter(node -> !node.isEmpty())
                    .distinct()
                    .toList();
            if (nodes.size() == 1) {
                fields.put("node", nodes.getFirst());
            }
            addCounts(fields, devices);
        });
    }

    static Tree.Mapping node(NodeStatus view, Collection<DeviceView> devices) {
        return Tree.mapping(fields -> {
            fields.put("name", view.name()).put("status", view.status());
            fields.putIfPresent("created", view.node().meta().created().map(Instant::toString), Tree::of);
            fields.putList("taints", view.node().taints(), (Taint taint) -> Tree.of(taint.toString()));
            fields.putMap("labels", view.node().meta().labels(), Tree::of);
            fields.putMap("allocatable", allocatable(view.node()), amount -> Tree.of(amount.toString()));
            fields.put(
                    "drivers",
                    Tree.texts(devices.stream()
                            .map(device -> device.id().driver())
                            .distinct()
                            .sorted()
                            .toList()));
            fields.put(
                    "claims",
                    Tree.texts(devices.stream()
                            .flatMap(device -> device.claims().stream())
                            .distinct()
                            .sorted()
                            .map(ObjectKey::toString)
                            .toList()));
            addCounts(fields, devices);
        });
    }

    private static Map<String, Quantity> allocatable(Node node) {
        Map<String, Quantity> amounts = new TreeMap<>();
        node.allocatable()
                .amounts()
                .forEach((resource, units) -> amounts.put(resource, ResourceList.quantity(resource, units)));
        return amounts;
    }

    private static void addCounts(TreeFields fields, Collection<DeviceView> devices) {
        fields.put("devices", devices.size())
                .put("allocated", count(devices, DeviceView.DeviceViewState.ALLOCATED))
                .put("free", count(devices, DeviceView.DeviceViewState.FREE));
    }

    private static long count(Collection<DeviceView> devices, DeviceView.DeviceViewState state) {
        return devices.stream().filter(device -> device.state() == state).count();
    }
}
