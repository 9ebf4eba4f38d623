package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Features;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Plans items against the inventory without changing it. It remembers per shape of item what every node looks like; what it
 * remembers changes no answer and no count of steps.
 */
public final class Planner {
    private static final int PAID_INDEXES_MAX = 1024;
    private static final int PAID_INDEXES_MIN = 64;
    /** Nodes of all paid indexes together. */
    private static final long PAID_NODES_MAX = 1_000_000;

    private static final int INDEXES_MAX = 2 * PAID_INDEXES_MAX;
    /** Nodes of all indexes together: unfinished ones and those that are charged at every use need room, too. */
    private static final long NODES_MAX = 2 * PAID_NODES_MAX;

    private final Inventory inventory;
    private final Evaluations evaluations;
    private final Map<ItemShape, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private SortedMap<String, DeviceClass> classes = new TreeMap<>();
    private Features features = Features.defaults();

    public Planner(Inventory inventory, Selectors selectors) {
        this.inventory = inventory;
        this.evaluations = new Evaluations(selectors);
    }

    /** The answers of expressions that are paid. */
    public Evaluations evaluations() {
        return evaluations;
    }

    /** What is known of a shape: its index, or why it cannot be asked. */
    private sealed interface Known {
        /** A digest of the shape and of everything else that its index follows from, but for the inventory. */
        String digest();

        /** Bytes of the expressions that were compiled for it. */
        long expressionBytes();

        record Askable(String digest, long expressionBytes, ShapeIndex index, EvaluationPass evaluation)
                implements Known {}

        record Refused(String digest, long expressionBytes, Refusal refusal) implements Known {}
    }

    /**
     * Under which conditions a plan is made.
     *
     * @param shareNames how shares of devices are named
     * @param meter counts the work, and ends it
     */
    public record Terms(
            Policy policy, long stepsMax, Predicate<NodeView> mayUse, ShareNames shareNames, WorkMeter meter) {
        /** For plans that nobody carries out: shares are named after the places of the claims. */
        public Terms(Policy policy, long stepsMax, Predicate<NodeView> mayUse) {
            this(policy, stepsMax, mayUse, ShareNames.ofPlaces(), WorkMeter.unlimited());
        }

        /** The same for fewer nodes. */
        public Terms where(Predicate<NodeView> too) {
            return new Terms(policy, stepsMax, mayUse.and(too), shareNames, meter);
        }
    }

    /** The names of our classes whose selectors a device satisfies. */
    public List<String> classesOf(String driver, Device device) {
        return classes.values().stream()
                .filter(each -> each.selectors().stream()
                        .allMatch(text -> evaluations.compile(text).test(driver, device) instanceof Selector.Match.Yes))
                .map(each -> each.meta().name())
                .toList();
    }

    /** The classes that count, by name; another map after every change. */
    public SortedMap<String, DeviceClass> classes() {
        return classes;
    }

    /** From now on these classes count. */
    public void setClasses(SortedMap<String, DeviceClass> changed) {
        SortedMap<String, DeviceClass> before = classes;
        classes = new TreeMap<>(changed);
        known.keySet()
                .removeIf(shape ->
                        namesOfClasses(shape).anyMatch(name -> !Objects.equals(before.get(name), classes.get(name))));
    }

    private static Stream<String> namesOfClasses(ItemShape shape) {
        return shape.specs().stream()
                .flatMap(spec -> spec.requests().stream())
                .flatMap(Planner::specs)
                .map(RequestSpec::deviceClassName);
    }

