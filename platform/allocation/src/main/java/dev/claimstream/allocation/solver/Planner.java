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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Plans work items against the inventory, without changing it. It keeps an index of the nodes per item shape; the
 * indexes and caches affect neither results nor step counts. Not thread-safe.
 */
public final class Planner {
    private static final int PAID_INDEXES_MAX = 1024;
    private static final int PAID_INDEXES_MIN = 64;
    /** Nodes of all charged indexes together. */
    private static final long PAID_NODES_MAX = 1_000_000;

    private static final int INDEXES_MAX = 2 * PAID_INDEXES_MAX;
    /** Shapes that keep compiled expressions before their first plan. */
    private static final int COMPILATIONS_MAX = 64;

    /** Nodes of all indexes together; unfinished indexes and indexes without a row need space too. */
    private static final long NODES_MAX = 2 * PAID_NODES_MAX;

    private final Inventory inventory;
    private final Evaluations evaluations;
    private final Suspensions suspensions = new Suspensions();
    private final Map<ItemShape, Known> known = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<ItemShape, Compilation> compilations = new LinkedHashMap<>(16, 0.75f, true);
    private SortedMap<String, DeviceClass> classes = new TreeMap<>();
    private Features features = Features.defaults();

    public Planner(Inventory inventory, Selectors selectors) {
        this.inventory = inventory;
        this.evaluations = new Evaluations(selectors);
    }

    /** The cache of expression results. */
    public Evaluations evaluations() {
        return evaluations;
    }

    /** Cached state of a shape: its index, or why the shape is rejected. */
    private sealed interface Known {
        /** Digest of the shape and of all other inputs of the index except the inventory. */
        String digest();

        Compilation compilation();

        record Askable(String digest, Compilation compilation, ShapeIndex index, EvaluationPass evaluation)
                implements Known {}

        record Refused(String digest, Compilation compilation, Refusal refusal) implements Known {}
    }

    /**
     * Conditions of a plan.
     *
     * @param stepsMax search budget per node, in steps
     * @param mayUse nodes that the item may use
     * @param shareNames generates the share IDs of shared devices
     * @param meter counts the work and enforces its limit
     */
    public record Terms(
            Policy policy, long stepsMax, Predicate<NodeView> mayUse, ShareNames shareNames, WorkMeter meter) {
        /** Options for plans that are never written: share IDs depend on claim indexes instead of uids. */
        public Terms(Policy policy, long stepsMax, Predicate<NodeView> mayUse) {
            this(policy, stepsMax, mayUse, ShareNames.ofPlaces(), WorkMeter.unlimited());
        }

        /** Restricts the plan to nodes that also match this filter. */
        public Terms where(Predicate<NodeView> too) {
            return new Terms(policy, stepsMax, mayUse.and(too), shareNames, meter);
        }

        private Terms by(WorkMeter other) {
            return new Terms(policy, stepsMax, mayUse, shareNames, other);
        }
    }

    /** Names of the managed classes whose selectors a device passes. */
    public List<String> classesOf(String driver, Device device) {
        return classes.values().stream()
                .filter(each -> each.selectors().stream()
                        .allMatch(text -> evaluations.compile(text).test(driver, device) instanceof Selector.Match.Yes))
                .map(each -> each.meta().name())
                .toList();
    }

    /** The effective classes by name; the map is replaced at each change. */
    public SortedMap<String, DeviceClass> classes() {
        return classes;
    }

