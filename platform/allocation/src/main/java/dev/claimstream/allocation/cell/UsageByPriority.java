package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ResourceList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The node resources that pods use, by pod priority. */
final class UsageByPriority {
    private final Map<String, NavigableMap<Integer, ResourceList>> nodes = new LinkedHashMap<>();
    private final NavigableMap<Integer, Integer> pods = new TreeMap<>();

    /** Adds the resources of a pod. */
    void add(String node, int priority, ResourceList requests) {
        nodes.computeIfAbsent(node, each -> new TreeMap<>()).merge(priority, requests, ResourceList::plus);
        pods.merge(priority, 1, Integer::sum);
    }

    /** Subtracts the resources of a pod. */
    void subtract(String node, int priority, ResourceList requests) {
        nodes.computeIfPresent(node, (_, used) -> {
            used.computeIfPresent(priority, (_, before) -> {
                ResourceList remaining = before.minus(requests);
                return remaining.isNone() ? null : remaining;
            });
            return used.isEmpty() ? null : used;
        });
        pods.computeIfPresent(priority, (_, number) -> number == 1 ? null : number - 1);
    }

    /** The priorities of counted pods below this one, in ascending order. */
    List<Integer> below(int priority) {
        return List.copyOf(pods.headMap(priority, false).keySet());
    }

    /** The resources on a node used by pods up to this priority. */
    ResourceList upTo(int priority, String node) {
        NavigableMap<Integer, ResourceList> used = nodes.get(node);
        return used == null
                ? ResourceList.none()
                : used.headMap(priority, true).values().stream().reduce(ResourceList.none(), ResourceList::plus);
    }

    /** The used resources of every node. */
    Map<String, ResourceList> all() {
        var all = new TreeMap<String, ResourceList>();
        nodes.keySet().forEach(node -> all.put(node, upTo(Integer.MAX_VALUE, node)));
        return all;
    }
}
