package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Trial;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Copies of nodes of a cell, each empty, with the devices that only the node itself has. */
final class NodeCopies {
    /** Well-known label with the type of the machine. */
    static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";

    private static final String HOST_NAME = "kubernetes.io/hostname";
    private static final int NAMES_MAX = 10;

    private NodeCopies() {}

    /**
     * Returns one usable node per shape, by shape: nodes of one instance type, else nodes with the same devices and
     * resources.
     */
    static SortedMap<String, Node> shapes(State state) {
        SortedMap<String, Node> byType = new TreeMap<>();
        Map<List<Object>, String> alike = new LinkedHashMap<>();
        for (Node node : state.inventory().nodes().values()) {
            Optional<String> type = instanceType(node);
            if (!node.ready() || slices(state, node).isEmpty()) {
                continue;
            }
            if (type.isPresent()) {
                byType.putIfAbsent(type.get(), node);
            } else if (alike.putIfAbsent(content(state, node), node.meta().name()) == null) {
                byType.put(node.meta().name(), node);
            }
        }
        return byType;
    }

    private static Optional<String> instanceType(Node node) {
        return Optional.ofNullable(node.meta().labels().get(INSTANCE_TYPE));
    }

    private static List<Object> content(State state, Node node) {
        return List.of(
                node.allocatable(),
                node.taints(),
                slices(state, node).stream()
                        .map(slice -> List.of(slice.driver(), slice.devices()))
                        .toList());
    }

    /**
     * Finds the node that a shape names.
     *
     * @throws InvalidSimulationException if there is none
     */
    static Node find(State state, String shape) {
        return Optional.ofNullable(state.inventory().nodes().get(shape))
                .or(() -> state.inventory().nodes().values().stream()
                        .filter(node -> instanceType(node).filter(shape::equals).isPresent())
                        .findFirst())
                .orElseThrow(() -> new InvalidSimulationException(
                        "there is no node and no instance type %s: use %s".formatted(shape, known(state))));
    }

    private static String known(State state) {
        Collection<String> shapes = shapes(state).keySet();
        return shapes.isEmpty()
                ? "a cluster with nodes that have devices"
                : shapes.stream().limit(NAMES_MAX).collect(Collectors.joining(", "))
                        + (shapes.size() > NAMES_MAX ? " or another node" : "");
    }

    /** Adds copies of a node to a trial. Returns their names. */
    static List<String> add(Trial trial, Node node, int count) {
        List<ResourceSlice> slices = slices(trial.state(), node);
        SortedMap<String, String> names = new TreeMap<>();
        for (int i = 1; i <= count; i++) {
            String name = "%s-added-%d".formatted(node.meta().name(), i);
            names.put(name, name);
            slices.forEach(slice -> trial.upsert(copy(slice, slices, node.meta().name(), name)));
            trial.upsert(copy(node, name));
        }
        return List.copyOf(names.keySet());
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
        return new ResourceSlice(
                ObjectMeta.of("", sliceName, "uid-of-" + sliceName),
                slice.driver(),
                pool,
                slice.generation(),
                all.stream().filter(each -> each.poolId().equals(slice.poolId())).count(),
                new NodeScope.SingleNode(name),
                slice.devices(),
                slice.sharedCounters(),
                slice.skipNodeOperations());
    }
}
