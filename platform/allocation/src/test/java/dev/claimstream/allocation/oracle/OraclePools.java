package dev.claimstream.allocation.oracle;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Collects the pools that a node can access, in search order, as upstream's {@code GatherPools}. */
final class OraclePools {
    private OraclePools() {}

    /** A pool with the slices that one node can access. */
    record OraclePool(String driver, String name, boolean incomplete, boolean invalid, List<ResourceSlice> slices) {
        String id() {
            return driver + "/" + name;
        }

        boolean hasBindingConditions() {
            return slices.stream()
                    .flatMap(slice -> slice.devices().stream())
                    .anyMatch(device -> !device.bindingConditions().isEmpty());
        }
    }

    static List<OraclePool> gather(List<ResourceSlice> all, Node node) {
        Map<String, List<ResourceSlice>> groups = new LinkedHashMap<>();
        for (ResourceSlice slice : all) {
            if (isAccessible(slice, node)) {
                addSlice(groups.computeIfAbsent(slice.driver() + "/" + slice.pool(), key -> new ArrayList<>()), slice);
            }
        }
        List<OraclePool> plain = new ArrayList<>();
        List<OraclePool> binding = new ArrayList<>();
        for (List<ResourceSlice> group : groups.values()) {
            group.sort(Comparator.comparing(slice -> slice.meta().name()));
            for (OraclePool pool : build(group, all)) {
                (pool.hasBindingConditions() ? binding : plain).add(pool);
            }
        }
        Comparator<OraclePool> order = Comparator.comparing(OraclePool::driver).thenComparing(OraclePool::name);
        plain.sort(order);
        binding.sort(order);
        plain.addAll(binding);
        return plain;
    }

    private static void addSlice(List<ResourceSlice> group, ResourceSlice slice) {
        if (!group.isEmpty() && group.getFirst().generation() < slice.generation()) {
            group.clear();
        }
        if (group.isEmpty() || group.getFirst().generation() == slice.generation()) {
            group.add(slice);
        }
    }

    private static List<OraclePool> build(List<ResourceSlice> group, List<ResourceSlice> all) {
        ResourceSlice first = group.getFirst();
        if (group.size() != first.resourceSliceCount()) {
            int collected = 0;
            for (ResourceSlice slice : all) {
                if (slice.driver().equals(first.driver()) && slice.pool().equals(first.pool())) {
                    if (slice.generation() > first.generation()) {
                        return List.of();
                    }
                    collected += slice.generation() == first.generation() ? 1 : 0;
                }
            }
            if (collected != first.resourceSliceCount()) {
                return List.of(new OraclePool(first.driver(), first.pool(), true, false, List.of()));
            }
        }
        var names = new LinkedHashSet<String>();
        for (ResourceSlice slice : group) {
            for (Device device : slice.devices()) {
                if (!names.add(device.name())) {
                    return List.of(new OraclePool(first.driver(), first.pool(), false, true, List.of()));
                }
            }
        }
        return List.of(new OraclePool(first.driver(), first.pool(), false, false, List.copyOf(group)));
    }

    private static boolean isAccessible(ResourceSlice slice, Node node) {
        if (slice.scope() instanceof NodeScope.PerDevice) {
            return slice.devices().stream().anyMatch(device -> matches(device.scope(), node));
        }
        return matches(slice.scope(), node);
    }

    /** Whether a scope includes the node, as upstream's {@code NodeMatches}. */
    static boolean matches(NodeScope scope, Node node) {
        return switch (scope) {
            case NodeScope.SingleNode on -> on.node().equals(node.meta().name());
            case NodeScope.AllNodes all -> true;
            case NodeScope.MatchingNodes matching ->
                matching.selector().matches(node.meta().name(), node.meta().labels());
            case NodeScope.PerDevice devices -> false;
            case NodeScope.UnknownScope unset -> false;
        };
    }
}
