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
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Tries to allocate pending items, one after the other in queue order, within one input.
 *
 * <p>It only reads the state. The caller applies each result before the next attempt.
 *
 * <p>Allocations only reduce capacity. So a shape that did not fit once in a pass does not fit later in that pass, and
 * further items of the shape need no search. {@link Cell} runs another pass for the exceptions.
 */
final class ItemAllocator {
    /** Units of work for one attempt, without its search. */
    private static final long ATTEMPT_COST = 200;

    private static final String SETTLED = "all its claims are already allocated";

    private final State state;
    private final EarmarkPolicy earmarks;
    private final Instant at;
    private final SortedSet<ItemId> unreported;
    private final TextPolicy texts;
    private final Map<ItemShape, ShapeFailure> failures = new LinkedHashMap<>();
    private final Map<ItemShape, Integer> failedPreemptions = new LinkedHashMap<>();

    /** @param touched items whose pod or claim has changed: they are reported even if the reason is the same */
    ItemAllocator(State state, Instant at, SortedSet<ItemId> touched, TextPolicy texts) {
        this.unreported = new TreeSet<>(touched);
        this.texts = texts;
        this.state = state;
        this.earmarks = new EarmarkPolicy(state, WorkMeter.unlimited());
        this.at = at.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Why a shape did not fit. Candidates are counted lazily, only for items that get the text. */
    private static final class ShapeFailure {
        private final AllocationPlan.Pending unplaced;
        private final boolean isTransient;
        private Optional<PendingText> text = Optional.empty();
        private List<ObjectKey> textClaims = List.of();

        /** @param isPassing whether the shape waits for devices that an older offered item is about to get */
        ShapeFailure(AllocationPlan.Pending unplaced, boolean isPassing) {
            this.unplaced = unplaced;
            this.isTransient = isPassing;
        }

        /** Whether an item with this reason needs no update. */
        boolean isReported(Optional<Reason> before) {
            return before.equals(Optional.of(unplaced.reason()))
                    || (isTransient
                            && before.filter(Reason::isResolvedByDeallocation).isPresent());
        }

        /** @param claims claims of the item that gets the text. Texts of one shape differ only in claim names */
        PendingText text(List<ObjectKey> claims, Supplier<List<Funnel>> counted) {
            if (text.isEmpty()) {
                text = Optional.of(
                        PendingText.of(new Explanation.ExplanationDetail.Pending(unplaced.diagnosis(), counted.get())));
                textClaims = claims;
            }
            return text.get().forClaims(textClaims, claims);
        }
    }

    /** The explanation of a pending item, and its hash. */
    private record PendingText(Explanation.ExplanationDetail.Pending detail, long hash) {
        static PendingText of(Explanation.ExplanationDetail.Pending detail) {
            return new PendingText(detail, TextHash.of(detail));
        }

        static PendingText of(AllocationPlan.PendingDiagnosis diagnosis) {
            return of(new Explanation.ExplanationDetail.Pending(diagnosis, List.of()));
        }

        /** The same text for the claims of another item of the shape, in the same order. */
        PendingText forClaims(List<ObjectKey> before, List<ObjectKey> now) {
            if (before.equals(now)) {
                return this;
            }
            List<Funnel> funnels = detail.funnels().stream()
                    .map(funnel -> funnel.withClaim(now.get(before.indexOf(funnel.claim()))))
                    .toList();
            return new PendingText(new Explanation.ExplanationDetail.Pending(detail.diagnosis(), funnels), hash);
        }
    }

    /**
     * The result of one attempt; not applied yet.
     *
     * @param failedShape the shape that did not fit, if that holds for every item of the shape
     */
    record ItemResult(List<Fact> facts, List<Output> outputs, long steps, Optional<ItemShape> failedShape) {
        static final ItemResult NOTHING = new ItemResult(List.of(), List.of(), 0);

        ItemResult(List<Fact> facts, List<Output> outputs, long steps) {
            this(facts, outputs, steps, Optional.empty());
        }

        /** Whether at most the text of the item changes. */
        boolean keepsReason(SchedulingRow.ItemRow before) {
            return facts.stream().allMatch(fact -> switch (fact) {
                case Fact.Put(SchedulingRow.LeaseRow lease) -> !lease.isOffered();
                case Fact.Put(SchedulingRow.ItemRow after) ->
                    after.item().equals(before.item()) && after.reason().equals(before.reason());
                case Fact.Put _, Fact.Drop _ -> false;
            });
        }

        /** Whether the result decides a deallocation. */
        boolean isDeallocation() {
            return facts.stream().anyMatch(fact -> fact instanceof Fact.Put(ClaimRow.DeallocationRow _));
        }

        ItemResult failedShape(ItemShape shape) {
            return new ItemResult(facts, outputs, steps, Optional.of(shape));
        }
    }

    /** Whether the shape did not fit earlier in this pass. */
    boolean hasFailed(ItemShape shape) {
        return failures.containsKey(shape);
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
            case WorkItemAssembly.NotReady unready ->
                pendingResult(row, unready.claims(), unready.diagnosis(), texts, 0);
            case WorkItemAssembly.Ready ready ->
                decide(row, ready, state.settings().searchStepsMax(), meter);
        };
    }

