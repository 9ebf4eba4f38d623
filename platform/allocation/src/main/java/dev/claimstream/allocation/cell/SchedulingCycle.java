package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Processes one input: applies the observation, updates the work items, and attempts those that may fit now. */
final class SchedulingCycle {
    private final CycleContext context;
    private final State state;
    private final Input input;
    private final StepBuilder step;
    private final SortedSet<ItemId> touched = new TreeSet<>();
    private final SchedulingPasses passes;
    private final ProbeAnswers probes;

    SchedulingCycle(CycleContext context) {
        this.context = context;
        this.state = context.state();
        this.input = context.input();
        this.step = context.step();
        this.passes = new SchedulingPasses(context, touched);
        this.probes = new ProbeAnswers(context);
    }

    Step run() {
        boolean wasSynced = state.isSynced();
        PassBaseline before = passes.baseline();
        StateChange change = ObservationReducer.of(state, input);
        Set<Reason.RetryTrigger> retryTriggers = observe(change, wasSynced);
        touched.forEach(this::updateItem);
        if (step.takeOfferEnded()) {
            retryTriggers.add(Reason.RetryTrigger.CAPACITY);
        }
        if (before.hasMovedPods()) {
            retryTriggers.add(Reason.RetryTrigger.PODS);
        }
        String turn = state.budget().turn();
        if (state.isSynced()) {
            Set<Reason> triggered =
                    wasSynced ? triggered(retryTriggers, change.hasAllocated) : EnumSet.allOf(Reason.class);
            turn = schedule(triggered, wasSynced ? pendingTouched() : new TreeMap<>(), before, turn);
        } else if (isTick()) {
            dropRefresh();
        }
        if (!state.hasUnfinishedWork()) {
            state.planner().endSearches();
        }
        finish(turn);
        return step.build(context.budget().spent(), ignored(change));
    }

    // ---- observation
    // ------------------------------------------------------------------------------------------------------

    /** Applies the change by the observation and its consequences for alarms and unused allocations. */
    private Set<Reason.RetryTrigger> observe(StateChange change, boolean wasSynced) {
        var suspects = new AlarmCandidates();
        long devicesChanged =
                change.facts.stream().mapToLong(this::devicesChanged).sum();
        change.facts.forEach(fact -> {
            suspects.add(state, fact);
            step.apply(fact);
        });
        if (devicesChanged > 0) {
            step.apply(new Fact.Put(WorkBudgetRow.SliceChangesRow.of(state).plus(devicesChanged)));
        }
        step.addOutputs(change.outputs);
        withdrawDisplaced(suspects);
        if (!wasSynced && state.isSynced()) {
            suspects.addAfterSync(state);
        }
        StateChange alarms = AlarmReconciler.of(state, suspects);
        step.apply(alarms.facts, alarms.outputs);
        touched.addAll(change.touched);
        touched.addAll(alarms.touched);
        revokeUnused(!wasSynced);
        return change.retryTriggers;
    }

    /** In observe-only mode, withdraws decisions whose devices kube-scheduler has allocated to another claim. */
    private void withdrawDisplaced(AlarmCandidates suspects) {
        if (state.settings().observeOnly()) {
            StateChange displaced = Comparisons.withdrawDisplaced(state, suspects.devices(state));
            displaced.facts.forEach(fact -> suspects.add(state, fact));
            step.apply(displaced.facts, displaced.outputs);
            touched.addAll(displaced.touched);
        }
    }

    /** The devices of a slice before and after its change. A slice without devices counts as one. */
    private long devicesChanged(Fact fact) {
        Optional<ResourceSlice> before = slice(Optional.ofNullable(state.rows().get(fact.key())));
        Optional<ResourceSlice> after = slice(fact instanceof Fact.Put put ? Optional.of(put.row()) : Optional.empty());
        return before.equals(after) ? 0 : Math.max(1, devices(before) + devices(after));
    }

    private static long devices(Optional<ResourceSlice> slice) {
        return slice.map(each -> each.devices().size()).orElse(0);
    }

    private static Optional<ResourceSlice> slice(Optional<Row> row) {
        return row.filter(each -> each instanceof ObservedRow.ObjectRow object && object.kind() == Kind.RESOURCE_SLICE)
                .flatMap(each -> ((ObservedRow.ObjectRow) each).content())
                .map(ResourceSlice.class::cast);
    }

    /**
     * Runs only when synced: before that, a missing pod may just not be listed yet. After a sync all decided claims are
     * checked.
     */
    private void revokeUnused(boolean isAfterList) {
        if (state.isSynced()) {
            StateChange unused = ClaimConsumers.revokeUnused(
                    state,
                    isAfterList
                            ? ClaimConsumers.decidedClaims(state)
                            : touched.stream()
                                    .filter(item -> item.kind() == ItemId.ItemKind.CLAIM)
                                    .map(ItemId::key)
                                    .toList());
            step.apply(unused.facts, unused.outputs);
            touched.addAll(unused.touched);
        }
    }

