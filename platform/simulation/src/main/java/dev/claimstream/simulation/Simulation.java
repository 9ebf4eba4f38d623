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
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Tries changes on the state of a cell, or of several, and undoes them. The cells decide as usual, under their work budget.
 *
 * <p>Not thread-safe: the states must not change during {@link #run}.
 */
public final class Simulation {
    /** Maximum number of work slices of a cell after a change. */
    static final int SLICES_MAX = 400;

    /** Maximum number of shapes that are tried. */
    private static final int SHAPES_MAX = 16;

    private final List<SimulatedCell> cells;
    private final SimulatedCell newest;

    /** @param cells every cell of the cluster, by index */
    public Simulation(List<SimulatedCell> cells) {
        this.cells = List.copyOf(cells);
        newest = cells.stream().max(Comparator.comparing(SimulatedCell::at)).orElseThrow();
    }

    /**
     * A simulation of a cluster with one cell.
     *
     * @param at time of the last input of the cell
     * @param offset of this input; -1 without a log
     */
    public Simulation(Cell cell, Instant at, long offset) {
        this(List.of(new SimulatedCell(cell, at, offset)));
    }

    /**
     * Simulates a request.
     *
     * @throws InvalidSimulationException if the request names an unknown node or shape, or the cluster is not synced
     */
    public SimulationResult run(SimulationRequest request) {
        if (!cells.stream().allMatch(each -> each.state().isSynced())) {
            throw new InvalidSimulationException(
                    "not every source of the cluster has synced: nothing can be allocated now, try again");
        }
        List<State> states = cells.stream().map(SimulatedCell::state).toList();
        FleetUsage before = FleetUsage.of(states);
        List<SimulationResult.CellShare> shares = cells.size() == 1
                ? List.of()
                : cells.stream()
                        .map(each -> new SimulationResult.CellShare(
                                each.index(), each.at(), each.offset(), FleetUsage.of(List.of(each.state()))))
                        .toList();
        TrialOutcome outcome = tryChanges(request, Optional.empty());
        List<ItemId> pending = outcome.requested().stream()
                .filter(each -> !each.isAllocated())
                .map(ItemOutcome::item)
                .toList();
        return SimulationResult.builder(
                        newest.at(),
                        newest.offset(),
                        request.policy().orElse(newest.state().settings().policy()),
                        before,
                        outcome.after())
                .requested(outcome.requested())
                .evicted(outcome.evicted())
                .others(outcome.others())
                .withoutClaims(outcome.withoutClaims())
                .shapes(request.shapes() && !pending.isEmpty() ? shapes(request, pending) : List.of())
                .isComplete(outcome.isComplete())
                .cells(shares)
                .allocatingCells(outcome.cells())
                .build();
    }

    private List<SimulationResult.ShapeFit> shapes(SimulationRequest request, List<ItemId> pending) {
        NavigableMap<String, Node> shapes = new TreeMap<>();
        cells.forEach(each -> NodeCopies.shapes(each.state()).forEach(shapes::putIfAbsent));
        List<SimulationResult.ShapeFit> fits = new ArrayList<>();
        shapes.entrySet().stream().limit(SHAPES_MAX).forEach(shape -> {
            TrialOutcome outcome = tryChanges(request, Optional.of(shape.getValue()));
            fits.add(new SimulationResult.ShapeFit(
                    shape.getKey(),
                    shape.getValue().meta().name(),
                    outcome.requested().stream()
                            .filter(each -> each.isAllocated() && pending.contains(each.item()))
                            .map(ItemOutcome::item)
                            .toList()));
        });
        return fits;
    }

    private TrialOutcome tryChanges(SimulationRequest request, Optional<Node> extra) {
        if (cells.size() > 1) {
            try (var trial = new RoutedTrial(cells, newest.at())) {
                return trial.run(request, extra);
            }
        }
        return tryOnOneCell(request, extra);
    }

    private TrialOutcome tryOnOneCell(SimulationRequest request, Optional<Node> extra) {
        State state = newest.state();
        Set<ItemId> pendingBefore = new LinkedHashSet<>(state.pending().values());
        try (Trial trial = Trial.begin(newest.cell(), newest.at())) {
            request.policy().ifPresent(policy -> setPolicy(trial, policy));
            for (Map.Entry<String, Integer> shape : request.addedNodes().entrySet()) {
                NodeCopies.add(trial, NodeCopies.find(List.of(state), shape.getKey()), shape.getValue());
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
                    FleetUsage.of(List.of(state)),
                    isComplete,
                    Map.of());
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

    static void setPolicy(Trial trial, PlacementPolicy policy) {
        trial.step(new Observation.SettingsChanged(
                trial.state().settings().toBuilder().policy(policy).build()));
    }

    private static List<ItemId> drain(Trial trial, String node) {
        if (!trial.state().inventory().nodes().containsKey(node)) {
            throw unknownNode(node);
        }
        return trial.drain(node);
    }

    static InvalidSimulationException unknownNode(String node) {
        return new InvalidSimulationException(
                "there is no node %s: claimstream get nodes lists all nodes".formatted(node));
    }

    /** An object without a creation time is as new as the last input, so that it overtakes no pending item. */
    static ClusterObject withCreationTime(ClusterObject object, Instant now) {
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
    private static List<ItemId> upsert(Trial trial, List<ClusterObject> objects) {
        List<ItemId> items = new ArrayList<>();
        objects.stream()
                .sorted(Comparator.comparingInt(object -> order(object.kind())))
                .forEach(object -> {
                    trial.upsert(withCreationTime(object, trial.at()));
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