    /** Reports {@link Reason#EvaluationPending}: the work continues in slices. Progress alone is not a new decision. */
    ItemResult reportUnfinished(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, String message) {
        var diagnosis = new AllocationPlan.PendingDiagnosis(Reason.EvaluationPending, message, Optional.empty());
        return pendingResult(row, unallocated(ready), diagnosis, TextPolicy.REPLACE, 0);
    }

    /** Reports a reason that other items cause, such as an incomplete gang. */
    ItemResult reportPending(SchedulingRow.ItemRow row, AllocationPlan.PendingDiagnosis diagnosis, TextPolicy which) {
        boolean isReported = row.reason().equals(Optional.of(diagnosis.reason())) && !isReportDue(row);
        if (isReported && (which == TextPolicy.KEEP || row.textHash() == PendingText.of(diagnosis).hash)) {
            return ItemResult.NOTHING;
        }
        List<ObjectKey> claims = switch (WorkItemAssembly.of(state, row.item())) {
            case WorkItemAssembly.NotReady unready -> unready.claims();
            case WorkItemAssembly.Ready ready -> unallocated(ready);
        };
        return pendingResult(row, claims, diagnosis, which, 0);
    }

    /** Tries again with the larger search budget after {@link Reason#SearchBudgetExhausted}. */
    ItemResult tryAllocateThoroughly(SchedulingRow.ItemRow row, WorkMeter meter) {
        if (!(WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready)) {
            return ItemResult.NOTHING;
        }
        failures.remove(ready.shape());
        SchedulingRow.ItemRow once = row.afterThoroughSearch();
        ItemResult result = decide(once, ready, state.settings().thoroughStepsMax(), meter);
        return result.facts().isEmpty()
                ? new ItemResult(List.of(new Fact.Put(once)), result.outputs(), result.steps())
                : result;
    }

    private ItemResult decide(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, long stepsMax, WorkMeter meter) {
        if (isSettled(row, ready)) {
            return settledResult(row, ready);
        }
        if (ItemLeases.isOffered(state, row.item())) {
            return ItemResult.NOTHING; // the router will lease it, and then it is attempted
        }
        DeallocationCandidates candidates = DeallocationCandidates.of(state, row.item(), ready);
        if (candidates.isEmpty()) {
            return tryPlace(row, ready, stepsMax, meter);
        }
        ItemResult placed = candidates.isForced() ? ItemResult.NOTHING : tryPlace(row, ready, stepsMax, meter);
        return isPlaced(placed, row) ? placed : withDeallocation(row, ready, candidates, placed, stepsMax, meter);
    }

    /** Whether all claims are allocated and reserved, and the pod is bound. */
    boolean isSettled(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready) {
        return ready.isFullyReserved(state) && !isUnbound(row);
    }

