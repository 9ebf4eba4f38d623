package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.ShareIds;
import dev.claimstream.allocation.solver.UnallocatedClaim;
import dev.claimstream.allocation.solver.WorkMeter;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Supplier;

/**
 * Tries to allocate pending items, one after the other in queue order, within one input.
 *
 * <p>It only reads the state. The caller applies each result before the next attempt. {@link AllocationFacts} and
 * {@link PendingFacts} construct the results.
 *
 * <p>Allocations only reduce capacity. So a shape that did not fit once in a pass does not fit later in that pass, and
 * further items of the shape need no search. {@link SchedulingPasses} runs another pass for the exceptions.
 */
final class ItemAllocator {
    /** Units of work for one attempt, without its search. */
    private static final long ATTEMPT_COST = 200;

    private final State state;
    private final EarmarkPolicy earmarks;
    private final AllocationFacts allocations;
    private final PendingFacts pendings;
    private final Map<ItemShape, ShapeFailure> failures = new LinkedHashMap<>();
    private final Map<ItemShape, Integer> failedPreemptions = new LinkedHashMap<>();

    /** @param touched items whose pod or claim has changed: they are reported even if the reason is the same */
    ItemAllocator(State state, Instant at, SortedSet<ItemId> touched, TextPolicy texts) {
        this.state = state;
        this.earmarks = new EarmarkPolicy(state, WorkMeter.unlimited());
        this.allocations = new AllocationFacts(state, at);
        this.pendings = new PendingFacts(state, touched, texts);
    }

    /** Whether the shape did not fit earlier in this pass. */
    boolean hasFailed(ItemShape shape) {
        return failures.containsKey(shape);
    }

    /** Whether a pod or claim of the item has changed and the item was not reported since. */
    boolean isTouched(ItemId item) {
        return pendings.isTouched(item);
    }

    /** Whether a result must be reported: the item has changed, or the router waits for a report. */
    boolean isReportDue(SchedulingRow.ItemRow row) {
        return pendings.isReportDue(row);
    }

    /** Whether unfinished work of an item must be reported. */
    boolean isUnfinishedReportDue(SchedulingRow.ItemRow row) {
        return pendings.isUnfinishedReportDue(row);
    }

    /** Whether all claims are allocated and reserved, and the pod is bound. */
    boolean isSettled(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready) {
        return ready.isFullyReserved(state)
                && !(isUnbound(row) && state.coordination().checksNode(row.item(), ready));
    }

    /** Whether kube-scheduler has not bound the pod yet. */
    private boolean isUnbound(SchedulingRow.ItemRow row) {
        return row.item().kind() == ItemId.ItemKind.POD
                && state.pod(row.item().key())
                        .filter(pod -> pod.nodeName().isEmpty())
                        .isPresent();
    }

    /**
     * Tries to allocate a pending item.
     *
     * @throws WorkMeter.ExhaustedException if the meter's limit is exceeded; nothing has changed then
     */
    ItemResult tryAllocate(SchedulingRow.ItemRow row, WorkItemAssembly assembly, WorkMeter meter) {
        if (!(assembly instanceof WorkItemAssembly.Ready ready && hasFailed(ready.shape()))) {
            meter.charge(ATTEMPT_COST);
        }
        return switch (assembly) {
            case WorkItemAssembly.NotReady unready -> pendings.of(row, unready.claims(), unready.diagnosis(), 0);
            case WorkItemAssembly.Ready ready ->
                decide(new PlacementAttempt(row, ready, state.settings().searchStepsMax(), meter));
        };
    }

    /** Tries again with the larger search budget after {@link Reason#SearchBudgetExhausted}. */
    ItemResult tryAllocateThoroughly(SchedulingRow.ItemRow row, WorkMeter meter) {
        if (!(WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready)) {
            return ItemResult.NOTHING;
        }
        failures.remove(ready.shape());
        SchedulingRow.ItemRow once = row.afterThoroughSearch();
        ItemResult result =
                decide(new PlacementAttempt(once, ready, state.settings().thoroughStepsMax(), meter));
        return result.facts().isEmpty()
                ? new ItemResult(List.of(new Fact.Put(once)), result.outputs(), result.steps())
                : result;
    }

