package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.FeatureGates;
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
public final class AllocationPlanner {
    private static final int CHARGED_INDEXES_MAX = 1024;
    private static final int CHARGED_INDEXES_MIN = 64;
    /** Nodes of all charged indexes together. */
    private static final long CHARGED_NODES_MAX = 1_000_000;

    private static final int INDEXES_MAX = 2 * CHARGED_INDEXES_MAX;
    /** Shapes that keep compiled expressions before their first plan. */
    private static final int COMPILATIONS_MAX = 64;

    /** Nodes of all indexes together; unfinished indexes and indexes without a row need space too. */
    private static final long NODES_MAX = 2 * CHARGED_NODES_MAX;

    private final DeviceInventory inventory;
    private final EvaluationCache evaluationCache;
    private final SuspendedSearches suspensions = new SuspendedSearches();
    private final Map<ItemShape, ShapeEntry> entryOf = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<ItemShape, Compilation> compilations = new LinkedHashMap<>(16, 0.75f, true);
    private SortedMap<String, DeviceClass> classes = new TreeMap<>();
    private FeatureGates features = FeatureGates.defaults();

    public AllocationPlanner(DeviceInventory inventory, Selectors selectors) {
        this.inventory = inventory;
        this.evaluationCache = new EvaluationCache(selectors);
    }

    /** The cache of expression results. */
    public EvaluationCache evaluationCache() {
        return evaluationCache;
    }

    /** Cached state of a shape: its index, or why the shape is rejected. */
    private sealed interface ShapeEntry {
        /** Digest of the shape and of all other inputs of the index except the inventory. */
        String digest();

        Compilation compilation();

        record Indexed(String digest, Compilation compilation, ShapeIndex index, EvaluationPass evaluation)
                implements ShapeEntry {}

        record Rejected(String digest, Compilation compilation, ProblemRejection rejection) implements ShapeEntry {}
    }

    /**
     * Conditions of a plan.
     *
     * @param stepsMax search budget per node, in steps
     * @param nodeFilter nodes that the item may use
     * @param shareIds generates the share IDs of shared devices
     * @param meter counts the work and enforces its limit
     */
    public record PlanOptions(
            PlacementPolicy policy,
            long stepsMax,
            Predicate<NodeDeviceView> nodeFilter,
            ShareIds shareIds,
            WorkMeter meter) {
        /** Options for plans that are never written: share IDs depend on claim indexes instead of uids. */
        public PlanOptions(PlacementPolicy policy, long stepsMax, Predicate<NodeDeviceView> nodeFilter) {
            this(policy, stepsMax, nodeFilter, ShareIds.fromClaimIndexes(), WorkMeter.unlimited());
        }

        /** Restricts the plan to nodes that also match this filter. */
        public PlanOptions restrictedTo(Predicate<NodeDeviceView> too) {
            return new PlanOptions(policy, stepsMax, nodeFilter.and(too), shareIds, meter);
        }

        private PlanOptions withMeter(WorkMeter other) {
            return new PlanOptions(policy, stepsMax, nodeFilter, shareIds, other);
        }
    }

    /** Names of the managed classes whose selectors a device passes. */
    public List<String> classesOf(String driver, Device device) {
        return classes.values().stream()
                .filter(each -> each.selectors().stream()
                        .allMatch(text -> evaluationCache.compile(text).test(driver, device)
                                instanceof Selector.Match.SelectorMatch))
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
        entryOf.keySet()
                .removeIf(shape ->
                        namesOfClasses(shape).anyMatch(name -> !Objects.equals(before.get(name), classes.get(name))));
    }

    private static Stream<String> namesOfClasses(ItemShape shape) {
        return shape.specs().stream()
                .flatMap(spec -> spec.requests().stream())
                .flatMap(AllocationPlanner::specs)
                .map(RequestSpec::deviceClassName);
    }

    private static Stream<RequestSpec> specs(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(DeviceRequest.Alternative::spec);
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }

    /** Sets the effective feature gates; the inventory has to be updated separately. */
    public void setFeatures(FeatureGates changed) {
        features = changed;
        entryOf.clear();
        compilations.clear();
    }

    /**
     * Plans the claims of a shape together on one node.
     *
     * @throws WorkMeter.ExhaustedException if the work exceeds the limit of the meter
     */
    public AllocationPlan plan(ItemShape shape, PlanOptions options) {
        ShapeEntry entry = entryOf(shape);
        prepare(entry, options.meter);
        return switch (entry) {
            case ShapeEntry.Rejected refused -> rejected(refused.rejection);
            case ShapeEntry.Indexed askable -> plan(askable.index, options);
        };
    }

    /** Brings an index up to date; an index that is not charged yet advances only as far as the meter allows. */
    private static void prepare(ShapeEntry entry, WorkMeter meter) {
        Optional<ShapeIndex> index =
                entry instanceof ShapeEntry.Indexed askable ? Optional.of(askable.index) : Optional.empty();
        if (meter.isIndexed(entry.digest())) {
            index.ifPresent(ShapeIndex::catchUp);
            return;
        }
        long cost = index.map(ShapeIndex::cost).orElse(0L);
        boolean isAffordable = meter.remaining() >= cost;
        index.ifPresent(each -> each.catchUp(isAffordable ? Long.MAX_VALUE : meter.remaining()));
        meter.chargeIndex(entry.digest(), cost);
    }