    /**
     * Whether kube-scheduler has not bound the pod yet. Checked in a single cell only: the node may belong to another
     * cell.
     */
    private boolean isUnbound(SchedulingRow.ItemRow row) {
        return row.item().kind() == ItemId.ItemKind.POD
                && state.identity().isSingleCell()
                && state.pod(row.item().key())
                        .filter(pod -> pod.nodeName().isEmpty())
                        .isPresent();
    }

    private static boolean isPlaced(ItemResult result, SchedulingRow.ItemRow row) {
        return result.facts().stream()
                .anyMatch(fact -> fact instanceof Fact.Put(SchedulingRow.ItemRow after)
                        && after.item().equals(row.item())
                        && !after.isPending());
    }

    /** Deallocates unused claims of the pod if the pod fits without them; otherwise the item stays pending. */
    private ItemResult withDeallocation(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            DeallocationCandidates candidates,
            ItemResult instead,
            long stepsMax,
            WorkMeter meter) {
        DeallocationCandidates.ReallocationResult attempt = candidates.attempt(again ->
                state.planner().plan(again.shape(), terms(row, again, ExcludedNodes.to(state, row), stepsMax, meter)));
        long steps = instead.steps() + attempt.steps();
        return attempt.reallocation()
                .map(found -> reallocationResult(row, ready, candidates, found, steps))
                .orElseGet(() -> candidates.isForced()
                        ? pendingForDevices(row, ready, candidates, steps)
                        : new ItemResult(instead.facts(), instead.outputs(), steps));
    }

    private ItemResult pendingForDevices(
            SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, DeallocationCandidates candidates, long steps) {
        return pendingResult(row, unallocated(ready), candidates.diagnosis(), texts, steps);
    }

    private ItemResult reallocationResult(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            DeallocationCandidates candidates,
            DeallocationCandidates.Reallocation found,
            long steps) {
        List<Fact> facts = new ArrayList<>();
        List<Output> outputs = new ArrayList<>();
        long number = state.count().decisions();
        for (ResourceClaim claim : found.claims()) {
            number = state.identity().nextDecision(number);
            facts.add(new Fact.Put(candidates.rowOf(claim, number)));
            outputs.add(new Output.DecisionMade(new Decision(
                    claim.key(),
                    claim.meta().uid(),
                    number,
                    row.item(),
                    candidates.result(ready, claim, found.placed().node()))));
        }
        AllocationPlan.PendingDiagnosis diagnosis = candidates.diagnosis(found);
        ItemResult pending = pendingResult(row, unallocated(ready), PendingText.of(diagnosis), steps, number);
        facts.addAll(pending.facts());
        outputs.addAll(pending.outputs());
        return new ItemResult(facts, outputs, steps);
    }

    private ItemResult tryPlace(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, long stepsMax, WorkMeter meter) {
        ItemShape shape = ready.shape();
        ShapeFailure before = failures.get(shape);
        if (before != null) {
            AllocationPlan plan = withPreemption(row, ready, before.unplaced.withSteps(0), stepsMax, meter);
            return plan instanceof AllocationPlan.Allocated placed
                    ? placedResult(row, ready, placed)
                    : failedResult(row, ready, before, plan.steps(), meter).failedShape(shape);
        }
        ExcludedNodes excluded = ExcludedNodes.to(state, row);
        AllocationPlan plan = state.planner().plan(shape, terms(row, ready, excluded, stepsMax, meter));
        return switch (plan instanceof AllocationPlan.Pending unplaced
                ? withPreemption(row, ready, unplaced, stepsMax, meter)
                : plan) {
            case AllocationPlan.Allocated placed -> placedResult(row, ready, placed);
            case AllocationPlan.Pending unplaced
            when excluded.isNone() -> {
                var failure = new ShapeFailure(unplaced, isTransient(row, shape, unplaced, meter));
                failures.put(shape, failure);
                yield failedResult(row, ready, failure, unplaced.steps(), meter).failedShape(shape);
            }
            case AllocationPlan.Pending unplaced ->
                failedResult(
                        row,
                        ready,
                        new ShapeFailure(
                                whyExcluded(
                                        excluded,
                                        unplaced,
                                        shape,
                                        terms(row, ready, ExcludedNodes.NOTHING, stepsMax, meter)),
                                false),
                        unplaced.steps(),
                        meter);
        };
    }

