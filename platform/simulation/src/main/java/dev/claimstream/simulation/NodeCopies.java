package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Trial;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Copies of nodes of a cell, each empty, with the devices that only the node itself has. */
final class NodeCopies {
    /** Well-known label with the type of the machine. */
    static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";

    private static final String HOST_NAME = "kubernetes.io/hostname";
    private static final int NAMES_MAX = 10;
    private static final String SEVERAL = "";

    private NodeCopies() {}

    /**
     * Returns one ready node per shape, by shape: nodes of one instance type, else nodes with like devices and equal
     * resources. Attributes that only one node has, such as serial numbers, do not count.
     */
    static SortedMap<String, Node> shapes(State state) {
        SortedMap<String, Node> byType = new TreeMap<>();
        Map<FieldValue, String> owners = new HashMap<>();
        List<Node> others = new ArrayList<>();
        for (Node node : state.inventory().nodes().values()) {
            if (!node.ready() || slices(state, node).isEmpty()) {
                continue;
            }
            Optional<String> type = instanceType(node);
            type.ifPresentOrElse(name -> byType.putIfAbsent(name, node), () -> others.add(node));
        }
        others.forEach(node -> fieldValues(state, node)
                .forEach(value ->
                        owners.merge(value, node.meta().name(), (one, other) -> one.equals(other) ? one : SEVERAL)));
        Map<List<Object>, String> alike = new HashMap<>();
        for (Node node : others) {
            if (alike.putIfAbsent(content(state, node, owners), node.meta().name()) == null) {
                byType.put(node.meta().name(), node);
            }
        }
        return byType;
    }

    private static Optional<String> instanceType(Node node) {
        return Optional.ofNullable(node.meta().labels().get(INSTANCE_TYPE));
    }

    private record FieldValue(String name, AttributeValue value) {}

    private static Stream<FieldValue> fieldValues(State state, Node node) {
        return slices(state, node).stream()
                .flatMap(slice -> slice.devices().stream())
                .flatMap(NodeCopies::fieldValues);
    }

    private static Stream<FieldValue> fieldValues(Device device) {
        return device.attributes().entrySet().stream().map(each -> new FieldValue(each.getKey(), each.getValue()));
    }

    private static List<Object> content(State state, Node node, Map<FieldValue, String> owners) {
        return List.of(
                node.allocatable(),
                node.taints(),
                slices(state, node).stream()
                        .map(slice -> List.of(
                                slice.driver(),
                                slice.devices().stream()
                                        .map(device -> List.of(
                                                device.capacity(),
                                                fieldValues(device)
                                                        .filter(value -> SEVERAL.equals(owners.get(value)))
                                                        .toList()))
                                        .toList()))
                        .toList());
    }

    /**
     * Finds the node that a shape names.
     *
     * @throws InvalidSimulationException if there is none
     */
    static Node find(List<State> cells, String shape) {
        return cells.stream()
                .flatMap(state -> Optional.ofNullable(state.inventory().nodes().get(shape)).stream())
                .findFirst()
                .or(() -> cells.stream()
                        .flatMap(state -> state.inventory().nodes().values().stream())
                        .filter(node -> instanceType(node).filter(shape::equals).isPresent())
                        .findFirst())
                .orElseThrow(() -> new InvalidSimulationException(
                        "there is no node and no instance type %s: use %s".formatted(shape, known(cells))));
    }

    private static String known(List<State> cells) {
        SortedSet<String> shapes = new TreeSet<>();
        cells.forEach(state -> shapes.addAll(shapes(state).keySet()));
        return shapes.isEmpty()
                ? "a cluster with nodes that have devices"
                : shapes.stream().limit(NAMES_MAX).collect(Collectors.joining(", "))
                        + (shapes.size() > NAMES_MAX ? " or another node" : "");
    }

    /** Adds copies of a node to a trial, with names that no node has. */
    static void add(Trial trial, Node node, int count) {
        List<ResourceSlice> slices = slices(trial.state(), node);
        int number = 1;
        for (int i = 0; i < count; i++) {
            while (trial.state().inventory().nodes().containsKey(nameOf(node, number))) {
                number++;
            }
            String name = nameOf(node, number);
            slices.forEach(slice -> trial.upsert(copy(slice, slices, node.meta().name(), name)));
            trial.upsert(copy(node, name));
        }
    }

    private static String nameOf(Node node, int number) {
        return "%s-added-%d".formatted(node.meta().name(), number);
    }

    /** The slices of the newest generations that only this node reaches. */
    private static List<ResourceSlice> slices(State state, Node node) {
        List<ResourceSlice> all = state.inventory().slices().on(node.meta().name());
        SortedMap<PoolId, Long> newest = new TreeMap<>();
        all.forEach(slice -> newest.merge(slice.poolId(), slice.generation(), Math::max));
        return all.stream()
                .filter(slice -> slice.generation()
                        == Objects.requireNonNull(newest.get(slice.poolId())).longValue())
                .toList();
    }

    private static Node copy(Node node, String name) {
        SortedMap<String, String> labels = new TreeMap<>(node.meta().labels());
        labels.computeIfPresent(HOST_NAME, (_, _) -> name);
        return new Node(
                ObjectMeta.of("", name, "uid-of-" + name).withLabels(labels),
                node.taints(),
                false,
                true,
                node.declaredFeatures(),
                node.allocatable());
    }

    private static ResourceSlice copy(ResourceSlice slice, List<ResourceSlice> all, String node, String name) {
        String pool = slice.pool().equals(node) ? name : "%s-%s".formatted(slice.pool(), name);
        String sliceName = "%s-%s".formatted(slice.meta().name(), name);
        return slice.toBuilder()
                .meta(ObjectMeta.of("", sliceName, "uid-of-" + sliceName))
                .pool(pool)
                .resourceSliceCount(all.stream()
                        .filter(each -> each.poolId().equals(slice.poolId()))
                        .count())
                .scope(new NodeScope.SingleNode(name))
                .build();
    }
}
