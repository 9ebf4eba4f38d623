package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Index of all nodes for one problem, grouped into equivalence classes. It catches up with the inventory on demand, by
 * visiting changed nodes. A search then costs as much as there are classes. Not thread-safe.
 */
final class NodeClassIndex {
    private static final int CLASSES_MAX = 1 << 16;

    private final String digest;
    private final AllocationProblem problem;
    private final DeviceInventory inventory;
    private final Optional<String> onlyNode;
    private final Map<IntKey, Integer> layoutNumbers = new LinkedHashMap<>();
    private final List<NodeLayout> layouts = new ArrayList<>();
    private final Map<IntKey, NodeEquivalenceClass> classes = new LinkedHashMap<>();
    private final List<NodeEntry> nodeEntries = new ArrayList<>();
    private final Ints scratch = new Ints();
    private long changesOffset = -1;
    /** Units of the comparisons since the index was last up to date. */
    private long comparisonUnits;

    private Optional<Reason> reason = Optional.empty();
    private long reasonVersion;
    private long reasonStepsMax;
    private long reasonCost;
    private long reasonOffset;
    private final CandidateCounts counts;
    private final DistinctFilters filters;
    private final long unitsPerDevice;

    private final SuspendedSearches suspensions;

    /** @param digest identifies the shape to a {@link WorkMeter} */
    NodeClassIndex(String digest, AllocationProblem problem, DeviceInventory inventory, SuspendedSearches suspensions) {
        this.suspensions = suspensions;
        this.digest = digest;
        this.problem = problem;
        this.inventory = inventory;
        this.onlyNode = problem.shape().rules().onlyNode();
        this.filters = new DistinctFilters(problem);
        this.unitsPerDevice = WorkMeter.DEVICE * filters.comparisons()
                + WorkMeter.REQUEST * problem.options().size();
        this.counts = new CandidateCounts(problem, filters, inventory);
    }

    /** Index entry of a node: version of the view, index of the layout, and class. */
    private record NodeEntry(int version, int layout, Optional<NodeEquivalenceClass> nodeClass) {
        static final NodeEntry NONE = new NodeEntry(-1, -1, Optional.empty());
    }

    AllocationProblem problem() {
        return problem;
    }

    /** Number of nodes with an entry. */
    int nodes() {
        return nodeEntries.size();
    }

    /** Classes with at least one node. */
    List<NodeEquivalenceClass> classes() {
        return classes.values().stream().filter(each -> !each.nodes.isEmpty()).toList();
    }

    /**
     * Searches every class; the index must be up to date.
     *
     * @param mayUse nodes that the item may use
     * @throws WorkMeter.ExhaustedException if the work exceeds the limit of the meter; the order of the classes does
     *     not affect this
     */
    NodeRanking find(PlacementPolicy policy, long stepsMax, Predicate<NodeDeviceView> mayUse, WorkMeter meter) {
        var ranking =
                new NodeRanking(policy, problem.shape().accounting().map(each -> new NodeResourceCheck(problem, each)));
        for (NodeEquivalenceClass each : classes.values()) {
            if (!each.nodes.isEmpty()) {
                long stepsNow = meter.affordableSteps(each.layout.size);
                SearchOutcome outcome = suspensions
                        .advance(problem, each, policy, stepsMax, stepsNow)
                        .orElseThrow(meter::exhausted);
                meter.chargeSearch(outcome.steps(), each.layout.size);
                ranking.consider(each, outcome, mayUse);
            }
        }
        return ranking;
    }

    /**
     * Returns why no node fits. The reason is computed once per version of the inventory and charged at each call. If
     * deallocation can resolve the reason, later changes of allocations change only the cost of the diagnosis.
     *
     * @param charging charges the diagnosis of such a reason
     */
    Reason reason(long version, long stepsMax, WorkMeter meter, Supplier<Reason> diagnosed, Runnable charging) {
        boolean isKnown = reason.isPresent() && reasonVersion == version && reasonStepsMax == stepsMax;
        if (isKnown && reasonOffset == changesOffset) {
            meter.charge(reasonCost);
        } else if (isKnown && reason.get().isResolvedByDeallocation()) {
            charging.run();
        } else {
            long before = meter.spent();
            reason = Optional.of(diagnosed.get());
            reasonCost = meter.spent() - before;
            reasonVersion = version;
            reasonStepsMax = stepsMax;
            reasonOffset = changesOffset;
        }
        return reason.get();
    }

