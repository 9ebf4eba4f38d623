package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectKey;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cluster, some claims of it, and what they must get.
 *
 * @param node where the claims are decided; absent: the best of all nodes
 * @param policy absent where the scenario leaves it to whoever runs it
 * @param gates what the scenario says of feature gates, by name in Kubernetes
 * @param pod whose claims are decided, where the scenario names one
 * @param claims those to decide, together for one pod and in this order; no other claim counts unless it has an allocation
 * @param objects the cluster, complete with namespaces and uids
 */
public record Scenario(
        String name,
        Optional<String> node,
        Optional<Policy> policy,
        SortedMap<String, Boolean> gates,
        Optional<WantedPod> pod,
        List<ObjectKey> claims,
        Expectation expect,
        List<ClusterObject> objects) {
    public Scenario {
        gates = Collections.unmodifiableSortedMap(new TreeMap<>(gates));
        claims = List.copyOf(claims);
        objects = List.copyOf(objects);
    }
}
