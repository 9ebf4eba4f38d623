package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ResourceList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What pods take of nodes, by the priority of the pods. */
final class TakenByPriority {
    private final Map<String, NavigableMap<Integer, ResourceList>> nodes = new LinkedHashMap<>();
    private final NavigableMap<Integer, Integer> pods = new TreeMap<>();

    /** A pod takes this of a node from now on. */
    void take(String node, int priority, ResourceList requests) {
        nodes.computeIfAbsent(node, each -> new TreeMap<>()).merge(priority, requests, ResourceList::plus);
        pods.merge(priority, 1, Integer::sum);
    }

    /** A pod that took it no longer does. */
    void giveBack(String node, int priority, ResourceList requests) {
        nodes.computeIfPresent(node, (_, taken) -> {
            taken.computeIfPresent(priority, (_, before) -> {
                ResourceList left = before.minus(requests);
                return left.isNone() ? null : left;
            });
            return taken.isEmpty() ? null : taken;
        });
        pods.computeIfPresent(priority, (_, number) -> number == 1 ? null : number - 1);
    }

    /** The priorities below this one that pods have which take something, the lowest first. */
    List<Integer> below(int priority) {
        return List.copyOf(pods.headMap(priority, false).keySet());
    }

    /** What pods up to this priority take of a node. */
    ResourceList upTo(int priority, String node) {
        NavigableMap<Integer, ResourceList> taken = nodes.get(node);
        return taken == null
                ? ResourceList.none()
                : taken.headMap(priority, true).values().stream().reduce(ResourceList.none(), ResourceList::plus);
    }

    /** What all of them take of every node. */
    Map<String, ResourceList> all() {
        var all = new TreeMap<String, ResourceList>();
        nodes.keySet().forEach(node -> all.put(node, upTo(Integer.MAX_VALUE, node)));
        return all;
    }
}
