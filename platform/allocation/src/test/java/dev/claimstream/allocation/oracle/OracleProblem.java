package dev.claimstream.allocation.oracle;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceSlice;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** A small cluster and the claims of one item: the input of solver and oracle. */
public record OracleProblem(
        List<Node> nodes,
        List<ResourceSlice> slices,
        List<DeviceTaintRule> rules,
        List<DeviceClass> classes,
        SortedSet<DeviceId> allocatedDevices,
        List<ClaimSpec> claims) {
    public OracleProblem {
        nodes = List.copyOf(nodes);
        slices = List.copyOf(slices);
        rules = List.copyOf(rules);
        classes = List.copyOf(classes);
        allocatedDevices = Collections.unmodifiableSortedSet(new TreeSet<>(allocatedDevices));
        claims = List.copyOf(claims);
    }

    /** The feature gates of the oracle. */
    public static final FeatureGates FEATURES = FeatureGates.defaults().with(Feature.CONSUMABLE_CAPACITY, false);

    /** Creates the device inventory of this cluster. */
    public DeviceInventory inventory() {
        var inventory = new DeviceInventory();
        inventory.setFeatures(FEATURES);
        nodes.forEach(inventory::put);
        slices.forEach(inventory::put);
        rules.forEach(inventory::put);
        allocatedDevices.forEach(device -> inventory.addUsage(
                DeviceResult.of("r", device), "holder-of-" + device, new ObjectKey("default", "holder")));
        return inventory;
    }

    /** The DeviceClasses by name. */
    public SortedMap<String, DeviceClass> classesByName() {
        var byName = new TreeMap<String, DeviceClass>();
        classes.forEach(each -> byName.put(each.meta().name(), each));
        return byName;
    }

    /** The node with this name, which must exist. */
    public Node node(String name) {
        return nodes.stream()
                .filter(node -> node.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Copies the problem with other claims. */
    public OracleProblem withClaims(List<ClaimSpec> others) {
        return new OracleProblem(nodes, slices, rules, classes, allocatedDevices, others);
    }

    /** Formats the problem for failure messages, one line per object. */
    public String text() {
        var text = new StringBuilder();
        nodes.forEach(node -> text.append("node ")
                .append(node.meta().name())
                .append(' ')
                .append(node.meta().labels())
                .append('\n'));
        for (ResourceSlice slice : slices) {
            text.append("slice %s of %s generation %d, %d slices, %s%n"
                    .formatted(
                            slice.meta().name(),
                            slice.poolId(),
                            slice.generation(),
                            slice.resourceSliceCount(),
                            slice.scope()));
            for (Device device : slice.devices()) {
                text.append("    ").append(device).append('\n');
            }
        }
        rules.forEach(rule ->
                text.append(rule.selector()).append(' ').append(rule.taint()).append('\n'));
        classes.forEach(each -> text.append("class ")
                .append(each.meta().name())
                .append(' ')
                .append(each.selectors())
                .append('\n'));
        text.append("held ").append(allocatedDevices).append('\n');
        claims.forEach(claim -> text.append("claim ").append(claim).append('\n'));
        return text.toString().replaceAll("(, )?\\w+=(\\[]|\\{}|Unset\\[]|false|Optional.empty)", "");
    }
}