    /**
     * Charges the candidate count of the slices that changed since the last count, and counts as far as the meter
     * allows.
     */
    void chargeCount(WorkMeter meter) {
        long cost = unitsPerDevice * meter.uncounted(digest, inventory.slices().devices());
        if (cost > meter.remaining()) {
            counts.catchUp(meter.remaining() / unitsPerDevice);
        }
        meter.chargeCount(digest, cost);
    }

    /** Returns how many devices pass the selectors of an option, allocated or not. */
    long[] passedCounts(RequestOption option) {
        return counts.passedCounts(option);
    }

    /** Cost of building the index from scratch. */
    long cost() {
        long devices = onlyNode.isPresent()
                ? inventory
                        .view(onlyNode.get())
                        .map(view -> view.candidates().size())
                        .orElse(0)
                : inventory.views().stream()
                        .mapToLong(view -> view.candidates().size())
                        .sum();
        return devices * unitsPerDevice;
    }

    /** Visits every changed node. */
    void catchUp() {
        catchUp(Long.MAX_VALUE);
    }

    /**
     * Visits changed nodes; a later call continues after the limit.
     *
     * @param unitsMax limit on units since the index was last up to date, earlier calls included
     */
    void catchUp(long unitsMax) {
        long end = inventory.changesEnd();
        if (onlyNode.isPresent()) {
            inventory.view(onlyNode.get()).ifPresent(view -> update(view, unitsMax));
        } else if (changesOffset < 0 || !inventory.visitChanges(changesOffset, view -> update(view, unitsMax))) {
            inventory.views().forEach(view -> update(view, unitsMax));
        }
        if (comparisonUnits <= unitsMax) {
            changesOffset = end;
            comparisonUnits = 0;
        }
        if (classes.size() > CLASSES_MAX) {
            classes.values().removeIf(each -> each.nodes.isEmpty());
        }
    }

    private void update(NodeDeviceView view, long unitsMax) {
        if (comparisonUnits <= unitsMax) {
            update(view);
        }
    }

    private void update(NodeDeviceView view) {
        while (nodeEntries.size() <= view.ordinal()) {
            nodeEntries.add(NodeEntry.NONE);
        }
        NodeEntry before = nodeEntries.get(view.ordinal());
        if (!view.isUsable() || !problem.shape().rules().admits(view.node())) {
            move(view, before, new NodeEntry(view.version(), -1, Optional.empty()));
            return;
        }
        int known = before.version == view.version() ? before.layout : -1;
        if (!view.hasCapacityFor(problem.shape().rules().requests())) {
            move(view, before, new NodeEntry(view.version(), known, Optional.empty()));
            return;
        }
        int number = known >= 0 ? known : layoutOf(view);
        NodeLayout layout = layouts.get(number);
        NodeState state = NodeState.of(layout, view);
        NodeEquivalenceClass now =
                classes.computeIfAbsent(state.key(number, scratch), key -> new NodeEquivalenceClass(layout, state));
        move(view, before, new NodeEntry(view.version(), number, Optional.of(now)));
    }

    private void move(NodeDeviceView view, NodeEntry before, NodeEntry now) {
        if (!before.nodeClass.equals(now.nodeClass)) {
            before.nodeClass.ifPresent(each -> each.nodes.remove(view));
            now.nodeClass.ifPresent(each -> each.nodes.add(view));
        }
        nodeEntries.set(view.ordinal(), now);
    }

    private int layoutOf(NodeDeviceView view) {
        comparisonUnits += view.candidates().size() * unitsPerDevice;
        var shown = new NodeLayout.LayoutBuilder(problem, filters, view);
        return layoutNumbers.computeIfAbsent(shown.key(scratch), key -> {
            layouts.add(shown.layout());
            return layouts.size() - 1;
        });
    }
}