    private List<IgnoredObservation> ignored(StateChange change) {
        return change
                .ignored
                .filter(_ -> state.coordination().reportsIgnored(input.observation()))
                .map(reason -> new IgnoredObservation(input.observation(), reason))
                .stream()
                .toList();
    }

    // ---- work items
    // -------------------------------------------------------------------------------------------------------

    /** Creates, replaces or deletes the item. It exists as long as its pod or claim needs an allocation. */
    private void updateItem(ItemId item) {
        Optional<SchedulingRow.ItemRow> known = state.item(item);
        Optional<SchedulingRow.ItemRow> desired = desiredRow(item);
        if (desired.isEmpty()) {
            known.ifPresent(row -> step.apply(new Fact.Drop(row.key())));
            step.apply(state.coordination().endDeleted(item));
            return;
        }
        boolean isNew =
                known.isEmpty() || !known.get().uid().equals(desired.get().uid());
        boolean isBroken = known.isPresent() && !known.get().isPending() && !isFullyReserved(item);
        boolean isReranked =
                known.isPresent() && !known.get().rank().equals(desired.get().rank());
        if (isNew || isBroken || isReranked) {
            step.apply(new Fact.Put(desired.get()));
        }
    }

    private Optional<SchedulingRow.ItemRow> desiredRow(ItemId item) {
        return WorkItems.specOf(state, item, this::isAllocatedHere)
                .filter(desired -> state.coordination().isAssigned(item, desired.uid()))
                .map(desired -> SchedulingRow.ItemRow.created(
                        item, desired, state.count().allocations()));
    }

    private boolean isAllocatedHere(ResourceClaim claim) {
        return state.decidedAllocation(claim.meta().uid())
                .filter(decided -> decided.item().equals(ItemId.claim(claim.key())))
                .isPresent();
    }

    private boolean isFullyReserved(ItemId item) {
        return WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready && ready.isFullyReserved(state);
    }

    private SortedMap<Rank, ItemId> pendingTouched() {
        var pending = new TreeMap<Rank, ItemId>();
        touched.forEach(item -> state.item(item)
                .filter(SchedulingRow.ItemRow::isPending)
                .ifPresent(row -> pending.put(row.rank(), item)));
        return pending;
    }

    // ---- attempts
    // ---------------------------------------------------------------------------------------------------------

    /** @param hasAllocated whether a claim's status has a new allocation */
    private Set<Reason> triggered(Set<Reason.RetryTrigger> retryTriggers, boolean hasAllocated) {
        Set<Reason> reasons = QueueCursor.reasonsTriggeredBy(retryTriggers);
        if (hasAllocated) {
            reasons.addAll(PassBaseline.reasonsHelpedByAllocation(state));
        }
        return reasons;
    }

    /** Attempts items within the budget. Returns the namespace that had the last turn. */
    private String schedule(Set<Reason> triggered, SortedMap<Rank, ItemId> changed, PassBaseline before, String turn) {
        if (!state.unfinished().isEmpty()) {
            context.budget().reserveTurns();
        }
        passes.drain(triggered, changed, before);
        context.budget().releaseTurns();
        String last = passes.continueWork(turn);
        refresh();
        context.backlog().add(step.takeReasonsOfEndedWork());
        context.backlog().fact().ifPresent(step::apply);
        probes.answer();
        return last;
    }

    private boolean isTick() {
        return input.observation() instanceof Observation.Tick;
    }

    /**
     * A tick runs the slice that is due. A probe runs a pass so that its answer follows texts of the current state.
     */
    private void refresh() {
        Optional<RefreshPass> pass = isTick()
                ? RefreshPass.due(state, input.at(), context.budget())
                : probes.isDue() ? RefreshPass.restarted(state, input.at(), context.budget()) : Optional.empty();
        pass.ifPresent(passes::explain);
    }

    /** Drops the pass: all items are attempted again once all sources have synced. */
    private void dropRefresh() {
        state.row(SchedulingRow.RefreshRow.KEY).ifPresent(row -> step.apply(new Fact.Drop(row.key())));
    }

    // ---- end
    // --------------------------------------------------------------------------------------------------------------

    private void finish(String turn) {
        deleteExplanations();
        context.budget().row(turn).ifPresent(step::apply);
        if (step.areTextsOutdated()) {
            RefreshPass.scheduled(state, input.at()).forEach(step::apply);
        }
        step.apply(new Fact.Put(state.count().withOffset(input.offset())));
    }

    /** Deletes explanations of deleted items. One stays while its claims are allocated. */
    private void deleteExplanations() {
        List<ItemId> deleted = step.changedItems().stream()
                .filter(item -> state.item(item).isEmpty() && !state.hasAllocationFor(item))
                .toList();
        step.addOutputs(state.coordination().itemsDeleted(deleted));
    }
}