    /** Sets the effective classes, and drops cached shapes whose classes changed. */
    public void setClasses(SortedMap<String, DeviceClass> changed) {
        SortedMap<String, DeviceClass> before = classes;
        classes = new TreeMap<>(changed);
        compilations.clear();
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

    /** Sets the effective feature gates; the inventory has to be updated separately. */
    public void setFeatures(Features changed) {
        features = changed;
        known.clear();
        compilations.clear();
    }

    /**
     * Plans the claims of a shape together on one node.
     *
     * @throws WorkMeter.ExhaustedException if the work exceeds the limit of the meter
     */
    public Plan plan(ItemShape shape, Terms terms) {
        Known asked = known(shape);
        prepare(asked, terms.meter);
        return switch (asked) {
            case Known.Refused refused -> refused(refused.refusal);
            case Known.Askable askable -> plan(askable.index, terms);
        };
    }

    /** Brings an index up to date; an index that is not charged yet advances only as far as the meter allows. */
    private static void prepare(Known asked, WorkMeter meter) {
        Optional<ShapeIndex> index =
                asked instanceof Known.Askable askable ? Optional.of(askable.index) : Optional.empty();
        if (meter.isIndexed(asked.digest())) {
            index.ifPresent(ShapeIndex::catchUp);
            return;
        }
        long cost = index.map(ShapeIndex::cost).orElse(0L);
        boolean isAffordable = meter.left() >= cost;
        index.ifPresent(each -> each.catchUp(isAffordable ? Long.MAX_VALUE : meter.left()));
        meter.chargeIndex(asked.digest(), cost);
    }

    /** Drops all suspended searches. */
    public void endSearches() {
        suspensions.clear();
    }

    /** Number of indexes that may be charged at the same time; it decreases with the number of nodes. */
    public int paidIndexesMax() {
        long most = PAID_NODES_MAX / Math.max(1, inventory.views().size());
        return Math.clamp(most, PAID_INDEXES_MIN, PAID_INDEXES_MAX);
    }

    /**
     * Compiles the expressions of a shape and evaluates them for the published devices.
     *
     * @param allowance units of work; the last compilation or evaluation may exceed it
     */
    public EvaluationPortion evaluate(ItemShape shape, long allowance, WorkMeter.PaidShapes paid) {
        Compilation compilation = compilation(shape);
        String expressions = compilation.digest();
        long before = paid.compiled(expressions);
        long from = Math.max(0, before);
        long compiled = from >= compilation.cost()
                ? from
                : compilation.advance(from, Math.ceilDiv(allowance, WorkMeter.COMPILATION_COST));
        long cost = WorkMeter.COMPILATION_COST * (compiled - from);
        if (compiled < compilation.cost()) {
            String obstacle =
                    "selectors are being compiled: %d of %d characters done".formatted(compiled, compilation.cost());
            return EvaluationPortion.unfinished(cost, obstacle)
                    .after(0, preparation(expressions, before, compiled, Long.MAX_VALUE));
        }
        long changed = paid.unchecked(expressions);
        var advance = known(shape) instanceof Known.Askable askable
                ? askable.evaluation.advance(allowance - cost, changed)
                : new EvaluationPass.Advance(0, EvaluationPortion.finished(0), 0);
        boolean isNew = before < 0
                && cost + advance.checks() > 0
                && (advance.unchecked() > 0 || cost + advance.checks() >= WorkMeter.PREPARATION_ROW_MIN);
        boolean goesOn = before >= 0 && (cost > 0 || advance.checks() > 0);
        return advance.portion()
                .after(
                        cost,
                        isNew || goesOn
                                ? Optional.of(
                                        new EvaluationPortion.Preparation(expressions, compiled, advance.unchecked()))
                                : Optional.empty());
    }

    private static Optional<EvaluationPortion.Preparation> preparation(
            String expressions, long before, long compiled, long unchecked) {
        return compiled > before && compiled > 0
                ? Optional.of(new EvaluationPortion.Preparation(expressions, compiled, unchecked))
                : Optional.empty();
    }

    private Compilation compilation(ItemShape shape) {
        Known before = known.get(shape);
        if (before != null) {
            return before.compilation();
        }
        Compilation kept = compilations.get(shape);
        if (kept != null) {
            return kept;
        }
        var made = new Compilation(expressions(shape), features.toString(), evaluations);
        Compilation same = Stream.concat(
                        compilations.values().stream(), known.values().stream().map(Known::compilation))
                .filter(each -> each.digest().equals(made.digest()))
                .findFirst()
                .orElse(made);
        if (compilations.size() >= COMPILATIONS_MAX) {
            compilations.pollFirstEntry();
        }
        compilations.put(shape, same);
        return same;
    }

    /** Builds the index of a shape without charging it, for shapes that were charged before a restart. */
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
        Found found = index.find(terms.policy, terms.stepsMax, terms.mayUse, terms.meter);
        if (found.best().isPresent()) {
            Found.Fit best = found.best().get();
            return new Plan.Placed(
                    best.node().name(),
                    Allocations.of(question, best, terms.shareNames),
                    Because.of(question, terms.policy, found, best),
                    found.steps());
        }
        index.chargeCount(terms.meter);
        if (found.noRoom().isPresent() && !found.saysMore()) {
            Plan.Diagnosis diagnosis = Diagnoses.noRoom(found.noRoom().get());
            return new Plan.Unplaced(found.steps(), diagnosis::reason, () -> diagnosis);
        }
        if (!question.shape().rules().requests().isNone() && !found.saysMore()) {
            return withRoom(question.shape(), found, terms);
        }
        var payment = new Payment(terms.meter);
        return new Plan.Unplaced(
                found.steps(),
                () -> payment.of(meter -> reason(index, found, terms.by(meter))),
                () -> payment.of(meter -> diagnoses(index, terms.by(meter)).of(found)));
    }