    private ItemResult placedResult(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, AllocationPlan.Allocated placed) {
        return ready.isFullyReserved(state) ? settledResult(row, ready) : allocatedResult(row, ready, placed);
    }

    private AllocationPlanner.PlanOptions terms(
            SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, ExcludedNodes excluded, long stepsMax, WorkMeter meter) {
        return new AllocationPlanner.PlanOptions(
                state.settings().policy(),
                stepsMax,
                node -> earmarks.mayUse(node, row.rank(), ready.shape()) && !excluded.contains(node),
                ShareIds.fromClaimUids(
                        ready.unallocated().stream().map(UnallocatedClaim::uid).toList()),
                meter);
    }

    /** Plans with preemption if the node is full. A failure for a shape also holds for equal and lower priorities. */
    private AllocationPlan withPreemption(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            AllocationPlan.Pending unplaced,
            long stepsMax,
            WorkMeter meter) {
        ItemShape shape = ready.shape();
        Optional<Preemption> preemption = Preemption.of(state, row.item(), ready)
                .filter(each -> !failedPreemptions.containsKey(shape) || each.priority() > failedPreemptions.get(shape))
                .filter(each -> unplaced.reason() == Reason.NodeFull);
        if (preemption.isEmpty()) {
            return unplaced;
        }
        ExcludedNodes excluded = ExcludedNodes.to(state, row);
        AllocationPlan plan =
                preemption.get().planWithPreemption(unplaced, terms(row, ready, excluded, stepsMax, meter));
        if (plan instanceof AllocationPlan.Pending && excluded.isNone()) {
            failedPreemptions.put(shape, preemption.get().priority());
        }
        return plan;
    }

