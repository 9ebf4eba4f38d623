package dev.claimstream.allocation.sample;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Parses a device from a short text: its name, then words in any order.
 *
 * <ul>
 *   <li>{@code model=a100}: an attribute; {@code memory:80Gi}: a capacity
 *   <li>{@code memory:80Gi[1Gi..8Gi,2Gi;1Gi]}: a capacity with a range policy (minimum, maximum, step; default)
 *   <li>{@code memory:8[1,2,4;1]}: a capacity with a policy of valid values (values; default)
 *   <li>{@code !dead=yes:NoSchedule}: a taint
 *   <li>{@code @node-1}, {@code @*}, {@code @zone=a}: node selection per device
 *   <li>{@code +binds}: {@code bindsToNode}; {@code +shared}: {@code allowMultipleAllocations}
 *   <li>{@code ?ready}: a binding condition
 *   <li>{@code -set:memory=4/sm=1}: consumption of a counter set
 *   <li>{@code -set:memory=4{mig,vfio}}: the same with compatibility groups
 *   <li>{@code ^cpu=4}, {@code ^cpu=cores*2}, {@code ^memory+1Gi/512Mi}: node allocatable resources per device, per
 *       unit of a capacity, and per pod and container
 * </ul>
 *
 * <p>{@code %set memory=8 sm=7} is not a device but a counter set.
 */
public final class DeviceText {
    private DeviceText() {}

    /** Parses a device. */
    public static Device device(String text) {
        String[] words = text.trim().split("\\s+", -1);
        var attributes = new TreeMap<String, AttributeValue>();
        var capacity = new TreeMap<String, DeviceCapacity>();
        List<Taint> taints = new ArrayList<>();
        List<String> conditions = new ArrayList<>();
        List<CounterConsumption> counters = new ArrayList<>();
        var nodeAllocatable = new TreeMap<String, NodeAllocatable>();
        NodeScope scope = new NodeScope.UnknownScope();
        boolean binds = false;
        boolean shared = false;
        for (String word : Arrays.asList(words).subList(1, words.length)) {
            String rest = word.substring(1);
            switch (word.charAt(0)) {
                case '!' -> taints.add(taint(rest));
                case '@' -> scope = scope(rest);
                case '+' -> {
                    binds |= rest.equals("binds");
                    shared |= rest.equals("shared");
                }
                case '?' -> conditions.add(rest);
                case '^' -> addNodeAllocatable(rest, nodeAllocatable);
                case '-' -> counters.add(consumption(rest));
                default -> addTo(word, attributes, capacity);
            }
        }
        return Device.builder(words[0])
                .attributes(attributes)
                .capacity(capacity)
                .consumesCounters(counters)
                .scope(scope)
                .taints(taints)
                .bindsToNode(binds)
                .bindingConditions(conditions)
                .allowMultipleAllocations(shared)
                .nodeAllocatable(nodeAllocatable)
                .build();
    }

    private static void addNodeAllocatable(String text, SortedMap<String, NodeAllocatable> nodeAllocatable) {
        int plus = text.indexOf('+');
        if (plus > 0) {
            String[] overhead = text.substring(plus + 1).split("/", 2);
            nodeAllocatable.put(
                    text.substring(0, plus),
                    new NodeAllocatable(
                            Optional.empty(),
                            Optional.of(Quantity.parse(overhead[0])),
                            overhead.length > 1 ? Optional.of(Quantity.parse(overhead[1])) : Optional.empty()));
            return;
        }
        String[] pair = text.split("=", 2);
        String[] product = pair[1].split("\\*", 2);
        nodeAllocatable.put(
                pair[0],
                NodeAllocatable.of(
                        product.length > 1
                                ? new NodeAllocatable.ResourceMapping.CapacityMapping(
                                        product[0], Quantity.parse(product[1]))
                                : new NodeAllocatable.ResourceMapping.DeviceMapping(Quantity.parse(product[0]))));
    }

    private static CounterConsumption consumption(String text) {
        int brace = text.indexOf('{');
        List<String> groups = brace < 0
                ? List.of()
                : List.of(text.substring(brace + 1, text.length() - 1).split(",", -1));
        String[] parts = (brace < 0 ? text : text.substring(0, brace)).split(":", 2);
        return new CounterConsumption(
                parts[0], parts.length > 1 ? amounts(parts[1].split("/", -1)) : new TreeMap<>(), groups);
    }

    private static SortedMap<String, Quantity> amounts(String... texts) {
        var amounts = new TreeMap<String, Quantity>();
        for (String text : texts) {
            String[] pair = text.split("=", 2);
            amounts.put(pair[0], Quantity.parse(pair[1]));
        }
        return amounts;
    }