    /** Reports {@link Reason#EvaluationPending}: the work continues in slices. Progress alone is not a new decision. */
    ItemResult reportUnfinished(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, String message) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(Reason.EvaluationPending, message, Optional.empty());
        return pendings.of(row, ready.unallocatedKeys(), diagnosis, TextPolicy.REPLACE, 0);
    }

    /** Reports a reason that other items cause, such as an incomplete gang. */
    ItemResult reportPending(SchedulingRow.ItemRow row, AllocationPlan.PendingDiagnosis diagnosis, TextPolicy which) {
        boolean isReported = row.reason().equals(Optional.of(diagnosis.reason())) && !isReportDue(row);
        if (isReported
                && (which == TextPolicy.KEEP
                        || row.textHash() == PendingText.of(diagnosis).hash())) {
            return ItemResult.NOTHING;
        }
        List<ObjectKey> claims = switch (WorkItemAssembly.of(state, row.item())) {
            case WorkItemAssembly.NotReady unready -> unready.claims();
            case WorkItemAssembly.Ready ready -> ready.unallocatedKeys();
        };
        return pendings.of(row, claims, diagnosis, which, 0);
    }

    // ---- decision
    // -----------------------------------------------------------------------------------------------------------

    private ItemResult decide(PlacementAttempt attempt) {
        if (isSettled(attempt.row(), attempt.ready())) {
            return allocations.settled(attempt.row(), attempt.ready());
        }
        ItemId item = attempt.row().item();
        if (state.coordination().isOffered(item)) {
            return ItemResult.NOTHING; // the router will lease it, and then it is attempted
        }
        DeallocationCandidates candidates = DeallocationCandidates.of(state, item, attempt.ready());
        if (candidates.isEmpty() || state.settings().observeOnly()) {
            return tryPlace(attempt);
        }
        ItemResult placed = candidates.isForced() ? ItemResult.NOTHING : tryPlace(attempt);
        return placed.isPlaced() ? placed : withDeallocation(attempt, candidates, placed);
    }

    /** Deallocates unused claims of the pod if the pod fits without them; otherwise the item stays pending. */
    private ItemResult withDeallocation(
            PlacementAttempt attempt, DeallocationCandidates candidates, ItemResult instead) {
        SchedulingRow.ItemRow row = attempt.row();
        DeallocationCandidates.ReallocationResult search = candidates.attempt(retry ->
                state.planner().plan(retry.shape(), options(attempt.with(retry), ExcludedNodes.to(state, row))));
        long steps = instead.steps() + search.steps();
        Supplier<ItemResult> unplaced = () -> candidates.isForced()
                ? pendings.of(row, attempt.ready().unallocatedKeys(), candidates.diagnosis(), steps)
                : instead.withSteps(steps);
        return search.reallocation()
                .map(found -> state.coordination()
                        .proposeDeallocation(row, candidates.decisions(attempt.ready(), found), unplaced)
                        .orElseGet(() -> pendings.reallocating(row, attempt.ready(), candidates, found, steps)))
                .orElseGet(unplaced);
    }

    private ItemResult tryPlace(PlacementAttempt attempt) {
        ItemShape shape = attempt.shape();
        ShapeFailure before = failures.get(shape);
        if (before != null) {
            AllocationPlan plan = withPreemption(attempt, before.plan().withSteps(0));
            return plan instanceof AllocationPlan.Allocated placed
                    ? placed(attempt, placed)
                    : failed(attempt, before, plan.steps()).withFailedShape(shape);
        }
        ExcludedNodes excluded = ExcludedNodes.to(state, attempt.row());
        AllocationPlan plan = withPool(shape, state.planner().plan(shape, options(attempt, excluded)));
        return switch (plan instanceof AllocationPlan.Pending unplaced ? withPreemption(attempt, unplaced) : plan) {
            case AllocationPlan.Allocated placed -> placed(attempt, placed);
            case AllocationPlan.Pending unplaced
            when excluded.isNone() -> {
                var failure = new ShapeFailure(unplaced, isTransient(attempt, unplaced));
                failures.put(shape, failure);
                yield failed(attempt, failure, unplaced.steps()).withFailedShape(shape);
            }
            case AllocationPlan.Pending unplaced -> {
                var failure = new ShapeFailure(explainExclusion(attempt, excluded, unplaced), false);
                yield failed(attempt, failure, unplaced.steps());
            }
        };
    }

    /** Says in the message of a pending item which nodes are considered. */
    private static AllocationPlan withPool(ItemShape shape, AllocationPlan plan) {
        String nodes = shape.rules().pool().text();
        return plan instanceof AllocationPlan.Pending unplaced && !nodes.isEmpty()
                ? unplaced.withNote("only nodes with %s are considered".formatted(nodes))
                : plan;
    }

    private ItemResult placed(PlacementAttempt attempt, AllocationPlan.Allocated placed) {
        ItemResult result = attempt.ready().isFullyReserved(state)
                ? state.coordination()
                        .offer(attempt.row(), placed.steps())
                        .orElseGet(() -> allocations.settled(attempt.row(), attempt.ready()))
                : allocations.of(attempt.row(), attempt.ready(), placed);
        return result.asPlaced();
    }

    private ItemResult failed(PlacementAttempt attempt, ShapeFailure failure, long steps) {
        return pendings.of(attempt, failure, steps, () -> funnels(attempt));
    }

    private List<Funnel> funnels(PlacementAttempt attempt) {
        return state.planner().funnels(attempt.shape(), attempt.ready().unallocated(), attempt.meter());
    }

    private AllocationPlanner.PlanOptions options(PlacementAttempt attempt, ExcludedNodes excluded) {
        ItemShape shape = attempt.shape();
        Rank rank = attempt.row().rank();
        return new AllocationPlanner.PlanOptions(
                state.settings().policy(),
                attempt.stepsMax(),
                node -> earmarks.mayUse(node, rank, shape) && !excluded.contains(node),
                ShareIds.fromClaimUids(attempt.ready().unallocated().stream()
                        .map(UnallocatedClaim::uid)
                        .toList()),
                attempt.meter());
    }

    /** Plans with preemption if the node is full. A failure for a shape also holds for equal and lower priorities. */
    private AllocationPlan withPreemption(PlacementAttempt attempt, AllocationPlan.Pending unplaced) {
        ItemShape shape = attempt.shape();
        Optional<Preemption> preemption = Preemption.of(state, attempt.row().item(), attempt.ready())
                .filter(each -> !failedPreemptions.containsKey(shape) || each.priority() > failedPreemptions.get(shape))
                .filter(each -> unplaced.reason() == Reason.NodeFull);
        if (preemption.isEmpty()) {
            return unplaced;
        }
        ExcludedNodes excluded = ExcludedNodes.to(state, attempt.row());
        AllocationPlan plan = preemption.get().planWithPreemption(unplaced, options(attempt, excluded));
        if (plan instanceof AllocationPlan.Pending && excluded.isNone()) {
            failedPreemptions.put(shape, preemption.get().priority());
        }
        return plan;
    }

    /**
     * Checks whether only excluded nodes keep the item from fitting. If so, they are the reason, for this item alone.
     */
    private AllocationPlan.Pending explainExclusion(
            PlacementAttempt attempt, ExcludedNodes excluded, AllocationPlan.Pending unplaced) {
        return switch (state.planner().plan(attempt.shape(), options(attempt, ExcludedNodes.NOTHING))) {
            case AllocationPlan.Pending other -> other;
            case AllocationPlan.Allocated placed -> {
                NodeDeviceView node = state.inventory().view(placed.node()).orElseThrow();
                yield unplaced.withDiagnosis(excluded.diagnosis(node.node()));
            }
        };
    }

    /**
     * Whether the item would fit on a node that is earmarked for an older item with an open offer.
     *
     * <p>The older item is about to take the devices. They are free only for a moment, for all pending items.
     */
    private boolean isTransient(PlacementAttempt attempt, AllocationPlan.Pending unplaced) {
        if (state.offeredItems().isEmpty() || unplaced.reason() != Reason.Earmarked) {
            return false;
        }
        ItemShape shape = attempt.shape();
        Rank rank = attempt.row().rank();
        var options = new AllocationPlanner.PlanOptions(
                state.settings().policy(),
                state.settings().searchStepsMax(),
                node -> earmarks.mayUse(node, rank, shape) || earmarks.isOffered(node),
                ShareIds.fromClaimIndexes(),
                attempt.meter());
        return state.planner().plan(shape, options) instanceof AllocationPlan.Allocated;
    }
}