    /**
     * Checks whether only excluded nodes keep the item from fitting. If so, they are the reason, for this item alone.
     */
    private AllocationPlan.Pending whyExcluded(
            ExcludedNodes excluded,
            AllocationPlan.Pending unplaced,
            ItemShape shape,
            AllocationPlanner.PlanOptions open) {
        return switch (state.planner().plan(shape, open)) {
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
    private boolean isTransient(SchedulingRow.ItemRow row, ItemShape shape, AllocationPlan.Pending unplaced, WorkMeter meter) {
        if (state.offeredItems().isEmpty() || unplaced.reason() != Reason.Earmarked) {
            return false;
        }
        var terms = new AllocationPlanner.PlanOptions(
                state.settings().policy(),
                state.settings().searchStepsMax(),
                node -> earmarks.mayUse(node, row.rank(), shape) || earmarks.isOffered(node),
                ShareIds.fromClaimIndexes(),
                meter);
        return state.planner().plan(shape, terms) instanceof AllocationPlan.Allocated;
    }

    private ItemResult failedResult(
            SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, ShapeFailure failure, long steps, WorkMeter meter) {
        List<ObjectKey> claims = unallocated(ready);
        if (!failure.isReported(row.reason()) || isReportDue(row)) {
            return pendingResult(row, claims, failure.text(claims, () -> funnels(ready, meter)), steps);
        }
        return texts == TextPolicy.REPLACE && row.reason().equals(Optional.of(failure.unplaced.reason()))
                ? refreshedResult(row, claims, failure.text(claims, () -> funnels(ready, meter)), steps)
                : new ItemResult(List.of(), List.of(), steps);
    }

    private ItemResult pendingResult(
            SchedulingRow.ItemRow row,
            List<ObjectKey> claims,
            AllocationPlan.PendingDiagnosis diagnosis,
            TextPolicy which,
            long steps) {
        if (!row.reason().equals(Optional.of(diagnosis.reason())) || isReportDue(row)) {
            return pendingResult(row, claims, PendingText.of(diagnosis), steps);
        }
        return which == TextPolicy.REPLACE
                ? refreshedResult(row, claims, PendingText.of(diagnosis), steps)
                : new ItemResult(List.of(), List.of(), steps);
    }

    /** Keeps the reason and the decision. Writes the text only if its hash differs. */
    private ItemResult refreshedResult(SchedulingRow.ItemRow row, List<ObjectKey> claims, PendingText text, long steps) {
        if (row.textHash() == text.hash) {
            return new ItemResult(List.of(), List.of(), steps);
        }
        SchedulingRow.ItemRow now = pending(row, text);
        return state.identity().isSingleCell()
                ? new ItemResult(
                        List.of(new Fact.Put(now)),
                        List.of(new Output.ItemExplained(new Explanation(row.item(), claims, steps, text.detail))),
                        steps)
                : ItemLeases.reportPending(state, now, text.detail, steps);
    }

    /** Whether a pod or claim of the item has changed and the item was not reported since. */
    boolean isTouched(ItemId item) {
        return unreported.contains(item);
    }

    /** Whether a result must be reported: the item has changed, or the router waits for a report on its lease. */
    boolean isReportDue(SchedulingRow.ItemRow row) {
        return unreported.contains(row.item())
                || state.lease(row.item()).filter(SchedulingRow.LeaseRow::isActive).isPresent();
    }

    private List<Funnel> funnels(WorkItemAssembly.Ready ready, WorkMeter meter) {
        return state.planner().funnels(ready.shape(), ready.unallocated(), meter);
    }

    private static List<ObjectKey> unallocated(WorkItemAssembly.Ready ready) {
        return ready.unallocated().stream().map(UnallocatedClaim::claim).toList();
    }

    // ---- pending
    // --------------------------------------------------------------------------------------------------------------

    private ItemResult pendingResult(SchedulingRow.ItemRow row, List<ObjectKey> claims, PendingText text, long steps) {
        return pendingResult(row, claims, text, steps, state.count().decisions());
    }

    /** @param from number of the last decision */
    private ItemResult pendingResult(SchedulingRow.ItemRow row, List<ObjectKey> claims, PendingText text, long steps, long from) {
        unreported.remove(row.item());
        Explanation.ExplanationDetail.Pending detail = text.detail;
        SchedulingRow.ItemRow now = pending(row, text);
        if (!state.identity().isSingleCell()) {
            return ItemLeases.reportPending(state, now, detail, steps);
        }
        Reason reason = detail.diagnosis().reason();
        String message = detail.diagnosis().message();
        List<Fact> facts = new ArrayList<>();
        List<Output> outputs = new ArrayList<>();
        long number = from;
        for (ObjectKey key : claims) {
            Optional<ResourceClaim> claim = state.claim(key);
            if (claim.isPresent() && needsPendingDecision(claim.get(), reason)) {
                number = state.identity().nextDecision(number);
                outputs.add(new Output.DecisionMade(new Decision(
                        key,
                        claim.get().meta().uid(),
                        number,
                        row.item(),
                        new Decision.DecisionResult.Pending(reason, message))));
            }
        }
        outputs.add(new Output.ItemExplained(new Explanation(row.item(), claims, steps, detail)));
        facts.add(new Fact.Put(now));
        facts.add(new Fact.Put(countersAfter(number, 0)));
        return new ItemResult(facts, outputs, steps);
    }

    /**
     * Whether a pending decision is written for a claim.
     *
     * <p>A claim that another allocator has allocated gets one with {@link Reason#Unmanaged}, so that the writer removes
     * the scheduling gate of the pod.
     */
    private boolean needsPendingDecision(ResourceClaim claim, Reason reason) {
        boolean isLeftToOthers = reason == Reason.Unmanaged
                && ManagedClaims.isUnmanaged(state, claim)
                && state.decidedAllocation(claim.meta().uid()).isEmpty();
        return isLeftToOthers || WorkItemAssembly.allocation(state, claim).isEmpty();
    }

    private SchedulingRow.ItemRow pending(SchedulingRow.ItemRow row, PendingText text) {
        SchedulingRow.ItemRow overtaken =
                isWithoutConsumer(row) ? row.withAllocationsBefore(state.count().allocations()) : row;
        return overtaken.pending(text.detail, text.hash);
    }

    /**
     * Without a consumer an item cannot be allocated, so it cannot be overtaken. Counting starts when it gets a
     * consumer.
     */
    private static boolean isWithoutConsumer(SchedulingRow.ItemRow row) {
        return row.reason().equals(Optional.of(Reason.NoConsumer));
    }

    private Row.CountRow countersAfter(long decisions, int newAllocations) {
        Row.CountRow count = state.count();
        return new Row.CountRow(decisions, count.allocations() + newAllocations, count.offset());
    }

    // ---- allocated
    // ---------------------------------------------------------------------------------------------------------------

    private ItemResult allocatedResult(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, AllocationPlan.Allocated placed) {
        if (state.isReturned(row.item())) {
            return ItemLeases.offer(state, row, placed.steps());
        }
        List<Fact> facts = new ArrayList<>();
        long number = state.count().decisions();
        List<ClaimRow.AllocationRow> rows = new ArrayList<>();
        for (int i = 0; i < ready.unallocated().size(); i++) {
            UnallocatedClaim asked = ready.unallocated().get(i);
            Allocation allocation = withTimestamp(placed.allocations().get(i));
            number = state.identity().nextDecision(number);
            rows.add(new ClaimRow.AllocationRow(
                    asked.claim(),
                    asked.uid(),
                    number,
                    row.item(),
                    placed.node(),
                    allocation,
                    ready.consumer(asked.claim()).map(List::of).orElse(List.of()),
                    state.version(asked.claim()),
                    ClaimRow.AllocationRow.CommitState.GIVEN));
        }
        for (ResourceClaim claim : ready.allocated()) {
            long following = state.identity().nextDecision(number);
            Optional<ClaimRow.AllocationRow> reservation = reservation(row, ready, placed, claim, following);
            number = reservation.isPresent() ? following : number;
            reservation.ifPresent(rows::add);
        }
        rows.forEach(decided -> facts.add(new Fact.Put(decided)));
        facts.add(new Fact.Put(row.allocated(placed.choice().rationale())));
        int overtakes = ready.unallocated().isEmpty() ? 0 : 1; // one more consumer takes no devices
        facts.add(new Fact.Put(countersAfter(number, overtakes)));
        List<Output> outputs = outputs(row, ready, placed, rows);
        ItemLeases.reportAllocated(
                        state,
                        row.item(),
                        number,
                        rows.stream().map(ClaimRow.AllocationRow::claimUid).toList())
                .ifPresent(outputs::add);
        return new ItemResult(facts, outputs, placed.steps());
    }

    /** All claims are allocated and reserved. Explains the item, and repeats a decision for a gated pod. */
    private ItemResult settledResult(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready) {
        if (state.isReturned(row.item())) {
            return ItemLeases.end(state, row);
        }
        String node = ready.allocated().stream()
                .flatMap(claim -> nodeOf(claim).stream())
                .findFirst()
                .orElse("");
        var choice = new AllocationPlan.NodeChoice(state.settings().policy(), 0, SETTLED, Optional.empty(), "");
        var detail = new Explanation.ExplanationDetail.Allocated(node, choice);
        List<Output> outputs = new ArrayList<>();
        List<Fact> facts = new ArrayList<>();
        outputs.add(new Output.ItemExplained(new Explanation(row.item(), ready.claims(), 0, detail)));
        Optional<ClaimRow.AllocationRow> again = repeatedDecision(row, ready, node);
        again.ifPresent(decided -> {
            facts.add(new Fact.Put(decided));
            facts.add(new Fact.Put(countersAfter(decided.number(), 0)));
            outputs.add(new Output.DecisionMade(
                    new Decision(decided.claim(), decided.claimUid(), decided.number(), row.item(), decided.result())));
        });
        facts.add(new Fact.Put(row.allocated(SETTLED)));
        List<String> decided = ready.allocated().stream()
                .map(claim -> claim.meta().uid())
                .filter(uid -> state.decidedAllocation(uid).isPresent())
                .toList();
        long number = again.map(ClaimRow.AllocationRow::number).orElse(state.count().decisions());
        ItemLeases.reportAllocated(state, row.item(), number, decided).ifPresent(outputs::add);
        return new ItemResult(facts, outputs, 0);
    }

    /**
     * A decision to repeat for a gated pod that needs no new allocation.
     *
     * <p>The writer removes a scheduling gate only with a decision. Such a pod shares the claims of its group, or its
     * claims were reserved for it by a component that is gone.
     */
    private Optional<ClaimRow.AllocationRow> repeatedDecision(SchedulingRow.ItemRow row, WorkItemAssembly.Ready ready, String node) {
        boolean isGated = row.item().kind() == ItemId.ItemKind.POD
                && state.pod(row.item().key()).filter(Pod::isGated).isPresent();
        return ready.allocated().stream()
                .filter(claim -> isGated && !state.isRevoked(claim))
                .findFirst()
                .map(claim -> allocationRow(
                        row,
                        claim,
                        node,
                        WorkItemAssembly.consumers(state, claim),
                        state.identity().nextDecision(state.count().decisions())));
    }

    private Optional<String> nodeOf(ResourceClaim claim) {
        return state.decidedAllocation(claim.meta().uid())
                .map(ClaimRow.AllocationRow::node)
                .or(() -> claim.allocation().flatMap(Allocation::nodeSelector).flatMap(NodeSelector::onlyNode));
    }

    private Allocation withTimestamp(Allocation allocation) {
        return new Allocation(allocation.results(), allocation.config(), allocation.nodeSelector(), Optional.of(at));
    }

    /** Adds the pod as a consumer of a claim that is already allocated. */
    private Optional<ClaimRow.AllocationRow> reservation(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            AllocationPlan.Allocated placed,
            ResourceClaim claim,
            long number) {
        if (ready.isReserved(state, claim)) {
            return Optional.empty();
        }
        List<ClaimConsumer> more = new ArrayList<>(WorkItemAssembly.consumers(state, claim));
        ready.consumer(claim.key()).ifPresent(more::add);
        return Optional.of(allocationRow(row, claim, placed.node(), more, number));
    }

    /** The current allocation of a claim for these consumers, whether this cell or another allocator decided it. */
    private ClaimRow.AllocationRow allocationRow(
            SchedulingRow.ItemRow row, ResourceClaim claim, String node, List<ClaimConsumer> consumers, long number) {
        Optional<ClaimRow.AllocationRow> before =
                state.decidedAllocation(claim.meta().uid());
        return new ClaimRow.AllocationRow(
                claim.key(),
                claim.meta().uid(),
                number,
                before.map(ClaimRow.AllocationRow::item).orElse(row.item()),
                before.map(ClaimRow.AllocationRow::node).orElse(node),
                WorkItemAssembly.allocation(state, claim).orElseThrow(),
                consumers,
                before.map(ClaimRow.AllocationRow::claimVersion).orElseGet(() -> state.version(claim.key())),
                before.map(ClaimRow.AllocationRow::commitState).orElse(ClaimRow.AllocationRow.CommitState.COMMITTED));
    }

    private static List<Output> outputs(
            SchedulingRow.ItemRow row,
            WorkItemAssembly.Ready ready,
            AllocationPlan.Allocated placed,
            List<ClaimRow.AllocationRow> rows) {
        List<Output> outputs = new ArrayList<>();
        for (ClaimRow.AllocationRow decided : rows) {
            outputs.add(new Output.DecisionMade(
                    new Decision(decided.claim(), decided.claimUid(), decided.number(), row.item(), decided.result())));
        }
        outputs.add(new Output.ItemExplained(new Explanation(
                row.item(),
                ready.claims(),
                placed.steps(),
                new Explanation.ExplanationDetail.Allocated(placed.node(), placed.choice()))));
        return outputs;
    }
}