    /** Whether the text describes a counter set. */
    static boolean isCounterSet(String text) {
        return text.trim().startsWith("%");
    }

    /** Parses a counter set. */
    static CounterSet counterSet(String text) {
        String[] words = text.trim().substring(1).split("\\s+", -1);
        return new CounterSet(words[0], amounts(Arrays.copyOfRange(words, 1, words.length)));
    }

    private static void addTo(
            String word, SortedMap<String, AttributeValue> attributes, SortedMap<String, DeviceCapacity> capacity) {
        int sign = word.indexOf('=');
        int colon = word.indexOf(':');
        if (sign > 0) {
            attributes.put(word.substring(0, sign), value(word.substring(sign + 1)));
        } else {
            capacity.put(word.substring(0, colon), capacity(word.substring(colon + 1)));
        }
    }

    private static DeviceCapacity capacity(String text) {
        int bracket = text.indexOf('[');
        if (bracket < 0) {
            return DeviceCapacity.of(Quantity.parse(text));
        }
        String[] policy = text.substring(bracket + 1, text.length() - 1).split(";", 2);
        Optional<DeviceCapacity.Range> range = Optional.of(policy[0])
                .filter(each -> each.contains(".."))
                .map(each -> {
                    String[] ends = each.split(",", 2)[0].split("\\.\\.", 2);
                    return new DeviceCapacity.Range(
                            quantity(ends[0]),
                            quantity(ends[1]),
                            quantity(each.contains(",") ? each.split(",", 2)[1] : ""));
                });
        List<Quantity> values = range.isPresent()
                ? List.of()
                : Arrays.stream(policy[0].split(",", -1)).map(Quantity::parse).toList();
        return new DeviceCapacity(
                Quantity.parse(text.substring(0, bracket)),
                Optional.of(new DeviceCapacity.RequestPolicy(quantity(policy[1]), values, range)));
    }

    private static Optional<Quantity> quantity(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(Quantity.parse(text));
    }

    /**
     * Parses an attribute value.
     *
     * <p>The value is a number, {@code true} or {@code false}, a version such as {@code v1.0.0}, a list such as
     * {@code [a,b]}, or {@code ??} for an unknown type. Any other text is a string.
     */
    public static AttributeValue value(String text) {
        if (text.matches("-?\\d+")) {
            return new AttributeValue.IntValue(Long.parseLong(text));
        }
        if (text.equals("true") || text.equals("false")) {
            return new AttributeValue.BoolValue(text.equals("true"));
        }
        if (text.matches("v\\d.*")) {
            return new AttributeValue.VersionValue(text.substring(1));
        }
        if (text.equals("??")) {
            return new AttributeValue.UnknownValue();
        }
        return text.startsWith("[")
                ? new AttributeValue.StringList(
                        List.of(text.substring(1, text.length() - 1).split(",", -1)))
                : new AttributeValue.StringValue(text);
    }

    /** Parses a taint: {@code key=value:Effect} or {@code key:Effect}. */
    public static Taint taint(String text) {
        int colon = text.lastIndexOf(':');
        String[] pair = text.substring(0, colon).split("=", 2);
        return new Taint(pair[0], pair.length > 1 ? pair[1] : "", text.substring(colon + 1), Optional.empty());
    }

    /**
     * Parses a toleration.
     *
     * <p>The text is {@code key}, {@code key=value}, {@code key:Effect}, {@code key=value:Effect}, or {@code *} for
     * every taint.
     */
    public static Toleration toleration(String text) {
        int colon = text.indexOf(':');
        String effect = colon < 0 ? "" : text.substring(colon + 1);
        String[] pair = (colon < 0 ? text : text.substring(0, colon)).split("=", 2);
        String key = pair[0].equals("*") ? "" : pair[0];
        return pair.length > 1
                ? new Toleration(key, "Equal", pair[1], effect, Optional.empty())
                : new Toleration(key, "Exists", "", effect, Optional.empty());
    }

    /**
     * Parses a node selection.
     *
     * <p>The text is {@code *} for all nodes, {@code key=value} for nodes with this label, {@code devices} for a
     * selection per device, or {@code ?} for none. Any other text is the name of a node.
     */
    public static NodeScope scope(String text) {
        if (text.equals("*")) {
            return new NodeScope.AllNodes();
        }
        if (text.equals("?")) {
            return new NodeScope.UnknownScope();
        }
        if (text.equals("devices")) {
            return new NodeScope.PerDevice();
        }
        String[] pair = text.split("=", 2);
        return pair.length == 1
                ? new NodeScope.SingleNode(text)
                : new NodeScope.MatchingNodes(new NodeSelector(List.of(new NodeSelector.Term(
                        List.of(new NodeSelector.Requirement(pair[0], "In", List.of(pair[1]))), List.of()))));
    }
}
