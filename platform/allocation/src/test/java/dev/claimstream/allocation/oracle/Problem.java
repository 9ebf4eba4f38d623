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

/** A small cluster and the claims of one item. */
public record Problem(
        List<Node> nodes,
        List<ResourceSlice> slices,
        List<DeviceTaintRule> rules,
        List<DeviceClass> classes,
        SortedSet<DeviceId> held,
        List<ClaimSpec> claims) {
    public Problem {
        nodes = List.copyOf(nodes);
        slices = List.copyOf(slices);
        rules = List.copyOf(rules);
        classes = List.copyOf(classes);
        held = Collections.unmodifiableSortedSet(new TreeSet<>(held));
        claims = List.copyOf(claims);
    }

    /** The gates of the oracle. */
    public static final FeatureGates FEATURES = FeatureGates.defaults().with(Feature.CONSUMABLE_CAPACITY, false);

    /** The device table of this cluster. */
    public DeviceInventory inventory() {
        var inventory = new DeviceInventory();
        inventory.setFeatures(FEATURES);
        nodes.forEach(inventory::put);
        slices.forEach(inventory::put);
        rules.forEach(inventory::put);
        held.forEach(device -> inventory.addUsage(
                DeviceResult.of("r", device), "holder-of-" + device, new ObjectKey("default", "holder")));
        return inventory;
    }

    /** Its classes by name. */
    public SortedMap<String, DeviceClass> classesByName() {
        var byName = new TreeMap<String, DeviceClass>();
        classes.forEach(each -> byName.put(each.meta().name(), each));
        return byName;
    }

    /** The node with this name. */
    public Node node(String name) {
        return nodes.stream()
                .filter(node -> node.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The same for other claims. */
    public Problem asking(List<ClaimSpec> others) {
        return new Problem(nodes, slices, rules, classes, held, others);
    }

    /** One line per object, to print with a failure. */
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
        text.append("held ").append(held).append('\n');
        claims.forEach(claim -> text.append("claim ").append(claim).append('\n'));
        return text.toString().replaceAll("(, )?\\w+=(\\[]|\\{}|Unset\\[]|false|Optional.empty)", "");
    }
}
