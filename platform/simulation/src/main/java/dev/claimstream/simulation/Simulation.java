package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Trial;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tries changes on the state of a cell and undoes them. The cell decides as usual, under its work budget.
 *
 * <p>Not thread-safe: the state must not change during {@link #run}.
 */
public final class Simulation {
    /** Maximum number of work slices after the changes. */
    private static final int SLICES_MAX = 400;

    /** Maximum number of shapes that are tried. */
    private static final int SHAPES_MAX = 16;

    private final Cell cell;
    private final Instant at;
    private final long offset;

    /**
     * @param at time of the last input of the cell
     * @param offset of this input; -1 without a log
     */
    public Simulation(Cell cell, Instant at, long offset) {
        this.cell = cell;
        this.at = at;
        this.offset = offset;
    }

    /**
     * Simulates a request.
     *
     * @throws InvalidSimulationException if the request names an unknown node or shape, or the cluster is not synced
     */
    public SimulationResult run(SimulationRequest request) {
        State state = cell.state();
        if (!state.isSynced()) {
            throw new InvalidSimulationException(
                    "not every source of the cluster has synced: nothing can be allocated now, try again");
        }
        if (!state.identity().isSingleCell()) {
            throw new InvalidSimulationException("the log has %d cells, and only a log with one cell can be simulated"
                    .formatted(state.identity().cells()));
        }
        FleetUsage before = FleetUsage.of(state);
        TrialOutcome outcome = tryChanges(request, Optional.empty());
        List<ItemId> pending = outcome.requested.stream()
                .filter(each -> !each.isAllocated())
                .map(ItemOutcome::item)
                .toList();
        return new SimulationResult(
                at,
                offset,
                request.policy().orElse(state.settings().policy()),
                outcome.requested,
                outcome.evicted,
                outcome.others,
                outcome.withoutClaims,
                request.shapes() && !pending.isEmpty() ? shapes(request, pending) : List.of(),
                before,
                outcome.after,
                outcome.isComplete);
    }

    private List<SimulationResult.ShapeFit> shapes(SimulationRequest request, List<ItemId> pending) {
        List<SimulationResult.ShapeFit> fits = new ArrayList<>();
        NodeCopies.shapes(cell.state()).entrySet().stream().limit(SHAPES_MAX).forEach(shape -> {
            TrialOutcome outcome = tryChanges(request, Optional.of(shape.getValue()));
            fits.add(new SimulationResult.ShapeFit(
                    shape.getKey(),
                    shape.getValue().meta().name(),
                    outcome.requested.stream()
                            .filter(each -> each.isAllocated() && pending.contains(each.item()))
                            .map(ItemOutcome::item)
                            .toList()));
        });
        return fits;
    }

    /** @param others items that neither the request nor a drain names, and whose state differs */
    private record TrialOutcome(
            List<ItemOutcome> requested,
            List<ItemOutcome> evicted,
            List<ItemId> withoutClaims,
            List<ItemOutcome> others,
            FleetUsage after,
            boolean isComplete) {}

    private TrialOutcome tryChanges(SimulationRequest request, Optional<Node> extra) {
        State state = cell.state();
        Set<ItemId> pendingBefore = new LinkedHashSet<>(state.pending().values());
        try (Trial trial = Trial.begin(cell, at)) {
            request.policy().ifPresent(policy -> setPolicy(trial, policy));
            for (Map.Entry<String, Integer> shape : request.addedNodes().entrySet()) {
                NodeCopies.add(trial, NodeCopies.find(state, shape.getKey()), shape.getValue());
            }
            extra.ifPresent(node -> NodeCopies.add(trial, node, 1));
            SequencedSet<ItemId> evictions = new LinkedHashSet<>();
            request.drainedNodes().forEach(node -> evictions.addAll(drain(trial, node)));
            List<ItemId> evicted = List.copyOf(evictions);
            List<ItemId> items = upsert(trial, request.objects());
            boolean isComplete = trial.finishWork(SLICES_MAX);
            List<ItemId> withoutClaims = items.stream()
                    .filter(item -> item.kind() == ItemId.ItemKind.POD)
                    .filter(item -> state.item(item).isEmpty())
                    .toList();
            Set<ItemId> named = new HashSet<>(items);
            named.addAll(evicted);
            return new TrialOutcome(
                    outcomes(state, items),
                    outcomes(state, evicted),
                    withoutClaims,
                    outcomes(state, others(state, pendingBefore, named)),
                    FleetUsage.of(state),
                    isComplete);
        }
    }

    /** Items that were pending and are not, and then those that are pending and were not. */
    private static List<ItemId> others(State state, Set<ItemId> pendingBefore, Set<ItemId> named) {
        return Stream.concat(
                        pendingBefore.stream()
                                .filter(item -> state.item(item)
                                        .filter(row -> !row.isPending())
                                        .isPresent()),
                        state.pending().values().stream().filter(item -> !pendingBefore.contains(item)))
                .filter(item -> !named.contains(item))
                .toList();
    }

    private static void setPolicy(Trial trial, PlacementPolicy policy) {
        trial.step(new Observation.SettingsChanged(
                trial.state().settings().toBuilder().policy(policy).build()));
    }

    private static List<ItemId> drain(Trial trial, String node) {
        if (!trial.state().inventory().nodes().containsKey(node)) {
            throw new InvalidSimulationException(
                    "there is no node %s: claimstream get nodes lists all nodes".formatted(node));
        }
        return trial.drain(node);
    }

    /** An object without a creation time is as new as the last input, so that it overtakes no pending item. */
    private static ClusterObject withCreationTime(ClusterObject object, Instant now) {
        if (object.meta().created().isPresent()) {
            return object;
        }
        if (object instanceof Pod pod) {
            return pod.withMeta(pod.meta().withCreated(now));
        }
        return object instanceof ResourceClaim claim
                ? new ResourceClaim(
                        claim.meta().withCreated(now), claim.spec(), claim.allocation(), claim.reservedFor())
                : object;
    }

    /** Publishes objects in an order in which no claim is allocated before its pod is known. */
    private List<ItemId> upsert(Trial trial, List<ClusterObject> objects) {
        List<ItemId> items = new ArrayList<>();
        objects.stream()
                .sorted(Comparator.comparingInt(object -> order(object.kind())))
                .forEach(object -> {
                    trial.upsert(withCreationTime(object, at));
                    if (object.kind() == Kind.POD) {
                        items.add(ItemId.pod(object.key()));
                    } else if (object.kind() == Kind.RESOURCE_CLAIM) {
                        items.add(ItemId.claim(object.key()));
                    }
                });
        return items;
    }

    /** The position of a kind: a pod comes before its claims. */
    static int order(Kind kind) {
        return switch (kind) {
            case NAMESPACE, DEVICE_CLASS, DEVICE_TAINT_RULE, RESOURCE_CLAIM_TEMPLATE -> 0;
            case RESOURCE_SLICE -> 1;
            case NODE -> 2;
            case POD_GROUP -> 3;
            case POD -> 4;
            case RESOURCE_CLAIM -> 5;
        };
    }

    private static List<ItemOutcome> outcomes(State state, List<ItemId> items) {
        return items.stream()
                .flatMap(item -> ItemOutcome.of(state, item).stream())
                .toList();
    }
}