    private static Stream<RequestSpec> specs(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(DeviceRequest.Alternative::spec);
            case DeviceRequest.Unsupported _ -> Stream.empty();
        };
    }

    /** From now on these gates count; the inventory is told on its own. */
    public void setFeatures(Features changed) {
        features = changed;
        known.clear();
    }

    /**
     * Where these claims fit together on one node.
     *
     * @throws WorkMeter.ExhaustedException beyond the limit of the terms
     */
    public Plan plan(ItemShape shape, Terms terms) {
        Known asked = known(shape);
        prepare(asked, terms.meter);
        return switch (asked) {
            case Known.Refused refused -> refused(refused.refusal);
            case Known.Askable askable -> plan(askable.index, terms);
        };
    }

    /** Brings an index up to date: as far as the meter allows where it is not paid yet. */
    private static void prepare(Known asked, WorkMeter meter) {
        Optional<ShapeIndex> index =
                asked instanceof Known.Askable askable ? Optional.of(askable.index) : Optional.empty();
        if (meter.isIndexed(asked.digest())) {
            index.ifPresent(ShapeIndex::catchUp);
            return;
        }
        long comparisons = index.map(ShapeIndex::comparisons).orElse(0L);
        long cost = WorkMeter.EXPRESSION_BYTE * asked.expressionBytes() + WorkMeter.DEVICE * comparisons;
        boolean isAffordable = meter.left() >= cost;
        index.ifPresent(each -> each.catchUp(isAffordable ? Long.MAX_VALUE : meter.left() / WorkMeter.DEVICE));
        meter.chargeIndex(asked.digest(), cost);
    }

    /** How many indexes may be paid at a time; with more nodes, fewer. */
    public int paidIndexesMax() {
        long most = PAID_NODES_MAX / Math.max(1, inventory.views().size());
        return Math.clamp(most, PAID_INDEXES_MIN, PAID_INDEXES_MAX);
    }

    /**
     * Evaluates the expressions of a shape for the published devices.
     *
     * @param allowance units of work; the last evaluation may exceed it
     */
    public EvaluationPortion evaluate(ItemShape shape, long allowance) {
        return known(shape) instanceof Known.Askable askable
                ? askable.evaluation.advance(allowance)
                : EvaluationPortion.NOTHING_TO_DO;
    }

    /** Builds the index of a shape without charging it: after a start, for the shapes that were paid before. */
    public void restore(ItemShape shape, WorkMeter.PaidShapes paid) {
        if (known(shape) instanceof Known.Askable askable && paid.isIndexed(askable.digest)) {
            askable.index.catchUp();
        }
    }

    private static Plan refused(Refusal refusal) {
        return new Plan.Unplaced(
                0, refusal::reason, () -> new Plan.Diagnosis(refusal.reason(), refusal.message(), Optional.empty()));
    }

    private Plan plan(ShapeIndex index, Terms terms) {
        Question question = index.question();
        long before = terms.meter.spent();
        Found found = index.find(terms.policy, terms.stepsMax, terms.mayUse, terms.meter);
        if (found.best().isPresent()) {
            Found.Fit best = found.best().get();
            return new Plan.Placed(
                    best.node().name(),
                    Allocations.of(question, best, terms.shareNames),
                    Because.of(question, terms.policy, found, best),
                    found.steps());
        }
        // to find out why is charged whether or not it is known already: it looks at the same classes, and counts
        // devices
        terms.meter.charge(terms.meter.spent() - before);
        index.chargeCount(terms.meter);
        if (found.noRoom().isPresent() && !found.saysMore()) {
            Plan.Diagnosis diagnosis = Diagnoses.noRoom(found.noRoom().get());
            return new Plan.Unplaced(found.steps(), diagnosis::reason, () -> diagnosis);
        }
        if (!question.shape().rules().requests().isNone() && !found.saysMore()) {
            return withRoom(question.shape(), found, terms);
        }
        var diagnoses = new Diagnoses(question, index, inventory, terms.stepsMax, terms.meter);
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
    public List<Funnel> funnels(ItemShape shape, List<Asked> claims, WorkMeter meter) {
        return switch (known(shape)) {
            case Known.Refused refused -> List.of();
            case Known.Askable askable -> {
                prepare(askable, meter);
                yield new Funnels(askable.index.question(), claims, askable.index, meter).all();
            }
        };
    }

    private Known known(ItemShape shape) {
        Known before = known.get(shape);
        if (before != null) {
            return before;
        }
        Known made = make(shape);
        long nodes = known.values().stream().mapToLong(Planner::nodes).sum()
                + inventory.views().size();
        while (known.size() >= INDEXES_MAX || (nodes > NODES_MAX && !known.isEmpty())) {
            Iterator<Known> eldest = known.values().iterator();
            nodes -= nodes(eldest.next());
            eldest.remove();
        }
        known.put(shape, made);
        return made;
    }

    private static long nodes(Known each) {
        return each instanceof Known.Askable askable ? askable.index.nodes() : 0;
    }

    private Known make(ItemShape shape) {
        List<String> expressions = expressions(shape);
        long bytes = expressions.stream().mapToLong(String::length).sum();
        String digest =
                ReadKey.of("%s %s %s".formatted(shape, expressions, features)).toString();
        return switch (Question.of(shape, classes, evaluations, features)) {
            case Question.Put.Refused refused -> new Known.Refused(digest, bytes, refused.refusal());
            case Question.Put.Ready ready ->
                new Known.Askable(
                        digest,
                        bytes,
                        new ShapeIndex(digest, ready.question(), inventory),
                        new EvaluationPass(ready.question(), inventory, evaluations));
        };
    }

    private List<String> expressions(ItemShape shape) {
        List<String> expressions = new ArrayList<>();
        shape.specs().stream()
                .flatMap(spec -> spec.requests().stream())
                .flatMap(Planner::specs)
                .forEach(spec -> {
                    DeviceClass deviceClass = classes.get(spec.deviceClassName());
                    if (deviceClass != null) {
                        expressions.addAll(deviceClass.selectors());
                    }
                    expressions.addAll(spec.selectors());
                    spec.derivedAttributes().forEach(each -> expressions.add(each.expression()));
                });
        return expressions;
    }
}
