package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.WorkMeter;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A complete allocator for a set of nodes, as a deterministic state machine.
 *
 * <p>Each input leads to facts, which are applied to the state when {@link #step} returns, and to outputs. Between two
 * inputs every item is allocated or pending with a reason. If the work budget ({@link WorkBudget}) is exhausted, rows
 * keep the unfinished work and {@link Observation.WorkSliceDue} resumes it.
 *
 * <p>Not thread-safe, except for {@link #evaluating}.
 */
public final class Cell {
    /** A probe is answered after this many slices even if work is unfinished. */
    private static final int PROBE_SLICES_MAX = 900;
    /** Units of work for each pending member of a gang in one attempt. */
    private static final long GANG_MEMBER = 50;

    private final State state;

    /** For the watchdog thread. Decisions do not depend on it. */
    private volatile Optional<ItemId> evaluating = Optional.empty();

    public Cell(State state) {
        this.state = state;
    }

    /** The state of the cell. */
    public State state() {
        return state;
    }

    /** The work item that is being evaluated; empty between inputs. Any thread may call this. */
    public Optional<ItemId> evaluating() {
        return evaluating;
    }

    /** Processes an input. An offset at or below the last applied one is a redelivery and has no effect. */
    public Step step(Input input) {
        if (input.offset() <= state.count().offset()) {
            return new Step(List.of(), List.of(), 0, 0, List.of());
        }
        try {
            return new SchedulingCycle(input).run();
        } finally {
            evaluating = Optional.empty();
        }
    }

    private final class SchedulingCycle {
        private final Input input;
        private final List<Fact> facts = new ArrayList<>();
        private final List<Output> outputs = new ArrayList<>();
        private final SortedSet<ItemId> touched = new TreeSet<>();
        private final NavigableSet<ItemId> changed = new TreeSet<>();
        private final Set<Reason.RetryTrigger> wakes = EnumSet.noneOf(Reason.RetryTrigger.class);
        private final InputWorkBudget budget;
        private final WorkSlices slices;
        private final PassBacklog backlog;
        private boolean hasOfferEnded;
        /**
         * Reasons of items whose unfinished work ended because they changed or were deleted. Equivalent items were
         * skipped for that work, so they are woken.
         */
        private final Set<Reason> reasonsOfEndedWork = EnumSet.noneOf(Reason.class);

        private boolean areTextsOutdated;
        private long steps;

        SchedulingCycle(Input input) {
            this.input = input;
            this.budget = new InputWorkBudget(state, input);
            this.slices = new WorkSlices(state, input, budget, this::apply);
            this.backlog = new PassBacklog(state.row(SchedulingRow.BacklogRow.KEY));
        }

        Step run() {
            boolean wasListed = state.isSynced();
            var before = new Baseline();
            StateChange change = ObservationReducer.of(state, input);
            var suspects = new AlarmCandidates();
            long devicesChanged =
                    change.facts.stream().mapToLong(this::devicesChanged).sum();
            change.facts.forEach(fact -> {
                suspects.add(state, fact);
                apply(List.of(fact), List.of());
            });
            if (devicesChanged > 0) {
                long devices = state.row(WorkBudgetRow.SliceChangesRow.KEY)
                                .map(WorkBudgetRow.SliceChangesRow::devices)
                                .orElse(0L)
                        + devicesChanged;
                apply(List.of(new Fact.Put(new WorkBudgetRow.SliceChangesRow(devices))), List.of());
            }
            outputs.addAll(change.outputs);
            if (!wasListed && state.isSynced()) {
                suspects.addAfterSync(state);
            }
            StateChange alarms = AlarmReconciler.of(state, suspects);
            apply(alarms.facts, alarms.outputs);
            wakes.addAll(change.wakes);
            touched.addAll(change.touched);
            touched.addAll(alarms.touched);
            revokeUnused(!wasListed);
            touched.forEach(this::sync);
            if (takeOfferEnded()) {
                wakes.add(Reason.RetryTrigger.CAPACITY);
            }
            if (before.hasMovedPods()) {
                wakes.add(Reason.RetryTrigger.PODS);
            }
            String turn = state.budget().turn();
            if (state.isSynced()) {
                if (!state.unfinished().isEmpty()) {
                    budget.reserveTurns();
                }
                drain(
                        wasListed ? woken(change.hasAllocated) : EnumSet.allOf(Reason.class),
                        wasListed ? changed() : new TreeMap<>(),
                        before);
                budget.releaseTurns();
                turn = continueWork(turn);
                refresh();
                backlog.add(takeReasonsOfEndedWork());
                backlog.fact().ifPresent(fact -> apply(List.of(fact), List.of()));
                answerProbes();
            } else if (isTick()) {
                dropRefresh();
            }
            if (!state.hasUnfinishedWork()) {
                state.planner().endSearches();
            }
            deleteExplanations();
            budget.row(turn).ifPresent(fact -> apply(List.of(fact), List.of()));
            if (areTextsOutdated) {
                apply(RefreshPass.scheduled(state, input.at()), List.of());
            }
            Row.CountRow count = state.count();
            apply(
                    List.of(new Fact.Put(new Row.CountRow(count.decisions(), count.allocations(), input.offset()))),
                    List.of());
            return new Step(facts, outputs, steps, budget.spent(), ignored(change));
        }

        /** The devices of a slice before and after its change. A slice without devices counts as one. */
        private long devicesChanged(Fact fact) {
            Optional<ResourceSlice> before =
                    slice(Optional.ofNullable(state.rows().get(fact.key())));
            Optional<ResourceSlice> after =
                    slice(fact instanceof Fact.Put put ? Optional.of(put.row()) : Optional.empty());
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
         * Runs only when synced: before that, a missing pod may just not be listed yet. After a sync all decided claims
         * are checked.
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
                apply(unused.facts, unused.outputs);
                touched.addAll(unused.touched);
            }
        }

        private List<IgnoredObservation> ignored(StateChange change) {
            return change
                    .ignored
                    .filter(_ ->
                            state.coordination().reportsIgnored(input.observation()))
                    .map(why -> new IgnoredObservation(input.observation(), why))
                    .stream()
                    .toList();
        }

        private void apply(List<? extends Fact> more, List<Output> moreOutputs) {
            more.forEach(fact -> {
                facts.add(fact);
                Row before = state.rows().get(fact.key());
                item(before).ifPresent(changed::add);
                areTextsOutdated |= !areTextsOutdated && RefreshPass.mayChangeTexts(Optional.ofNullable(before), fact);
                hasOfferEnded |= state.coordination().endsOffer(before, fact);
                Optional<SchedulingRow.ItemRow> worked = withWork(before);
                state.apply(fact);
                worked.filter(row -> !keepsReason(row))
                        .flatMap(SchedulingRow.ItemRow::reason)
                        .ifPresent(reasonsOfEndedWork::add);
                endedWork(before).ifPresent(ended -> {
                    facts.add(ended);
                    state.apply(ended);
                });
            });
            outputs.addAll(moreOutputs);
        }

        /**
         * The row of a pending item with unfinished work, if the item and its equivalents wait for devices of others.
         */
        private Optional<SchedulingRow.ItemRow> withWork(@Nullable Row row) {
            return row instanceof SchedulingRow.ItemRow item
                            && state.work(item.item()).isPresent()
                            && item.reason().filter(Reason::isDeviceContention).isPresent()
                    ? Optional.of(item)
                    : Optional.empty();
        }

        private boolean keepsReason(SchedulingRow.ItemRow before) {
            return state.item(before.item())
                    .filter(now -> now.reason().equals(before.reason()))
                    .isPresent();
        }

        private Set<Reason> takeReasonsOfEndedWork() {
            Set<Reason> taken = EnumSet.copyOf(reasonsOfEndedWork);
            reasonsOfEndedWork.clear();
            return taken;
        }

        /** Unfinished work ends when its item is allocated, deleted, or changes its rank. */
        private Optional<Fact> endedWork(@Nullable Row before) {
            return before instanceof SchedulingRow.ItemRow row
                    ? state.work(row.item())
                            .filter(work -> state.item(row.item())
                                    .filter(now -> now.isPending() && now.rank().equals(work.rank()))
                                    .isEmpty())
                            .map(work -> new Fact.Drop(work.key()))
                    : Optional.empty();
        }

        /** Whether an offer has ended since the last call. If so, another offer may take its place. */
        private boolean takeOfferEnded() {
            boolean isOver = hasOfferEnded;
            hasOfferEnded = false;
            return isOver;
        }

        private static Optional<ItemId> item(@Nullable Row row) {
            return switch (row) {
                case SchedulingRow.ItemRow item -> Optional.of(item.item());
                case ClaimRow.AllocationRow decided -> Optional.of(decided.item());
                case null, default -> Optional.empty();
            };
        }

        // ---- existing items
        // ---------------------------------------------------------------------------------------------

        /** Creates, replaces or deletes the item. It exists as long as its pod or claim needs an allocation. */
        private void sync(ItemId item) {
            Optional<SchedulingRow.ItemRow> known = state.item(item);
            Optional<SchedulingRow.ItemRow> desired = desiredRow(item);
            if (desired.isEmpty()) {
                known.ifPresent(row -> apply(List.of(new Fact.Drop(row.key())), List.of()));
                ItemResult end = state.coordination().endDeleted(item);
                apply(end.facts(), end.outputs());
                return;
            }
            boolean isNew =
                    known.isEmpty() || !known.get().uid().equals(desired.get().uid());
            boolean isBroken = known.isPresent() && !known.get().isPending() && !isFullyReserved(item);
            boolean isReranked = known.isPresent()
                    && !known.get().rank().equals(desired.get().rank());
            if (isNew || isBroken || isReranked) {
                apply(List.of(new Fact.Put(desired.get())), List.of());
            }
        }

        /**
         * Deletes explanations of deleted items. One stays while its claims are allocated. 
         */
        private void deleteExplanations() {
            outputs.addAll(state.coordination()
                    .itemsDeleted(changed.stream()
                            .filter(item -> state.item(item).isEmpty() && !state.hasAllocationFor(item))
                            .toList()));
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
            return WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready
                    && ready.isFullyReserved(state);
        }

        // ---- attempts
        // ---------------------------------------------------------------------------------------------------

        private SortedMap<Rank, ItemId> changed() {
            var changed = new TreeMap<Rank, ItemId>();
            touched.forEach(item ->
                    state.item(item).filter(SchedulingRow.ItemRow::isPending).ifPresent(row -> changed.put(row.rank(), item)));
            return changed;
        }

        private Set<Reason> woken(boolean isTaken) {
            Set<Reason> reasons = QueueCursor.reasonsWokenBy(wakes);
            if (isTaken) {
                reasons.addAll(reasonsHelpedByAllocation());
            }
            return reasons;
        }

        /** Snapshot of what other pending items depend on, taken before a pass. */
        private final class Baseline {
            private final SortedMap<String, Rank> earmarks = new TreeMap<>(state.earmarks());
            private final long allocations = state.count().allocations();
            private final long podMoves = state.podAffinity().changes();

            boolean hasMovedPods() {
                return state.podAffinity().changes() > podMoves;
            }

            boolean hasAllocated() {
                return state.count().allocations() > allocations;
            }

            /**
             * The reasons of items that may fit now.
             *
             * <p>Earmarked: an earmark was removed. InterPodConstraints: a pod moved. CAPACITY: an offer ended, so another may be
             * made. An allocation helps some, see {@link SchedulingCycle#reasonsHelpedByAllocation}.
             */
            Set<Reason> woken() {
                Set<Reason> reasons = EnumSet.noneOf(Reason.class);
                if (!state.earmarks().keySet().containsAll(earmarks.keySet())) {
                    reasons.add(Reason.Earmarked);
                }
                if (hasAllocated()) {
                    reasons.addAll(reasonsHelpedByAllocation());
                }
                if (hasMovedPods()) {
                    reasons.add(Reason.InterPodConstraints);
                }
                if (takeOfferEnded()) {
                    reasons.addAll(QueueCursor.reasonsWokenBy(EnumSet.of(Reason.RetryTrigger.CAPACITY)));
                }
                reasons.addAll(takeReasonsOfEndedWork());
                return reasons;
            }
        }

        // ---- renewing explanations
        // ---------------------------------------------------------------------------------------------

        private boolean isTick() {
            return input.observation() instanceof Observation.Tick;
        }

        /**
         * A tick runs the slice that is due. A probe runs a pass so that its answer follows texts of the current state.
         */
        private void refresh() {
            Optional<RefreshPass> pass = isTick()
                    ? RefreshPass.due(state, input.at(), budget)
                    : isProbeDue() ? RefreshPass.restarted(state, input.at(), budget) : Optional.empty();
            pass.ifPresent(this::explain);
        }

        /** Attempts the items of a slice, then other items that its allocations may help. */
        private void explain(RefreshPass pass) {
            var before = new Baseline();
            var allocator = new ItemAllocator(state, input.at(), new TreeSet<>(), TextPolicy.REPLACE);
            slices.beginPass();
            var gangs = new GangAllocator(allocator, TextPolicy.REPLACE);
            List<ItemId> undecided = new ArrayList<>();
            for (var next = pass.next(); next.isPresent(); next = pass.next()) {
                next.filter(item -> !gangs.isDone(item, WorkSlices.AttemptTrigger.REFRESH))
                        .ifPresent(item -> {
                            tryAllocate(item, allocator, WorkSlices.AttemptTrigger.REFRESH);
                            if (isUndecided(item)) {
                                undecided.add(item);
                            }
                        });
                if (slices.isTextKept()) {
                    pass.except(withGang(next.get()));
                }
            }
            undecided.forEach(item -> tryAllocateThoroughly(item, allocator, WorkSlices.AttemptTrigger.WOKEN));
            if (before.hasAllocated()) {
                earmark();
            }
            Set<Reason> woken = before.woken();
            if (!woken.isEmpty()) {
                drain(woken, new TreeMap<>(), new Baseline());
            }
            StateChange rest = pass.end(input.at());
            apply(rest.facts, rest.outputs);
        }

        private List<ItemId> withGang(ItemId item) {
            return Gang.of(state, item)
                    .map(gang -> gang.pending().stream().map(SchedulingRow.ItemRow::item).toList())
                    .orElseGet(() -> List.of(item));
        }

        /** Drops the pass: all items are attempted again once all sources have synced. */
        private void dropRefresh() {
            state.row(SchedulingRow.RefreshRow.KEY).ifPresent(row -> apply(List.of(new Fact.Drop(row.key())), List.of()));
        }

        /**
         * Whether an attempt may only renew texts. True for a refresh while older items of an unfinished pass are still
         * due.
         */
        private boolean isTextAlone(WorkSlices.AttemptTrigger trigger) {
            return trigger == WorkSlices.AttemptTrigger.REFRESH && !backlog.isEmpty();
        }

        /**
         * Attempts changed and woken items, and repeats for items that those attempts wake.
         *
         * <p>Only a work slice continues a pass that an earlier input left unfinished.
         */
        private void drain(Set<Reason> woken, SortedMap<Rank, ItemId> changed, Baseline since) {
            boolean passes = backlog.isEmpty() || budget.isSlice();
            backlog.add(woken);
            Baseline before = since;
            SortedMap<Rank, ItemId> items = changed;
            do {
                QueueCursor cursor = passes
                        ? backlog.cursor(state.queue(), items)
                        : QueueCursor.of(state.queue(), EnumSet.noneOf(Reason.class), items, Optional.empty());
                boolean isFinished = tryAllocate(cursor);
                if (passes) {
                    if (isFinished) {
                        backlog.finish();
                    } else {
                        backlog.stopAt(cursor);
                    }
                }
                backlog.add(before.woken());
                before = new Baseline();
                items = new TreeMap<>();
            } while (passes && !backlog.isEmpty() && !budget.isExhausted());
        }

        /** In a work slice, runs the namespaces with unfinished work in turn. Returns the last of them. */
        private String continueWork(String turn) {
            String last = turn;
            if (budget.isSlice()) {
                for (int turns = state.unfinished().size(); turns > 0 && !budget.isExhausted(); turns--) {
                    Optional<String> namespace = slices.namespaceAfter(last);
                    if (namespace.isEmpty()) {
                        break;
                    }
                    last = namespace.get();
                    continueNamespace(last);
                }
            }
            return last;
        }

        /** Continues the items of a namespace in queue order, as long as each of them is finished. */
        private void continueNamespace(String namespace) {
            Optional<ItemId> next = slices.first(namespace);
            while (next.isPresent() && !budget.isExhausted()) {
                ItemId item = next.get();
                var before = new Baseline();
                Optional<Reason> reason = state.item(item).flatMap(SchedulingRow.ItemRow::reason);
                slices.beginPass();
                var allocator = new ItemAllocator(state, input.at(), new TreeSet<>(), TextPolicy.KEEP);
                if (!new GangAllocator(allocator, TextPolicy.KEEP).isDone(item, WorkSlices.AttemptTrigger.TURN)) {
                    tryAllocateInTurn(item, allocator);
                }
                if (before.hasAllocated()) {
                    earmark();
                    Set<Reason> woken = before.woken();
                    reason.filter(Reason::isDeviceContention).ifPresent(woken::add); // equivalent items were skipped
                    drain(woken, new TreeMap<>(), new Baseline());
                }
                next = state.work(item).isPresent() ? Optional.empty() : slices.first(namespace);
            }
        }

        private void tryAllocateInTurn(ItemId item, ItemAllocator allocator) {
            if (isUndecided(item)) {
                tryAllocateThoroughly(item, allocator, WorkSlices.AttemptTrigger.TURN);
            } else {
                tryAllocate(item, allocator, WorkSlices.AttemptTrigger.TURN);
                if (isUndecided(item)) {
                    tryAllocateThoroughly(item, allocator, WorkSlices.AttemptTrigger.TURN);
                }
            }
        }

        /**
         * The reasons of items that another item's allocation can help.
         *
         * <p>SelectorError: a selector is not evaluated on a device in use. If node-allocatable resources are enabled,
         * other devices that use less of their node may be chosen.
         */
        private Set<Reason> reasonsHelpedByAllocation() {
            return new NodeResourceAccounting(state).isEnabled()
                    ? EnumSet.of(Reason.SelectorError, Reason.NodeFull, Reason.NodeResourcesUnknown)
                    : EnumSet.of(Reason.SelectorError);
        }

        /** Attempts the items of a cursor within the budget. Returns whether all of them were attempted. */
        private boolean tryAllocate(QueueCursor cursor) {
            var before = new Baseline();
            var allocator = new ItemAllocator(state, input.at(), touched, TextPolicy.KEEP);
            touched.clear();
            slices.beginPass();
            List<ItemId> undecided = new ArrayList<>();
            var gangs = new GangAllocator(allocator, TextPolicy.KEEP);
            boolean isFinished = false;
            while (!isFinished && !budget.isExhausted()) {
                Optional<ItemId> next = cursor.next();
                isFinished = next.isEmpty();
                var trigger =
                        cursor.isLastChanged() ? WorkSlices.AttemptTrigger.CHANGED : WorkSlices.AttemptTrigger.WOKEN;
                next.filter(item -> !gangs.isDone(item, trigger)).ifPresent(item -> {
                    tryAllocate(item, allocator, trigger);
                    if (isUndecided(item)) {
                        undecided.add(item);
                    }
                });
            }
            isFinished |= cursor.isExhausted();
            cursor.remainingChanged().stream()
                    .filter(item -> !gangs.isPostponed(item))
                    .forEach(item -> postpone(item, allocator));
            undecided.forEach(item -> tryAllocateThoroughly(item, allocator, WorkSlices.AttemptTrigger.WOKEN));
            if (before.hasAllocated()) {
                earmark();
            }
            return isFinished;
        }

        /** Attempts one item within the budget. */
        private void tryAllocate(ItemId item, ItemAllocator allocator, WorkSlices.AttemptTrigger trigger) {
            evaluating = Optional.of(item);
            SchedulingRow.ItemRow row = state.item(item).orElseThrow();
            WorkItemAssembly assembly = WorkItemAssembly.of(state, item);
            boolean isDeferred = assembly instanceof WorkItemAssembly.Ready ready
                    && !allocator.isSettled(row, ready)
                    && (slices.isSkipped(row, ready, trigger, allocator)
                            || !slices.evaluate(row, ready, trigger, allocator));
            if (!isDeferred) {
                slices.runMetered(row, trigger, allocator, meter -> {
                    ItemResult result = allocator.tryAllocate(row, assembly, meter);
                    if (apply(row, result, trigger)) {
                        result.failedShape().ifPresent(shape -> joinEquivalent(item, shape));
                    }
                });
            }
        }

        private void postpone(ItemId item, ItemAllocator allocator) {
            SchedulingRow.ItemRow row = state.item(item).orElseThrow();
            if (WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready
                    && !allocator.isSettled(row, ready)) {
                slices.postpone(row, ready, allocator);
            } else {
                tryAllocate(item, allocator, WorkSlices.AttemptTrigger.CHANGED);
            }
        }

        private void tryAllocateThoroughly(ItemId item, ItemAllocator allocator, WorkSlices.AttemptTrigger trigger) {
            evaluating = Optional.of(item);
            SchedulingRow.ItemRow row = state.item(item).orElseThrow();
            slices.runMetered(row, trigger, allocator, meter -> apply(allocator.tryAllocateThoroughly(row, meter)));
        }

        /** Updates the earmark. If the budget is exhausted, the next allocation triggers it again. */
        private void earmark() {
            var meter = new WorkMeter(budget.remaining(), state.chargedWork());
            try {
                new EarmarkPolicy(state, meter).earmark().ifPresent(fact -> apply(List.of(fact), List.of()));
            } catch (WorkMeter.ExhaustedException e) {
                budget.spend(budget.remaining());
                return;
            }
            budget.spend(meter.spent());
        }

        /** Allocates gangs all or nothing. Each gang is tried once per pass. */
        private final class GangAllocator {
            private final ItemAllocator deciding;
            private final TextPolicy texts;
            private final Set<ObjectKey> tried = new TreeSet<>();
            /** Gangs that were tried and are still incomplete. Only a change outside of the pass can complete them. */
            private final Set<ObjectKey> incomplete = new TreeSet<>();

            GangAllocator(ItemAllocator allocator, TextPolicy texts) {
                this.deciding = allocator;
                this.texts = texts;
            }

            /** Whether the item needs no attempt of its own, because its gang was handled. */
            boolean isDone(ItemId item, WorkSlices.AttemptTrigger trigger) {
                if (Gang.group(state, item).filter(incomplete::contains).isPresent()) {
                    return true;
                }
                Optional<Gang> gang = Gang.of(state, item);
                gang.map(each -> each.group().key()).filter(tried::add).ifPresent(group -> {
                    tryAllocate(gang.get(), trigger);
                    if (Gang.of(state, item).isPresent()) {
                        incomplete.add(group);
                    }
                });
                return gang.isPresent()
                        || state.item(item).filter(SchedulingRow.ItemRow::isPending).isEmpty();
            }

            /** Whether an item belongs to a gang. The unfinished work of a gang continues as one item. */
            boolean isPostponed(ItemId item) {
                Optional<Gang> gang = Gang.of(state, item);
                gang.filter(each -> !each.pending().isEmpty())
                        .filter(each -> tried.add(each.group().key()))
                        .ifPresent(this::postpone);
                return gang.isPresent();
            }

            private void postpone(Gang gang) {
                SchedulingRow.ItemRow first = worker(gang);
                if (!(WorkItemAssembly.of(state, first.item()) instanceof WorkItemAssembly.Ready)) {
                    tryAllocate(
                            gang,
                            WorkSlices.AttemptTrigger.CHANGED); // every member lacks an object and gets that reason
                    return;
                }
                endOthers(gang, first);
                SchedulingCycle.this.postpone(first.item(), deciding);
                explainNew(gang, first);
            }

            private void explainNew(Gang gang, SchedulingRow.ItemRow worker) {
                for (SchedulingRow.ItemRow row : gang.pending()) {
                    if (!row.equals(worker)
                            && WorkSlices.isNew(row)
                            && WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready) {
                        SchedulingCycle.this.apply(deciding.reportUnfinished(
                                row, ready, "not evaluated yet: the pods of its group are evaluated together"));
                    }
                }
            }

            /** The member that carries the work of a gang: the first one that lacks no object. */
            private SchedulingRow.ItemRow worker(Gang gang) {
                return gang.pending().stream()
                        .filter(row -> WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready)
                        .findFirst()
                        .orElseGet(() -> gang.pending().getFirst());
            }

            /** Ends the work of other members. They may have been items of their own, or an earlier first member. */
            private void endOthers(Gang gang, SchedulingRow.ItemRow worker) {
                gang.pending().stream()
                        .map(SchedulingRow.ItemRow::item)
                        .filter(item -> !item.equals(worker.item()))
                        .forEach(slices::end);
            }

            private void tryAllocate(Gang gang, WorkSlices.AttemptTrigger trigger) {
                if (gang.pending().isEmpty()) {
                    return;
                }
                SchedulingRow.ItemRow first = worker(gang);
                if (trigger != WorkSlices.AttemptTrigger.REFRESH) {
                    endOthers(gang, first);
                }
                boolean isPassedOver = trigger != WorkSlices.AttemptTrigger.TURN
                        && state.work(first.item()).isPresent();
                if (isPassedOver && trigger != WorkSlices.AttemptTrigger.REFRESH) {
                    explainNew(gang, first);
                }
                if (!isPassedOver && evaluate(gang, first, trigger)) {
                    slices.runMetered(first, trigger, deciding, meter -> tryAllocate(gang, meter, trigger));
                }
            }

            private boolean evaluate(Gang gang, SchedulingRow.ItemRow first, WorkSlices.AttemptTrigger trigger) {
                for (SchedulingRow.ItemRow row : gang.pending()) {
                    if (WorkItemAssembly.of(state, row.item()) instanceof WorkItemAssembly.Ready ready
                            && !deciding.isSettled(row, ready)
                            && !slices.evaluate(first, ready, trigger, deciding)) {
                        return false;
                    }
                }
                return true;
            }

            private void tryAllocate(Gang gang, WorkMeter meter, WorkSlices.AttemptTrigger trigger) {
                meter.charge(GANG_MEMBER * gang.pending().size());
                if (gang.pending().size() < gang.missing()) {
                    explain(gang, gang.tooFewPods(), texts, trigger);
                    return;
                }
                var speculative = new SpeculativeFacts(state);
                try {
                    attempt(gang, speculative, meter, trigger);
                } catch (WorkMeter.ExhaustedException e) {
                    speculative.rollBack();
                    throw e;
                }
            }

            private void attempt(
                    Gang gang, SpeculativeFacts speculative, WorkMeter meter, WorkSlices.AttemptTrigger trigger) {
                var trialAllocator = new ItemAllocator(state, input.at(), new TreeSet<>(), TextPolicy.KEEP);
                List<SchedulingRow.ItemRow> missed = new ArrayList<>();
                List<ItemId> deallocated = new ArrayList<>();
                for (SchedulingRow.ItemRow row : gang.pending()) {
                    evaluating = Optional.of(row.item());
                    ItemResult result = trialAllocator.tryAllocate(
                            state.item(row.item()).orElseThrow(), WorkItemAssembly.of(state, row.item()), meter);
                    steps += result.steps();
                    speculative.apply(result.facts(), result.outputs());
                    if (result.isDeallocation()) {
                        deallocated.add(row.item());
                    }
                    state.item(row.item()).filter(SchedulingRow.ItemRow::isPending).ifPresent(missed::add);
                }
                int fitting = gang.pending().size() - missed.size();
                if (fitting >= gang.missing() && isTextAlone(trigger)) {
                    speculative.rollBack();
                } else if (fitting >= gang.missing()) {
                    commit(speculative);
                } else {
                    speculative.rollBack();
                    if (!isTextAlone(trigger)) {
                        deallocated.forEach(this::deallocate);
                    }
                    TextPolicy which = isChanged(gang) ? TextPolicy.REPLACE : texts;
                    explain(gang, gang.tooFewFit(fitting, missed.getFirst()), which, trigger);
                }
            }

            /** Decides a deallocation for one pod of a gang. If one pod has no node, the gang cannot start. */
            private void deallocate(ItemId item) {
                SchedulingRow.ItemRow row = state.item(item).orElseThrow();
                // the speculative attempt has already charged this work
                ItemResult result = new ItemAllocator(state, input.at(), new TreeSet<>(), TextPolicy.KEEP)
                        .tryAllocate(row, WorkItemAssembly.of(state, item), WorkMeter.unlimited());
                if (result.isDeallocation()) {
                    SchedulingCycle.this.apply(result);
                }
            }

            private void commit(SpeculativeFacts speculative) {
                speculative.rollBack();
                apply(speculative.facts(), speculative.outputs());
            }

            /** Whether a pod of the gang was added or changed. Then all of its pods get the new text. */
            private boolean isChanged(Gang gang) {
                return gang.pending().stream().anyMatch(row -> deciding.isTouched(row.item()));
            }

            private void explain(
                    Gang gang,
                    AllocationPlan.PendingDiagnosis diagnosis,
                    TextPolicy which,
                    WorkSlices.AttemptTrigger trigger) {
                gang.pending()
                        .forEach(row -> SchedulingCycle.this.apply(
                                row, deciding.reportPending(row, diagnosis, which), trigger));
            }
        }

        /**
         * Adds an item to its equivalence class, so that one attempt covers the class.
         *
         * <p>An earmarked node is closed to all later ranks, so the class stays correct. Items with node-allocatable
         * accounting are excluded: their use of a node depends on more than rows.
         */
        private void joinEquivalent(ItemId item, ItemShape shape) {
            if (shape.accounting().isEmpty()) {
                state.item(item)
                        .filter(row ->
                                row.reason().filter(Reason::isDeviceContention).isPresent())
                        .ifPresent(row -> state.queue().join(row, shape));
            }
        }

        private boolean isUndecided(ItemId item) {
            return state.item(item)
                    .filter(row -> row.reason().equals(Optional.of(Reason.SearchBudgetExhausted)) && !row.thorough())
                    .isPresent();
        }

        /** Applies the result of an attempt, unless only texts may change. Returns whether it was applied. */
        private boolean apply(SchedulingRow.ItemRow row, ItemResult result, WorkSlices.AttemptTrigger trigger) {
            if (isTextAlone(trigger) && !result.keepsReason(row)) {
                steps += result.steps();
                slices.keepText();
                return false;
            }
            apply(result);
            return true;
        }

        private void apply(ItemResult result) {
            steps += result.steps();
            apply(result.facts(), result.outputs());
        }

        /** Answers complete probes when no work is unfinished, or after {@link Cell#PROBE_SLICES_MAX} slices. */
        private void answerProbes() {
            List<Row> pending = List.copyOf(state.rows(Row.ProbeRow.ALL));
            for (Row row : pending) {
                if (row instanceof Row.ProbeRow probe && isComplete(probe)) {
                    if (!state.hasUnfinishedWork() || probe.slices() >= PROBE_SLICES_MAX) {
                        apply(List.of(new Fact.Drop(probe.key())), List.of(answer(probe)));
                    } else if (budget.isSlice()) {
                        apply(List.of(new Fact.Put(probe.afterSlice())), List.of());
                    }
                }
            }
        }

        /** Whether a probe is about to be answered. */
        private boolean isProbeDue() {
            boolean isFinished = state.unfinished().isEmpty() && backlog.isEmpty();
            return state.rows(Row.ProbeRow.ALL).stream()
                    .anyMatch(row -> row instanceof Row.ProbeRow probe
                            && isComplete(probe)
                            && (isFinished || probe.slices() >= PROBE_SLICES_MAX));
        }

        private static boolean isComplete(Row.ProbeRow probe) {
            return probe.arrivedPartitions().size() >= probe.partitions();
        }

        private Output answer(Row.ProbeRow probe) {
            int items = state.rows(SchedulingRow.ItemRow.ALL).size();
            int pending = state.pending().size();
            return state.coordination().probeAnswer(probe.id(), items - pending, pending);
        }
    }
}
