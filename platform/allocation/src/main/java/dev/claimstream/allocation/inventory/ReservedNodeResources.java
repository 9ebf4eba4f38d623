package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.ResourceList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The resources that pods reserve, by node. The nodes need not exist. */
final class ReservedNodeResources {
    private final Map<String, ResourceList> byNode = new LinkedHashMap<>();

    void add(String node, ResourceList requests) {
        set(node, of(node).plus(requests));
    }

    void subtract(String node, ResourceList requests) {
        set(node, of(node).minus(requests));
    }

    private void set(String node, ResourceList now) {
        if (now.isNone()) {
            byNode.remove(node);
        } else {
            byNode.put(node, now);
        }
    }

    ResourceList of(String node) {
        return byNode.getOrDefault(node, ResourceList.none());
    }

    /** Returns the reserved resources by node; nodes without reservations are absent. */
    Map<String, ResourceList> all() {
        return Collections.unmodifiableMap(byNode);
    }
}