    /** Drops all suspended searches. */
    public void endSearches() {
        suspensions.clear();
    }

    /** Number of indexes that may be charged at the same time; it decreases with the number of nodes. */
    public int chargedIndexesMax() {
        long most = CHARGED_NODES_MAX / Math.max(1, inventory.views().size());
        return Math.clamp(most, CHARGED_INDEXES_MIN, CHARGED_INDEXES_MAX);
    }

    /**
     * Compiles the expressions of a shape and evaluates them for the published devices.
     *
     * @param allowance units of work; the last compilation or evaluation may exceed it
     */
    public EvaluationPortion evaluate(ItemShape shape, long allowance, WorkMeter.ChargedWork charged) {
        Compilation compilation = compilation(shape);
        String expressions = compilation.digest();
        long before = charged.compiledCost(expressions);
        long from = Math.max(0, before);
        long compiled = from >= compilation.cost()
                ? from
                : compilation.advance(from, Math.ceilDiv(allowance, WorkMeter.COMPILATION_COST));
        long cost = WorkMeter.COMPILATION_COST * (compiled - from);
        if (compiled < compilation.cost()) {
            String obstacle =
                    "selectors are being compiled: %d of %d characters done".formatted(compiled, compilation.cost());
            return EvaluationPortion.unfinished(cost, obstacle)
                    .withPreparation(0, preparation(expressions, before, compiled, Long.MAX_VALUE));
        }
        long changed = charged.uncheckedDevices(expressions);
        var advance = entryOf(shape) instanceof ShapeEntry.Indexed askable
                ? askable.evaluation.advance(allowance - cost, changed)
                : new EvaluationPass.PassProgress(0, EvaluationPortion.finished(0), 0);
        boolean isNew = before < 0
                && cost + advance.checkCost() > 0
                && (advance.unchecked() > 0 || cost + advance.checkCost() >= WorkMeter.PREPARATION_ROW_MIN);
        boolean goesOn = before >= 0 && (cost > 0 || advance.checkCost() > 0);
        return advance.portion()
                .withPreparation(
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
        ShapeEntry before = entryOf.get(shape);
        if (before != null) {
            return before.compilation();
        }
        Compilation kept = compilations.get(shape);
        if (kept != null) {
            return kept;
        }
        var made = new Compilation(expressions(shape), features.toString(), evaluationCache);
        Compilation same = Stream.concat(
                        compilations.values().stream(),
                        entryOf.values().stream().map(ShapeEntry::compilation))
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
    public void restore(ItemShape shape, WorkMeter.ChargedWork charged) {
        if (entryOf(shape) instanceof ShapeEntry.Indexed askable && charged.isIndexed(askable.digest)) {
            askable.index.catchUp();
        }
    }

    private static AllocationPlan rejected(ProblemRejection refusal) {
        return new AllocationPlan.Pending(
                0,
                refusal::reason,
                () -> new AllocationPlan.PendingDiagnosis(refusal.reason(), refusal.message(), Optional.empty()));
    }

    private AllocationPlan plan(ShapeIndex index, PlanOptions options) {
        AllocationProblem problem = index.problem();
        CandidateRanking ranking = index.find(options.policy, options.stepsMax, options.nodeFilter, options.meter);
        if (ranking.best().isPresent()) {
            CandidateRanking.NodeCandidate best = ranking.best().get();
            return new AllocationPlan.Allocated(
                    best.node().name(),
                    AllocationBuilder.of(problem, best, options.shareIds),
                    ChoiceRationale.of(problem, options.policy, ranking, best),
                    ranking.steps());
        }
        index.chargeCount(options.meter);
        if (ranking.fullNode().isPresent() && !ranking.isInconclusive()) {
            AllocationPlan.PendingDiagnosis diagnosis =
                    InfeasibilityAnalysis.nodeFull(ranking.fullNode().get());
            return new AllocationPlan.Pending(ranking.steps(), diagnosis::reason, () -> diagnosis);
        }
        if (!problem.shape().rules().requests().isNone() && !ranking.isInconclusive()) {
            return ignoringNodeResources(problem.shape(), ranking, options);
        }
        var payment = new SingleCharge(options.meter);
        return new AllocationPlan.Pending(
                ranking.steps(),
                () -> payment.run(meter -> reason(index, ranking, options.withMeter(meter))),
                () -> payment.run(
                        meter -> diagnoses(index, options.withMeter(meter)).of(ranking)));
    }

    private InfeasibilityAnalysis diagnoses(ShapeIndex index, PlanOptions options) {
        return new InfeasibilityAnalysis(index.problem(), index, inventory, options.stepsMax, options.meter);
    }

    /**
     * Charges the diagnosis of a pending item only once, to the attempt that planned it; later calls reuse its results.
     */
    private static final class SingleCharge {
        private final WorkMeter meter;
        private boolean isCharged;

        SingleCharge(WorkMeter meter) {
            this.meter = meter;
        }

        <T> T run(Function<WorkMeter, T> finding) {
            T found = finding.apply(isCharged ? WorkMeter.unlimited() : meter);
            isCharged = true;
            return found;
        }
    }

    /**
     * Checks whether the item fits without requests for node resources. If not, the reason of that check takes
     * precedence.
     */
    private AllocationPlan ignoringNodeResources(ItemShape shape, CandidateRanking ranking, PlanOptions options) {
        var payment = new SingleCharge(options.meter);
        return new AllocationPlan.Pending(
                ranking.steps(),
                () -> payment.run(meter -> switch (plan(shape.withoutRequests(), options.withMeter(meter))) {
                    case AllocationPlan.Allocated placed -> Reason.NodeFull;
                    case AllocationPlan.Pending unplaced -> unplaced.reason();
                }),
                () -> payment.run(meter -> switch (plan(shape.withoutRequests(), options.withMeter(meter))) {
                    case AllocationPlan.Allocated placed -> nodeFull(shape, placed.node());
                    case AllocationPlan.Pending unplaced -> unplaced.diagnosis();
                }));
    }

    private AllocationPlan.PendingDiagnosis nodeFull(ItemShape shape, String name) {
        NodeDeviceView node = inventory.view(name).orElseThrow();
        String nearest = "%s has the devices and too little of %s"
                .formatted(
                        name,
                        String.join(
                                " and ",
                                node.insufficientResources(shape.rules().requests())));
        return new AllocationPlan.PendingDiagnosis(
                Reason.NodeFull,
                "no node with the devices has room for the pod, nearest: " + nearest,
                Optional.of(new AllocationPlan.NearestNode(name, nearest, List.of())));
    }

    /**
     * Returns the reason. The cached reason is used unless the search is inconclusive, because allocations then affect
     * the reason and not only the text.
     */
    private Reason reason(ShapeIndex index, CandidateRanking ranking, PlanOptions options) {
        Supplier<Reason> diagnosed = () -> diagnoses(index, options).of(ranking).reason();
        return ranking.isInconclusive()
                ? diagnosed.get()
                : index.reason(
                        inventory.version(),
                        options.stepsMax,
                        options.meter,
                        diagnosed,
                        () -> diagnoses(index, options).chargeFirstRelaxation());
    }

    /**
     * Returns whether two items compete for devices of a node, or for devices that share counters, allocated or not.
     */
    public boolean isContended(ItemShape one, ItemShape other, NodeDeviceView node) {
        return entryOf(one) instanceof ShapeEntry.Indexed askable
                && entryOf(other) instanceof ShapeEntry.Indexed otherAskable
                && DeviceContention.exists(askable.index.problem(), otherAskable.index.problem(), node);
    }

    /** Counts the candidates of every request after each filter step; visits every device. */
    public List<Funnel> funnels(ItemShape shape, List<UnallocatedClaim> claims, WorkMeter meter) {
        return switch (entryOf(shape)) {
            case ShapeEntry.Rejected refused -> List.of();
            case ShapeEntry.Indexed askable -> {
                prepare(askable, meter);
                yield new FunnelCounter(askable.index.problem(), claims, askable.index, meter).all();
            }
        };
    }

    private ShapeEntry entryOf(ItemShape shape) {
        ShapeEntry before = entryOf.get(shape);
        if (before != null) {
            return before;
        }
        ShapeEntry made = createEntry(shape);
        long nodes =
                entryOf.values().stream().mapToLong(AllocationPlanner::nodes).sum()
                        + inventory.views().size();
        while (entryOf.size() >= INDEXES_MAX || (nodes > NODES_MAX && !entryOf.isEmpty())) {
            Iterator<ShapeEntry> eldest = entryOf.values().iterator();
            nodes -= nodes(eldest.next());
            eldest.remove();
        }
        entryOf.put(shape, made);
        return made;
    }

    private static long nodes(ShapeEntry each) {
        return each instanceof ShapeEntry.Indexed askable ? askable.index.nodes() : 0;
    }

    private ShapeEntry createEntry(ItemShape shape) {
        Compilation compilation = compilation(shape);
        String digest =
                ReadKey.of("%s %s".formatted(shape, compilation.digest())).toString();
        compilations.remove(shape);
        return switch (AllocationProblem.of(shape, classes, compilation, features)) {
            case AllocationProblem.Formulation.InvalidProblem refused ->
                new ShapeEntry.Rejected(digest, compilation, refused.rejection());
            case AllocationProblem.Formulation.ValidProblem ready ->
                new ShapeEntry.Indexed(
                        digest,
                        compilation,
                        new ShapeIndex(digest, ready.problem(), inventory, suspensions),
                        new EvaluationPass(ready.problem(), inventory, evaluationCache));
        };
    }

    private List<Compilation.Expression> expressions(ItemShape shape) {
        List<Compilation.Expression> expressions = new ArrayList<>();
        shape.specs().stream()
                .flatMap(spec -> spec.requests().stream())
                .flatMap(AllocationPlanner::specs)
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