    private Diagnoses diagnoses(ShapeIndex index, Terms terms) {
        return new Diagnoses(index.question(), index, inventory, terms.stepsMax, terms.meter);
    }

    /**
     * Charges the diagnosis of a pending item only once, to the attempt that planned it; later calls reuse its results.
     */
    private static final class Payment {
        private final WorkMeter meter;
        private boolean isPaid;

        Payment(WorkMeter meter) {
            this.meter = meter;
        }

        <T> T of(Function<WorkMeter, T> finding) {
            T found = finding.apply(isPaid ? WorkMeter.unlimited() : meter);
            isPaid = true;
            return found;
        }
    }

    /**
     * Checks whether the item fits without requests for node resources. If not, the reason of that check takes
     * precedence.
     */
    private Plan withRoom(ItemShape shape, Found found, Terms terms) {
        var payment = new Payment(terms.meter);
        return new Plan.Unplaced(
                found.steps(),
                () -> payment.of(meter -> switch (plan(shape.withoutRequests(), terms.by(meter))) {
                    case Plan.Placed placed -> Reason.NodeFull;
                    case Plan.Unplaced unplaced -> unplaced.reason();
                }),
                () -> payment.of(meter -> switch (plan(shape.withoutRequests(), terms.by(meter))) {
                    case Plan.Placed placed -> full(shape, placed.node());
                    case Plan.Unplaced unplaced -> unplaced.diagnosis();
                }));
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

    /**
     * Returns the reason. The cached reason is used unless the search is inconclusive, because allocations then affect
     * the reason and not only the text.
     */
    private Reason reason(ShapeIndex index, Found found, Terms terms) {
        Supplier<Reason> diagnosed = () -> diagnoses(index, terms).of(found).reason();
        return found.saysMore()
                ? diagnosed.get()
                : index.reason(
                        inventory.version(),
                        terms.stepsMax,
                        terms.meter,
                        diagnosed,
                        () -> diagnoses(index, terms).chargeHeld());
    }

    /**
     * Returns whether two items compete for devices of a node, or for devices that share counters, allocated or not.
     */
    public boolean contend(ItemShape one, ItemShape other, NodeView node) {
        return known(one) instanceof Known.Askable askable
                && known(other) instanceof Known.Askable otherAskable
                && Contest.isBetween(askable.index.question(), otherAskable.index.question(), node);
    }

    /** Counts the candidates of every request after each filter step; visits every device. */
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
        Compilation compilation = compilation(shape);
        String digest =
                ReadKey.of("%s %s".formatted(shape, compilation.digest())).toString();
        compilations.remove(shape);
        return switch (Question.of(shape, classes, compilation, features)) {
            case Question.Put.Refused refused -> new Known.Refused(digest, compilation, refused.refusal());
            case Question.Put.Ready ready ->
                new Known.Askable(
                        digest,
                        compilation,
                        new ShapeIndex(digest, ready.question(), inventory, suspensions),
                        new EvaluationPass(ready.question(), inventory, evaluations));
        };
    }

    private List<Compilation.Expression> expressions(ItemShape shape) {
        List<Compilation.Expression> expressions = new ArrayList<>();
        shape.specs().stream()
                .flatMap(spec -> spec.requests().stream())
                .flatMap(Planner::specs)
                .forEach(spec -> {
                    DeviceClass deviceClass = classes.get(spec.deviceClassName());
                    if (deviceClass != null) {
                        deviceClass
                                .selectors()
                                .forEach(each -> expressions.add(new Compilation.Expression(each, false)));
                    }
                    spec.selectors().forEach(each -> expressions.add(new Compilation.Expression(each, false)));
                    spec.derivedAttributes()
                            .forEach(each -> expressions.add(new Compilation.Expression(each.expression(), true)));
                });
        return expressions;
    }
}
