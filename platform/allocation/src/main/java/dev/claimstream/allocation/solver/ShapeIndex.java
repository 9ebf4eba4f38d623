package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.inventory.NodeView;
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
final class ShapeIndex {
    private static final int CLASSES_MAX = 1 << 16;

    private final String digest;
    private final Question question;
    private final Inventory inventory;
    private final Optional<String> onlyNode;
    private final Map<IntKey, Integer> layoutNumbers = new LinkedHashMap<>();
    private final List<Layout> layouts = new ArrayList<>();
    private final Map<IntKey, NodeClass> classes = new LinkedHashMap<>();
    private final List<Standing> standings = new ArrayList<>();
    private final Ints scratch = new Ints();
    private long seenTo = -1;
    /** Units of the comparisons since the index was last up to date. */
    private long compared;

    private Optional<Reason> reason = Optional.empty();
    private long reasonVersion;
    private long reasonStepsMax;
    private long reasonCost;
    private long reasonSeenTo;
    private final CandidateCounts counts;
    private final DistinctFilters filters;
    private final long unitsPerDevice;

    private final Suspensions suspensions;

    /** @param digest identifies the shape to a {@link WorkMeter} */
    ShapeIndex(String digest, Question question, Inventory inventory, Suspensions suspensions) {
        this.suspensions = suspensions;
        this.digest = digest;
        this.question = question;
        this.inventory = inventory;
        this.onlyNode = question.shape().rules().onlyNode();
        this.filters = new DistinctFilters(question);
        this.unitsPerDevice = WorkMeter.DEVICE * filters.comparisons()
                + WorkMeter.REQUEST * question.wants().size();
        this.counts = new CandidateCounts(question, filters, inventory);
    }

    /** Index entry of a node: version of the view, index of the layout, and class. */
    private record Standing(int version, int layout, Optional<NodeClass> nodeClass) {
        static final Standing NOWHERE = new Standing(-1, -1, Optional.empty());
    }

    Question question() {
        return question;
    }

    /** Number of nodes with an entry. */
    int nodes() {
        return standings.size();
    }

    /** Classes with at least one node. */
    List<NodeClass> classes() {
        return classes.values().stream().filter(each -> !each.nodes.isEmpty()).toList();
    }

    /**
     * Searches every class; the index must be up to date.
     *
     * @param mayUse nodes that the item may use
     * @throws WorkMeter.ExhaustedException if the work exceeds the limit of the meter; the order of the classes does
     *     not affect this
     */
    Found find(Policy policy, long stepsMax, Predicate<NodeView> mayUse, WorkMeter meter) {
        var found = new Found(policy, question.shape().accounting().map(each -> new DeviceRoom(question, each)));
        for (NodeClass each : classes.values()) {
            if (!each.nodes.isEmpty()) {
                long stepsNow = meter.searchSteps(each.layout.size);
                Outcome outcome = suspensions
                        .advance(question, each, policy, stepsMax, stepsNow)
                        .orElseThrow(meter::exhausted);
                meter.chargeSearch(outcome.steps(), each.layout.size);
                found.consider(each, outcome, mayUse);
            }
        }
        return found;
    }

    /**
     * Returns why no node fits. The reason is computed once per version of the inventory and charged at each call. If
     * deallocation can resolve the reason, later changes of allocations change only the cost of the diagnosis.
     *
     * @param charging charges the diagnosis of such a reason
     */
    Reason reason(long version, long stepsMax, WorkMeter meter, Supplier<Reason> diagnosed, Runnable charging) {
        boolean isKnown = reason.isPresent() && reasonVersion == version && reasonStepsMax == stepsMax;
        if (isKnown && reasonSeenTo == seenTo) {
            meter.charge(reasonCost);
        } else if (isKnown && reason.get().isForHolders()) {
            charging.run();
        } else {
            long before = meter.spent();
            reason = Optional.of(diagnosed.get());
            reasonCost = meter.spent() - before;
            reasonVersion = version;
            reasonStepsMax = stepsMax;
            reasonSeenTo = seenTo;
        }
        return reason.get();
    }

    /**
     * Charges the candidate count of the slices that changed since the last count, and counts as far as the meter
     * allows.
     */
    void chargeCount(WorkMeter meter) {
        long cost = unitsPerDevice * meter.uncounted(digest, inventory.devices());
        if (cost > meter.left()) {
            counts.catchUp(meter.left() / unitsPerDevice);
        }
        meter.chargeCount(digest, cost);
    }

    /** Returns how many devices pass the selectors of an option, allocated or not. */
    long[] passed(Want want) {
        return counts.passed(want);
    }

    /** Cost of building the index from scratch. */
    long cost() {
        long devices = onlyNode.isPresent()
                ? inventory
                        .view(onlyNode.get())
                        .map(view -> view.slots().size())
                        .orElse(0)
                : inventory.views().stream()
                        .mapToLong(view -> view.slots().size())
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
        } else if (seenTo < 0 || !inventory.visitChanges(seenTo, view -> update(view, unitsMax))) {
            inventory.views().forEach(view -> update(view, unitsMax));
        }
        if (compared <= unitsMax) {
            seenTo = end;
            compared = 0;
        }
        if (classes.size() > CLASSES_MAX) {
            classes.values().removeIf(each -> each.nodes.isEmpty());
        }
    }

    private void update(NodeView view, long unitsMax) {
        if (compared <= unitsMax) {
            update(view);
        }
    }

    private void update(NodeView view) {
        while (standings.size() <= view.ordinal()) {
            standings.add(Standing.NOWHERE);
        }
        Standing before = standings.get(view.ordinal());
        if (!view.isUsable() || !question.shape().rules().admits(view.node())) {
            move(view, before, new Standing(view.version(), -1, Optional.empty()));
            return;
        }
        int known = before.version == view.version() ? before.layout : -1;
        if (!view.hasRoom(question.shape().rules().requests())) {
            move(view, before, new Standing(view.version(), known, Optional.empty()));
            return;
        }
        int number = known >= 0 ? known : layoutOf(view);
        Layout layout = layouts.get(number);
        NodeState state = NodeState.of(layout, view);
        NodeClass now = classes.computeIfAbsent(state.key(number, scratch), key -> new NodeClass(layout, state));
        move(view, before, new Standing(view.version(), number, Optional.of(now)));
    }

    private void move(NodeView view, Standing before, Standing now) {
        if (!before.nodeClass.equals(now.nodeClass)) {
            before.nodeClass.ifPresent(each -> each.nodes.remove(view));
            now.nodeClass.ifPresent(each -> each.nodes.add(view));
        }
        standings.set(view.ordinal(), now);
    }

    private int layoutOf(NodeView view) {
        compared += view.slots().size() * unitsPerDevice;
        var shown = new Layout.Shown(question, filters, view);
        return layoutNumbers.computeIfAbsent(shown.key(scratch), key -> {
            layouts.add(shown.layout());
            return layouts.size() - 1;
        });
    }
}
