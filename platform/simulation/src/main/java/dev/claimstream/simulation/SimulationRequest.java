package dev.claimstream.simulation;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.ClusterObject;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Changes of a cluster that are tried and undone.
 *
 * @param addedNodes by shape, the number of nodes to add; a shape is the name of a node, or an instance type
 * @param drainedNodes names of nodes
 * @param objects objects to add or replace, completed as an API server does it
 * @param policy the placement policy of the trial; that of the cell if absent
 * @param shapes whether pending items are also tried with one more node of each shape
 */
public record SimulationRequest(
        SortedMap<String, Integer> addedNodes,
        SortedSet<String> drainedNodes,
        List<ClusterObject> objects,
        Optional<PlacementPolicy> policy,
        boolean shapes) {
    /** Maximum number of added nodes, and of objects. */
    public static final int CHANGES_MAX = 10_000;

    public SimulationRequest {
        addedNodes = Collections.unmodifiableSortedMap(new TreeMap<>(addedNodes));
        drainedNodes = Collections.unmodifiableSortedSet(new TreeSet<>(drainedNodes));
        objects = List.copyOf(objects);
        long nodes = 0;
        for (var each : addedNodes.entrySet()) {
            if (each.getValue() < 1) {
                throw new InvalidSimulationException("%d nodes of shape %s cannot be added: use 1 or more"
                        .formatted(each.getValue(), each.getKey()));
            }
            nodes += each.getValue();
        }
        if (nodes > CHANGES_MAX || objects.size() > CHANGES_MAX) {
            throw new InvalidSimulationException("%d nodes and %d objects are too many: use at most %d of each"
                    .formatted(nodes, objects.size(), CHANGES_MAX));
        }
    }

    /** A request that changes nothing. */
    public static SimulationRequest none() {
        return new SimulationRequest(new TreeMap<>(), new TreeSet<>(), List.of(), Optional.empty(), false);
    }

    public SimulationRequest withAddedNodes(String shape, int count) {
        SortedMap<String, Integer> more = new TreeMap<>(addedNodes);
        more.put(shape, count);
        return new SimulationRequest(more, drainedNodes, objects, policy, shapes);
    }

    public SimulationRequest withDrainedNode(String node) {
        SortedSet<String> more = new TreeSet<>(drainedNodes);
        more.add(node);
        return new SimulationRequest(addedNodes, more, objects, policy, shapes);
    }

    public SimulationRequest withObjects(List<ClusterObject> other) {
        return new SimulationRequest(addedNodes, drainedNodes, other, policy, shapes);
    }

    public SimulationRequest withPolicy(PlacementPolicy other) {
        return new SimulationRequest(addedNodes, drainedNodes, objects, Optional.of(other), shapes);
    }

    public SimulationRequest withShapes() {
        return new SimulationRequest(addedNodes, drainedNodes, objects, policy, true);
    }
}
