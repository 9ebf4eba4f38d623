package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectKey;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cluster, the claims to allocate, and the expected result.
 *
 * @param node the node to use; absent for the best node
 * @param policy absent if the runner decides
 * @param gates the feature gates that the scenario sets, by Kubernetes name
 * @param pod the pod whose claims are allocated, if the scenario names one
 * @param claims the claims to allocate together for one pod, in this order; other claims count only with an allocation
 * @param objects the cluster, complete with namespaces and uids
 */
public record Scenario(
        String name,
        Optional<String> node,
        Optional<PlacementPolicy> policy,
        SortedMap<String, Boolean> gates,
        Optional<SchedulerPodView> pod,
        List<ObjectKey> claims,
        Expectation expectation,
        List<ClusterObject> objects) {
    public Scenario {
        gates = Collections.unmodifiableSortedMap(new TreeMap<>(gates));
        claims = List.copyOf(claims);
        objects = List.copyOf(objects);
    }
}
