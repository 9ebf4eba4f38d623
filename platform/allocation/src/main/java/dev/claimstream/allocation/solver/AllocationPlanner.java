package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Plans work items against the inventory, without changing it. It keeps an index of the nodes per item shape; the
 * indexes and caches affect neither results nor step counts. Not thread-safe.
 */
public final class AllocationPlanner {
    static final int CHARGED_INDEXES_MAX = 1024;
    private static final int CHARGED_INDEXES_MIN = 64;
    /** Nodes of all charged indexes together. */
    static final long CHARGED_NODES_MAX = 1_000_000;

    private final DeviceInventory inventory;
    private final EvaluationCache evaluationCache;
    private final SuspendedSearches suspensions = new SuspendedSearches();
    private final ShapeCache shapes;

    public AllocationPlanner(DeviceInventory inventory, Selectors selectors) {
        this.inventory = inventory;
        this.evaluationCache = new EvaluationCache(selectors);
        this.shapes = new ShapeCache(inventory, evaluationCache, suspensions);
    }

    /** The cache of expression results. */
    public EvaluationCache evaluationCache() {
        return evaluationCache;
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
        return shapes.classes().values().stream()
                .filter(each -> each.selectors().stream()
                        .allMatch(text -> evaluationCache.compile(text).test(driver, device)
                                instanceof Selector.Match.SelectorMatch))
                .map(each -> each.meta().name())
                .toList();
    }

    /** The effective classes by name; the map is replaced at each change. */
    public SortedMap<String, DeviceClass> classes() {
        return shapes.classes();
    }

    /** Sets the effective classes, and drops cached shapes whose classes changed. */
    public void setClasses(SortedMap<String, DeviceClass> changed) {
        shapes.setClasses(changed);
    }

    /** Sets the effective feature gates; the inventory has to be updated separately. */
    public void setFeatures(FeatureGates changed) {
        shapes.setFeatures(changed);
    }

    /**
     * Plans the claims of a shape together on one node.
     *
     * @throws WorkMeter.ExhaustedException if the work exceeds the limit of the meter
     */
    public AllocationPlan plan(ItemShape shape, PlanOptions options) {
        ShapeCache.ShapeEntry entry = shapes.entryOf(shape);
        prepare(entry, options.meter);
        return switch (entry) {
            case ShapeCache.ShapeEntry.Rejected rejected -> rejected(rejected.rejection());
            case ShapeCache.ShapeEntry.Indexed indexed -> plan(indexed.index(), options);
        };
    }

    /** Brings an index up to date; an index that is not charged yet advances only as far as the meter allows. */
    private static void prepare(ShapeCache.ShapeEntry entry, WorkMeter meter) {
        Optional<NodeClassIndex> index = entry instanceof ShapeCache.ShapeEntry.Indexed indexed
                ? Optional.of(indexed.index())
                : Optional.empty();
        if (meter.isIndexed(entry.digest())) {
            index.ifPresent(NodeClassIndex::catchUp);
            return;
        }
        long cost = index.map(NodeClassIndex::cost).orElse(0L);
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
        Compilation compilation = shapes.compilation(shape);
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
        var advance = shapes.entryOf(shape) instanceof ShapeCache.ShapeEntry.Indexed indexed
                ? indexed.evaluation().advance(allowance - cost, changed)
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

    /** Builds the index of a shape without charging it, for shapes that were charged before a restart. */
    public void restore(ItemShape shape, WorkMeter.ChargedWork charged) {
        if (shapes.entryOf(shape) instanceof ShapeCache.ShapeEntry.Indexed indexed
                && charged.isIndexed(indexed.digest())) {
            indexed.index().catchUp();
        }
    }

    private static AllocationPlan rejected(ProblemRejection rejection) {
        return new AllocationPlan.Pending(
                0,
                rejection::reason,
                () -> new AllocationPlan.PendingDiagnosis(rejection.reason(), rejection.message(), Optional.empty()));
    }

    private AllocationPlan plan(NodeClassIndex index, PlanOptions options) {
        AllocationProblem problem = index.problem();
        NodeRanking ranking = index.find(options.policy, options.stepsMax, options.nodeFilter, options.meter);
        if (ranking.best().isPresent()) {
            NodeRanking.NodeCandidate best = ranking.best().get();
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
        var charge = new SingleCharge(options.meter);
        return new AllocationPlan.Pending(
                ranking.steps(),
                () -> charge.run(meter -> reason(index, ranking, options.withMeter(meter))),
                () -> charge.run(
                        meter -> diagnoses(index, options.withMeter(meter)).of(ranking)));
    }

    private InfeasibilityAnalysis diagnoses(NodeClassIndex index, PlanOptions options) {
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
    private AllocationPlan ignoringNodeResources(ItemShape shape, NodeRanking ranking, PlanOptions options) {
        var charge = new SingleCharge(options.meter);
        return new AllocationPlan.Pending(
                ranking.steps(),
                () -> charge.run(meter -> switch (plan(shape.withoutRequests(), options.withMeter(meter))) {
                    case AllocationPlan.Allocated placed -> Reason.NodeFull;
                    case AllocationPlan.Pending unplaced -> unplaced.reason();
                }),
                () -> charge.run(meter -> switch (plan(shape.withoutRequests(), options.withMeter(meter))) {
                    case AllocationPlan.Allocated placed ->
                        InfeasibilityAnalysis.nodeFull(
                                inventory.view(placed.node()).orElseThrow(),
                                shape.rules().requests());
                    case AllocationPlan.Pending unplaced -> unplaced.diagnosis();
                }));
    }

    /**
     * Returns the reason. The cached reason is used unless the search is inconclusive, because allocations then affect
     * the reason and not only the text.
     */
    private Reason reason(NodeClassIndex index, NodeRanking ranking, PlanOptions options) {
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
        return shapes.entryOf(one) instanceof ShapeCache.ShapeEntry.Indexed indexed
                && shapes.entryOf(other) instanceof ShapeCache.ShapeEntry.Indexed otherIndexed
                && DeviceContention.exists(
                        indexed.index().problem(), otherIndexed.index().problem(), node);
    }

    /**
     * Checks every device of the newest pool generations against every request; visits every device.
     *
     * @param exclusion why the item may not use a node, apart from the rules of its pod
     */
    public List<DeviceCheck> checks(
            ItemShape shape, List<UnallocatedClaim> claims, Function<NodeDeviceView, Optional<String>> exclusion) {
        return switch (shapes.entryOf(shape)) {
            case ShapeCache.ShapeEntry.Rejected _ -> List.of();
            case ShapeCache.ShapeEntry.Indexed indexed -> {
                prepare(indexed, WorkMeter.unlimited());
                yield new DeviceExamination(indexed.index().problem(), claims, indexed.index(), inventory, exclusion)
                        .all();
            }
        };
    }

    /** Counts the candidates of every request after each filter step; visits every device. */
    public List<Funnel> funnels(ItemShape shape, List<UnallocatedClaim> claims, WorkMeter meter) {
        return switch (shapes.entryOf(shape)) {
            case ShapeCache.ShapeEntry.Rejected rejected -> List.of();
            case ShapeCache.ShapeEntry.Indexed indexed -> {
                prepare(indexed, meter);
                yield new FunnelCounter(indexed.index().problem(), claims, indexed.index(), meter).all();
            }
        };
    }
}
