package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Features;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Plans items against the inventory without changing it. It remembers per shape of item what every node looks like; what it
 * remembers changes no answer and no count of steps.
 */
public final class Planner {
    private static final int INDEXES_MAX = 1024;
    private static final long STANDINGS_MAX = 4_000_000;

    private final Inventory inventory;
    private final Selectors selectors;
    private final Map<ItemShape, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private SortedMap<String, DeviceClass> classes = new TreeMap<>();
    private Features features = Features.defaults();

    public Planner(Inventory inventory, Selectors selectors) {
        this.inventory = inventory;
        this.selectors = selectors;
    }

    /** What is known of a shape: its index, or why it cannot be asked. */
    private sealed interface Known {
        record Askable(ShapeIndex index) implements Known {}

        record Refused(Refusal refusal) implements Known {}
    }

    /**
     * Under which conditions a plan is made.
     *
     * @param shareNames how shares of devices are named
     */
    public record Terms(Policy policy, long stepsMax, Predicate<NodeView> mayUse, ShareNames shareNames) {
        /** For plans that nobody carries out: shares are named after the places of the claims. */
        public Terms(Policy policy, long stepsMax, Predicate<NodeView> mayUse) {
            this(policy, stepsMax, mayUse, ShareNames.ofPlaces());
        }

        /** The same for fewer nodes. */
        public Terms where(Predicate<NodeView> too) {
            return new Terms(policy, stepsMax, mayUse.and(too), shareNames);
        }
    }

    /** The names of our classes whose selectors a device satisfies. */
    public List<String> classesOf(String driver, Device device) {
        return classes.values().stream()
                .filter(each -> each.selectors().stream()
                        .allMatch(text -> selectors.compile(text).test(driver, device) instanceof Selector.Match.Yes))
                .map(each -> each.meta().name())
                .toList();
    }

    /** The classes that count, by name; another map after every change. */
    public SortedMap<String, DeviceClass> classes() {
        return classes;
    }

    /** From now on these classes count. */
    public void setClasses(SortedMap<String, DeviceClass> changed) {
        classes = new TreeMap<>(changed);
        known.clear();
    }

    /** From now on these gates count; the inventory is told on its own. */
    public void setFeatures(Features changed) {
        features = changed;
        known.clear();
    }

    /** Where these claims fit together on one node. */
    public Plan plan(ItemShape shape, Terms terms) {
        return switch (known(shape)) {
            case Known.Refused refused -> refused(refused.refusal);
            case Known.Askable askable -> plan(askable.index, terms);
        };
    }

    private static Plan refused(Refusal refusal) {
        return new Plan.Unplaced(
                0, refusal::reason, () -> new Plan.Diagnosis(refusal.reason(), refusal.message(), Optional.empty()));
    }

    private Plan plan(ShapeIndex index, Terms terms) {
        Question question = index.question();
        Found found = index.find(terms.policy, terms.stepsMax, terms.mayUse);
        if (found.best().isPresent()) {
            Found.Fit best = found.best().get();
            return new Plan.Placed(
                    best.node().name(),
                    Allocations.of(question, best, terms.shareNames),
                    Because.of(question, terms.policy, found, best),
                    found.steps());
        }
        if (found.noRoom().isPresent() && !found.saysMore()) {
            Plan.Diagnosis diagnosis = Diagnoses.noRoom(found.noRoom().get());
            return new Plan.Unplaced(found.steps(), diagnosis::reason, () -> diagnosis);
        }
        if (!question.shape().rules().requests().isNone() && !found.saysMore()) {
            return withRoom(question.shape(), found, terms);
        }
        var diagnoses = new Diagnoses(question, index, inventory, terms.stepsMax);
        return new Plan.Unplaced(found.steps(), () -> reason(index, found, diagnoses), () -> diagnoses.of(found));
    }

    /** It may be for want of room on the nodes; if it would not fit with room either, that is the reason. */
    private Plan withRoom(ItemShape shape, Found found, Terms terms) {
        Supplier<Plan> other = () -> plan(shape.withoutRequests(), terms);
        return new Plan.Unplaced(
                found.steps(),
                () -> switch (other.get()) {
                    case Plan.Placed placed -> Reason.NodeFull;
                    case Plan.Unplaced unplaced -> unplaced.reason();
                },
                () -> switch (other.get()) {
                    case Plan.Placed placed -> full(shape, placed.node());
                    case Plan.Unplaced unplaced -> unplaced.diagnosis();
                });
    }

    private Plan.Diagnosis full(ItemShape shape, String name) {
        NodeView node = inventory.view(name).orElseThrow();
        String nearest = "%s has the devices and too little of %s"
                .formatted(name, String.join(" and ", node.lacking(shape.rules().requests())));
        return new Plan.Diagnosis(
                Reason.NodeFull,
                "no node with the devices has room for the pod, nearest: " + nearest,
                Optional.of(new Plan.NearestMiss(name, nearest, List.of())));
    }

    /** Who holds what changes the words of a diagnosis, and the reason only where the search says more than no. */
    private Reason reason(ShapeIndex index, Found found, Diagnoses diagnoses) {
        return found.saysMore()
                ? diagnoses.of(found).reason()
                : index.reason(inventory.version(), () -> diagnoses.of(found).reason());
    }

    /** Whether two items are after the same devices of a node, or after such as share counters, whoever holds them now. */
    public boolean contend(ItemShape one, ItemShape other, NodeView node) {
        return known(one) instanceof Known.Askable askable
                && known(other) instanceof Known.Askable otherAskable
                && Contest.isBetween(askable.index.question(), otherAskable.index.question(), node);
    }

    /** How the candidates of every request shrink; looks at every device. */
    public List<Funnel> funnels(ItemShape shape, List<Asked> claims) {
        return switch (known(shape)) {
            case Known.Refused refused -> List.of();
            case Known.Askable askable -> {
                askable.index.catchUp();
                yield new Funnels(askable.index.question(), claims, askable.index, inventory).all();
            }
        };
    }

    private Known known(ItemShape shape) {
        Known before = known.get(shape);
        if (before != null) {
            return before;
        }
        Known made = make(shape);
        int nodes = Math.max(1, inventory.views().size());
        while (known.size() >= Math.clamp(STANDINGS_MAX / nodes, 8, INDEXES_MAX)) {
            known.remove(known.keySet().iterator().next());
        }
        known.put(shape, made);
        return made;
    }

    private Known make(ItemShape shape) {
        return switch (Question.of(shape, classes, selectors, features)) {
            case Question.Put.Refused refused -> new Known.Refused(refused.refusal());
            case Question.Put.Ready ready -> new Known.Askable(new ShapeIndex(ready.question(), inventory));
        };
    }
}
