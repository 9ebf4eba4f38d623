package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Plan;
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
 * keep the unfinished work and {@link Observation.Continue} resumes it.
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
            return new Turn(input).run();
        } finally {
            evaluating = Optional.empty();
        }
    }

    private final class Turn {
        private final Input input;
        private final List<Fact> facts = new ArrayList<>();
        private final List<Output> outputs = new ArrayList<>();
        private final SortedSet<ItemId> touched = new TreeSet<>();
        private final NavigableSet<ItemId> changed = new TreeSet<>();
        private final Set<Reason.Wake> wakes = EnumSet.noneOf(Reason.Wake.class);
        private final Allowance allowance;
        private final WorkSlices slices;
        private final Backlog backlog;
        private boolean isOfferOver;
        /**
         * Reasons of items whose unfinished work ended because they changed or were deleted. Equivalent items were
         * skipped for that work, so they are woken.
         */
        private final Set<Reason> reasonsOfEndedWork = EnumSet.noneOf(Reason.class);

        private boolean areTextsOutdated;
        private long steps;

        Turn(Input input) {
            this.input = input;
            this.allowance = new Allowance(state, input);
            this.slices = new WorkSlices(state, input, allowance, this::take);
            this.backlog = new Backlog(state.backlog());
        }

        Step run() {
            boolean wasListed = state.isListed();
            var before = new Baseline();
            Change change = Observing.of(state, input);
            var suspects = new Suspects();
            long devicesChanged =
                    change.facts.stream().mapToLong(this::devicesChanged).sum();
            change.facts.forEach(fact -> {
                suspects.note(state, fact);
                take(List.of(fact), List.of());
            });
            if (devicesChanged > 0) {
                long devices = state.devicesChanged() + devicesChanged;
                take(List.of(new Fact.Put(new Row.SlicesRow(devices))), List.of());
            }
            outputs.addAll(change.outputs);
            if (!wasListed && state.isListed()) {
                suspects.noteListed(state);
            }
            Change alarms = Alarms.of(state, suspects);
            take(alarms.facts, alarms.outputs);
            wakes.addAll(change.wakes);
            touched.addAll(change.touched);
            touched.addAll(alarms.touched);
            revokeUnused(!wasListed);
            touched.forEach(this::sync);
            if (takeOfferOver()) {
                wakes.add(Reason.Wake.CAPACITY);
            }
            if (before.isMoved()) {
                wakes.add(Reason.Wake.NEIGHBOURS);
            }
            String turn = state.budget().turn();
            if (state.isListed()) {
                if (!state.unfinished().isEmpty()) {
                    allowance.keepTurns();
                }
                drain(
                        wasListed ? woken(change.takes) : EnumSet.allOf(Reason.class),
                        wasListed ? changed() : new TreeMap<>(),
                        before);
                allowance.releaseTurns();
                turn = goOn(turn);
                refresh();
                backlog.add(takeReasonsOfEndedWork());
                backlog.fact().ifPresent(fact -> take(List.of(fact), List.of()));
                answerProbes();
            } else if (isTick()) {
                dropRefresh();
            }
            if (!state.isWorkUnfinished()) {
                state.planner().endSearches();
            }
            forgetExplanations();
            allowance.row(turn).ifPresent(fact -> take(List.of(fact), List.of()));
            if (areTextsOutdated) {
                take(RefreshPass.ordered(state, input.at()), List.of());
            }
            Row.CountRow count = state.count();
            take(List.of(new Fact.Put(new Row.CountRow(count.decisions(), count.grants(), input.offset()))), List.of());
            return new Step(facts, outputs, steps, allowance.spent(), ignored(change));
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
            return row.filter(each -> each instanceof Row.ObjectRow object && object.kind() == Kind.RESOURCE_SLICE)
                    .flatMap(each -> ((Row.ObjectRow) each).content())
                    .map(ResourceSlice.class::cast);
        }

        /**
         * Runs only when synced: before that, a missing pod may just not be listed yet. After a sync all decided claims
         * are checked.
         */
        private void revokeUnused(boolean isAfterList) {
            if (state.isListed()) {
                Change unused = Consumers.revoked(
                        state,
                        isAfterList
                                ? Consumers.ofGrants(state)
                                : touched.stream()
                                        .filter(item -> item.sort() == ItemId.Sort.CLAIM)
                                        .map(ItemId::key)
                                        .toList());
                take(unused.facts, unused.outputs);
                touched.addAll(unused.touched);
            }
        }

        /** With several cells the router reports ignored observations, except for commit outcomes. */
        private List<Ignored> ignored(Change change) {
            return change
                    .ignored
                    .filter(_ -> state.place().isAlone() || input.what() instanceof Observation.Carried)
                    .map(why -> new Ignored(input.what(), why))
                    .stream()
                    .toList();
        }

        private void take(List<? extends Fact> more, List<Output> moreOutputs) {
            more.forEach(fact -> {
                facts.add(fact);
                Row before = state.rows().get(fact.key());
                item(before).ifPresent(changed::add);
                areTextsOutdated |= !areTextsOutdated && RefreshPass.concerns(Optional.ofNullable(before), fact);
                isOfferOver |= Lending.isOfferOver(before, fact);
                Optional<Row.ItemRow> worked = withWork(before);
                state.apply(fact);
                worked.filter(row -> !keepsReason(row))
                        .flatMap(Row.ItemRow::reason)
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
        private Optional<Row.ItemRow> withWork(@Nullable Row row) {
            return row instanceof Row.ItemRow item
                            && state.work(item.item()).isPresent()
                            && item.reason().filter(Reason::isForOthers).isPresent()
                    ? Optional.of(item)
                    : Optional.empty();
        }

        private boolean keepsReason(Row.ItemRow before) {
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
            return before instanceof Row.ItemRow row
                    ? state.work(row.item())
                            .filter(work -> state.item(row.item())
                                    .filter(now -> now.waits() && now.rank().equals(work.rank()))
                                    .isEmpty())
                            .map(work -> new Fact.Drop(work.key()))
                    : Optional.empty();
        }

        /** Whether an offer has ended since the last call. If so, another offer may take its place. */
        private boolean takeOfferOver() {
            boolean isOver = isOfferOver;
            isOfferOver = false;
            return isOver;
        }

        private static Optional<ItemId> item(@Nullable Row row) {
            return switch (row) {
                case Row.ItemRow item -> Optional.of(item.item());
                case Row.GrantRow grant -> Optional.of(grant.item());
                case null, default -> Optional.empty();
            };
        }

        // ---- existing items
        // ---------------------------------------------------------------------------------------------

        /** Creates, replaces or deletes the item. It exists as long as its pod or claim needs an allocation. */
        private void sync(ItemId item) {
            Optional<Row.ItemRow> known = state.item(item);
            Optional<Row.ItemRow> wanted = wanted(item);
            if (wanted.isEmpty()) {
                known.ifPresent(row -> take(List.of(new Fact.Drop(row.key())), List.of()));
                state.lease(item).ifPresent(this::endLease);
                return;
            }
            boolean isNew =
                    known.isEmpty() || !known.get().uid().equals(wanted.get().uid());
            boolean isBroken = known.isPresent() && !known.get().waits() && !hasEverything(item);
            boolean isReranked =
                    known.isPresent() && !known.get().rank().equals(wanted.get().rank());
            if (isNew || isBroken || isReranked) {
                take(List.of(new Fact.Put(wanted.get())), List.of());
            }
        }

        /**
         * Deletes explanations of deleted items. One stays while its claims are allocated. With several cells the
         * router does this.
         */
        private void forgetExplanations() {
            if (state.place().isAlone()) {
                changed.stream()
                        .filter(item -> state.item(item).isEmpty() && !state.isHeldFor(item))
                        .forEach(item -> outputs.add(new Output.Forgotten(item)));
            }
        }

        private void endLease(Row.LeaseRow lease) {
            List<Output> told = lease.here()
                    ? List.of(new Output.ToRouter(new Verdict.Dropped(lease.item(), lease.attempt())))
                    : List.of();
            take(List.of(new Fact.Drop(lease.key())), told);
        }

        private Optional<Row.ItemRow> wanted(ItemId item) {
            return Items.wanted(state, item, this::isOurs)
                    .filter(wanted -> state.place().isAlone()
                            || state.lease(item)
                                    .filter(lease -> lease.uid().equals(wanted.uid()))
                                    .isPresent())
                    .map(wanted -> fresh(item, wanted.uid(), wanted.rank()));
        }

        private boolean isOurs(ResourceClaim claim) {
            return state.grant(claim.meta().uid())
                    .filter(grant -> grant.item().equals(ItemId.claim(claim.key())))
                    .isPresent();
        }

        private Row.ItemRow fresh(ItemId item, String uid, Rank rank) {
            return new Row.ItemRow(
                    item,
                    uid,
                    rank,
                    Optional.of(Reason.SourcesNotListed),
                    "not every source has listed what it has",
                    state.count().grants(),
                    Optional.empty(),
                    false,
                    0);
        }

        private boolean hasEverything(ItemId item) {
            return Assembly.of(state, item) instanceof Assembly.Ready ready && ready.hasEverything(state);
        }

        // ---- attempts
        // ---------------------------------------------------------------------------------------------------

        private SortedMap<Rank, ItemId> changed() {
            var changed = new TreeMap<Rank, ItemId>();
            touched.forEach(item ->
                    state.item(item).filter(Row.ItemRow::waits).ifPresent(row -> changed.put(row.rank(), item)));
            return changed;
        }

        private Set<Reason> woken(boolean isTaken) {
            Set<Reason> reasons = Round.wokenBy(wakes);
            if (isTaken) {
                reasons.addAll(helpedByLess());
            }
            return reasons;
        }

        /** Snapshot of what other pending items depend on, taken before a pass. */
        private final class Baseline {
            private final SortedMap<String, Rank> kept = new TreeMap<>(state.earmarks());
            private final long grants = state.count().grants();
            private final long moved = state.neighbours().changes();

            boolean isMoved() {
                return state.neighbours().changes() > moved;
            }

            boolean isGranted() {
                return state.count().grants() > grants;
            }

            /**
             * The reasons of items that may fit now.
             *
             * <p>Earmarked: an earmark was removed. OtherPods: a pod moved. CAPACITY: an offer ended, so another may be
             * made. An allocation helps some, see {@link Turn#helpedByLess}.
             */
            Set<Reason> woken() {
                Set<Reason> reasons = EnumSet.noneOf(Reason.class);
                if (!state.earmarks().keySet().containsAll(kept.keySet())) {
                    reasons.add(Reason.Earmarked);
                }
                if (isGranted()) {
                    reasons.addAll(helpedByLess());
                }
                if (isMoved()) {
                    reasons.add(Reason.OtherPods);
                }
                if (takeOfferOver()) {
                    reasons.addAll(Round.wokenBy(EnumSet.of(Reason.Wake.CAPACITY)));
                }
                reasons.addAll(takeReasonsOfEndedWork());
                return reasons;
            }
        }

        // ---- renewing explanations
        // ---------------------------------------------------------------------------------------------

        private boolean isTick() {
            return input.what() instanceof Observation.Tick;
        }

        /**
         * A tick runs the slice that is due. A probe runs a pass so that its answer follows texts of the current state.
         */
        private void refresh() {
            Optional<RefreshPass> pass = isTick()
                    ? RefreshPass.due(state, input.at(), allowance)
                    : isProbeDue() ? RefreshPass.now(state, input.at(), allowance) : Optional.empty();
            pass.ifPresent(this::explain);
        }

        /** Attempts the items of a slice, then other items that its allocations may help. */
        private void explain(RefreshPass pass) {
            var before = new Baseline();
            var deciding = new Deciding(state, input.at(), new TreeSet<>(), TextPolicy.REPLACE);
            slices.beginRound();
            var gangs = new Gangs(deciding, TextPolicy.REPLACE);
            List<ItemId> undecided = new ArrayList<>();
            for (var next = pass.next(); next.isPresent(); next = pass.next()) {
                next.filter(item -> !gangs.isDone(item, WorkSlices.Occasion.REFRESH))
                        .ifPresent(item -> {
                            look(item, deciding, WorkSlices.Occasion.REFRESH);
                            if (isUndecided(item)) {
                                undecided.add(item);
                            }
                        });
                if (slices.isTextKept()) {
                    pass.except(withGang(next.get()));
                }
            }
            undecided.forEach(item -> lookThoroughly(item, deciding, WorkSlices.Occasion.WOKEN));
            if (before.isGranted()) {
                earmark();
            }
            Set<Reason> woken = before.woken();
            if (!woken.isEmpty()) {
                drain(woken, new TreeMap<>(), new Baseline());
            }
            Change rest = pass.end(input.at());
            take(rest.facts, rest.outputs);
        }

        private List<ItemId> withGang(ItemId item) {
            return Gang.of(state, item)
                    .map(gang -> gang.waiting().stream().map(Row.ItemRow::item).toList())
                    .orElseGet(() -> List.of(item));
        }

        /** Drops the pass: all items are attempted again once all sources have synced. */
        private void dropRefresh() {
            state.refresh().ifPresent(row -> take(List.of(new Fact.Drop(row.key())), List.of()));
        }

        /**
         * Whether an attempt may only renew texts. True for a refresh while older items of an unfinished pass are still
         * due.
         */
        private boolean isTextAlone(WorkSlices.Occasion occasion) {
            return occasion == WorkSlices.Occasion.REFRESH && !backlog.isEmpty();
        }

        /**
         * Attempts changed and woken items, and repeats for items that those attempts wake.
         *
         * <p>Only a work slice continues a pass that an earlier input left unfinished.
         */
        private void drain(Set<Reason> woken, SortedMap<Rank, ItemId> changed, Baseline since) {
            boolean passes = backlog.isEmpty() || allowance.isSlice();
            backlog.add(woken);
            Baseline before = since;
            SortedMap<Rank, ItemId> items = changed;
            do {
                Round round = passes
                        ? backlog.round(state.queue(), items)
                        : Round.of(state.queue(), EnumSet.noneOf(Reason.class), items, Optional.empty());
                boolean isFinished = look(round);
                if (passes) {
                    if (isFinished) {
                        backlog.finish();
                    } else {
                        backlog.stopAt(round);
                    }
                }
                backlog.add(before.woken());
                before = new Baseline();
                items = new TreeMap<>();
            } while (passes && !backlog.isEmpty() && !allowance.isSpent());
        }

        /** In a work slice, runs the namespaces with unfinished work in turn. Returns the last of them. */
        private String goOn(String turn) {
            String last = turn;
            if (allowance.isSlice()) {
                for (int turns = state.unfinished().size(); turns > 0 && !allowance.isSpent(); turns--) {
                    Optional<String> namespace = slices.turnAfter(last);
                    if (namespace.isEmpty()) {
                        break;
                    }
                    last = namespace.get();
                    goOnWith(last);
                }
            }
            return last;
        }

        /** Continues the items of a namespace in queue order, as long as each of them is finished. */
        private void goOnWith(String namespace) {
            Optional<ItemId> next = slices.first(namespace);
            while (next.isPresent() && !allowance.isSpent()) {
                ItemId item = next.get();
                var before = new Baseline();
                Optional<Reason> reason = state.item(item).flatMap(Row.ItemRow::reason);
                slices.beginRound();
                var deciding = new Deciding(state, input.at(), new TreeSet<>(), TextPolicy.KEEP);
                if (!new Gangs(deciding, TextPolicy.KEEP).isDone(item, WorkSlices.Occasion.TURN)) {
                    lookInTurn(item, deciding);
                }
                if (before.isGranted()) {
                    earmark();
                    Set<Reason> woken = before.woken();
                    reason.filter(Reason::isForOthers).ifPresent(woken::add); // equivalent items were skipped
                    drain(woken, new TreeMap<>(), new Baseline());
                }
                next = state.work(item).isPresent() ? Optional.empty() : slices.first(namespace);
            }
        }

        private void lookInTurn(ItemId item, Deciding deciding) {
            if (isUndecided(item)) {
                lookThoroughly(item, deciding, WorkSlices.Occasion.TURN);
            } else {
                look(item, deciding, WorkSlices.Occasion.TURN);
                if (isUndecided(item)) {
                    lookThoroughly(item, deciding, WorkSlices.Occasion.TURN);
                }
            }
        }

        /**
         * The reasons of items that another item's allocation can help.
         *
         * <p>SelectorError: a selector is not evaluated on a device in use. If node-allocatable resources are enabled,
         * other devices that use less of their node may be chosen.
         */
        private Set<Reason> helpedByLess() {
            return new Accounts(state).areKept()
                    ? EnumSet.of(Reason.SelectorError, Reason.NodeFull, Reason.NotAccountable)
                    : EnumSet.of(Reason.SelectorError);
        }

        /** Attempts the items of a cursor within the budget. Returns whether all of them were attempted. */
        private boolean look(Round round) {
            var before = new Baseline();
            var deciding = new Deciding(state, input.at(), touched, TextPolicy.KEEP);
            touched.clear();
            slices.beginRound();
            List<ItemId> undecided = new ArrayList<>();
            var gangs = new Gangs(deciding, TextPolicy.KEEP);
            boolean isFinished = false;
            while (!isFinished && !allowance.isSpent()) {
                Optional<ItemId> next = round.next();
                isFinished = next.isEmpty();
                var occasion = round.isLastChanged() ? WorkSlices.Occasion.CHANGED : WorkSlices.Occasion.WOKEN;
                next.filter(item -> !gangs.isDone(item, occasion)).ifPresent(item -> {
                    look(item, deciding, occasion);
                    if (isUndecided(item)) {
                        undecided.add(item);
                    }
                });
            }
            isFinished |= round.isOver();
            round.changedLeft().stream()
                    .filter(item -> !gangs.isPostponed(item))
                    .forEach(item -> postpone(item, deciding));
            undecided.forEach(item -> lookThoroughly(item, deciding, WorkSlices.Occasion.WOKEN));
            if (before.isGranted()) {
                earmark();
            }
            return isFinished;
        }

        /** Attempts one item within the budget. */
        private void look(ItemId item, Deciding deciding, WorkSlices.Occasion occasion) {
            evaluating = Optional.of(item);
            Row.ItemRow row = state.item(item).orElseThrow();
            Assembly assembly = Assembly.of(state, item);
            boolean isAhead = assembly instanceof Assembly.Ready ready
                    && !deciding.isSettled(row, ready)
                    && (slices.isPassedOver(row, ready, occasion, deciding)
                            || !slices.evaluate(row, ready, occasion, deciding));
            if (!isAhead) {
                slices.look(row, occasion, deciding, meter -> {
                    Deciding.Looked looked = deciding.look(row, assembly, meter);
                    if (take(row, looked, occasion)) {
                        looked.missed().ifPresent(shape -> joinOthers(item, shape));
                    }
                });
            }
        }

        private void postpone(ItemId item, Deciding deciding) {
            Row.ItemRow row = state.item(item).orElseThrow();
            if (Assembly.of(state, item) instanceof Assembly.Ready ready && !deciding.isSettled(row, ready)) {
                slices.postpone(row, ready, deciding);
            } else {
                look(item, deciding, WorkSlices.Occasion.CHANGED);
            }
        }

        private void lookThoroughly(ItemId item, Deciding deciding, WorkSlices.Occasion occasion) {
            evaluating = Optional.of(item);
            Row.ItemRow row = state.item(item).orElseThrow();
            slices.look(row, occasion, deciding, meter -> take(deciding.lookThoroughly(row, meter)));
        }

        /** Updates the earmark. If the budget is exhausted, the next allocation triggers it again. */
        private void earmark() {
            var meter = new WorkMeter(allowance.left(), state.paid());
            try {
                new Keeping(state, meter).earmark().ifPresent(fact -> take(List.of(fact), List.of()));
            } catch (WorkMeter.ExhaustedException e) {
                allowance.spend(allowance.left());
                return;
            }
            allowance.spend(meter.spent());
        }

        /** Allocates gangs all or nothing. Each gang is tried once per pass. */
        private final class Gangs {
            private final Deciding deciding;
            private final TextPolicy texts;
            private final Set<ObjectKey> tried = new TreeSet<>();
            /** Gangs that were tried and are still incomplete. Only a change outside of the pass can complete them. */
            private final Set<ObjectKey> incomplete = new TreeSet<>();

            Gangs(Deciding deciding, TextPolicy texts) {
                this.deciding = deciding;
                this.texts = texts;
            }

            /** Whether the item needs no attempt of its own, because its gang was handled. */
            boolean isDone(ItemId item, WorkSlices.Occasion occasion) {
                if (Gang.group(state, item).filter(incomplete::contains).isPresent()) {
                    return true;
                }
                Optional<Gang> gang = Gang.of(state, item);
                gang.map(each -> each.group().key()).filter(tried::add).ifPresent(group -> {
                    look(gang.get(), occasion);
                    if (Gang.of(state, item).isPresent()) {
                        incomplete.add(group);
                    }
                });
                return gang.isPresent()
                        || state.item(item).filter(Row.ItemRow::waits).isEmpty();
            }

            /** Whether an item belongs to a gang. The unfinished work of a gang continues as one item. */
            boolean isPostponed(ItemId item) {
                Optional<Gang> gang = Gang.of(state, item);
                gang.filter(each -> !each.waiting().isEmpty())
                        .filter(each -> tried.add(each.group().key()))
                        .ifPresent(this::postpone);
                return gang.isPresent();
            }

            private void postpone(Gang gang) {
                Row.ItemRow first = worker(gang);
                if (!(Assembly.of(state, first.item()) instanceof Assembly.Ready)) {
                    look(gang, WorkSlices.Occasion.CHANGED); // every member lacks an object and gets that reason
                    return;
                }
                endOthers(gang, first);
                Turn.this.postpone(first.item(), deciding);
                tellNew(gang, first);
            }

            private void tellNew(Gang gang, Row.ItemRow worker) {
                for (Row.ItemRow row : gang.waiting()) {
                    if (!row.equals(worker)
                            && WorkSlices.isNew(row)
                            && Assembly.of(state, row.item()) instanceof Assembly.Ready ready) {
                        Turn.this.take(
                                deciding.goesOn(row, ready, "the pods of its group are looked at together: not yet"));
                    }
                }
            }

            /** The member that carries the work of a gang: the first one that lacks no object. */
            private Row.ItemRow worker(Gang gang) {
                return gang.waiting().stream()
                        .filter(row -> Assembly.of(state, row.item()) instanceof Assembly.Ready)
                        .findFirst()
                        .orElseGet(() -> gang.waiting().getFirst());
            }

            /** Ends the work of other members. They may have been items of their own, or an earlier first member. */
            private void endOthers(Gang gang, Row.ItemRow worker) {
                gang.waiting().stream()
                        .map(Row.ItemRow::item)
                        .filter(item -> !item.equals(worker.item()))
                        .forEach(slices::end);
            }

            private void look(Gang gang, WorkSlices.Occasion occasion) {
                if (gang.waiting().isEmpty()) {
                    return;
                }
                Row.ItemRow first = worker(gang);
                if (occasion != WorkSlices.Occasion.REFRESH) {
                    endOthers(gang, first);
                }
                boolean isPassedOver = occasion != WorkSlices.Occasion.TURN
                        && state.work(first.item()).isPresent();
                if (isPassedOver && occasion != WorkSlices.Occasion.REFRESH) {
                    tellNew(gang, first);
                }
                if (!isPassedOver && evaluate(gang, first, occasion)) {
                    slices.look(first, occasion, deciding, meter -> look(gang, meter, occasion));
                }
            }

            private boolean evaluate(Gang gang, Row.ItemRow first, WorkSlices.Occasion occasion) {
                for (Row.ItemRow row : gang.waiting()) {
                    if (Assembly.of(state, row.item()) instanceof Assembly.Ready ready
                            && !deciding.isSettled(row, ready)
                            && !slices.evaluate(first, ready, occasion, deciding)) {
                        return false;
                    }
                }
                return true;
            }

            private void look(Gang gang, WorkMeter meter, WorkSlices.Occasion occasion) {
                meter.charge(GANG_MEMBER * gang.waiting().size());
                if (gang.waiting().size() < gang.missing()) {
                    tell(gang, gang.tooFew(), texts, occasion);
                    return;
                }
                var trial = new Trial(state);
                try {
                    attempt(gang, trial, meter, occasion);
                } catch (WorkMeter.ExhaustedException e) {
                    trial.undo();
                    throw e;
                }
            }

            private void attempt(Gang gang, Trial trial, WorkMeter meter, WorkSlices.Occasion occasion) {
                var trying = new Deciding(state, input.at(), new TreeSet<>(), TextPolicy.KEEP);
                List<Row.ItemRow> missed = new ArrayList<>();
                List<ItemId> deallocated = new ArrayList<>();
                for (Row.ItemRow row : gang.waiting()) {
                    evaluating = Optional.of(row.item());
                    Deciding.Looked looked =
                            trying.look(state.item(row.item()).orElseThrow(), Assembly.of(state, row.item()), meter);
                    steps += looked.steps();
                    trial.take(looked.facts(), looked.outputs());
                    if (looked.isDeallocation()) {
                        deallocated.add(row.item());
                    }
                    state.item(row.item()).filter(Row.ItemRow::waits).ifPresent(missed::add);
                }
                int fitting = gang.waiting().size() - missed.size();
                if (fitting >= gang.missing() && isTextAlone(occasion)) {
                    trial.undo();
                } else if (fitting >= gang.missing()) {
                    keep(trial);
                } else {
                    trial.undo();
                    if (!isTextAlone(occasion)) {
                        deallocated.forEach(this::deallocate);
                    }
                    TextPolicy which = isChanged(gang) ? TextPolicy.REPLACE : texts;
                    tell(gang, gang.doNotFit(fitting, missed.getFirst()), which, occasion);
                }
            }

            /** Decides a deallocation for one pod of a gang. If one pod has no node, the gang cannot start. */
            private void deallocate(ItemId item) {
                Row.ItemRow row = state.item(item).orElseThrow();
                // the speculative attempt has already charged this work
                Deciding.Looked looked = new Deciding(state, input.at(), new TreeSet<>(), TextPolicy.KEEP)
                        .look(row, Assembly.of(state, item), WorkMeter.unlimited());
                if (looked.isDeallocation()) {
                    Turn.this.take(looked);
                }
            }

            private void keep(Trial trial) {
                trial.undo();
                take(trial.facts(), trial.outputs());
            }

            /** Whether a pod of the gang was added or changed. Then all of its pods get the new text. */
            private boolean isChanged(Gang gang) {
                return gang.waiting().stream().anyMatch(row -> deciding.isTouched(row.item()));
            }

            private void tell(Gang gang, Plan.Diagnosis diagnosis, TextPolicy which, WorkSlices.Occasion occasion) {
                gang.waiting().forEach(row -> Turn.this.take(row, deciding.waitsFor(row, diagnosis, which), occasion));
            }
        }

        /**
         * Adds an item to its equivalence class, so that one attempt covers the class.
         *
         * <p>An earmarked node is closed to all later ranks, so the class stays correct. Items with node-allocatable
         * accounting are excluded: their use of a node depends on more than rows.
         */
        private void joinOthers(ItemId item, ItemShape shape) {
            if (shape.accounting().isEmpty()) {
                state.item(item)
                        .filter(row -> row.reason().filter(Reason::isForOthers).isPresent())
                        .ifPresent(row -> state.queue().join(row, shape));
            }
        }

        private boolean isUndecided(ItemId item) {
            return state.item(item)
                    .filter(row -> row.reason().equals(Optional.of(Reason.Undecided)) && !row.thorough())
                    .isPresent();
        }

        /** Applies the result of an attempt, unless only texts may change. Returns whether it was applied. */
        private boolean take(Row.ItemRow row, Deciding.Looked looked, WorkSlices.Occasion occasion) {
            if (isTextAlone(occasion) && !looked.keepsReason(row)) {
                steps += looked.steps();
                slices.keepText();
                return false;
            }
            take(looked);
            return true;
        }

        private void take(Deciding.Looked looked) {
            steps += looked.steps();
            take(looked.facts(), looked.outputs());
        }

        /** Answers complete probes when no work is unfinished, or after {@link Cell#PROBE_SLICES_MAX} slices. */
        private void answerProbes() {
            List<Row> pending = List.copyOf(state.rowsFrom("probe/").values());
            for (Row row : pending) {
                if (row instanceof Row.ProbeRow probe && isComplete(probe)) {
                    if (!state.isWorkUnfinished() || probe.slices() >= PROBE_SLICES_MAX) {
                        take(List.of(new Fact.Drop(probe.key())), List.of(answer(probe)));
                    } else if (allowance.isSlice()) {
                        take(List.of(new Fact.Put(probe.afterSlice())), List.of());
                    }
                }
            }
        }

        /** Whether a probe is about to be answered. */
        private boolean isProbeDue() {
            boolean isFinished = state.unfinished().isEmpty() && backlog.isEmpty();
            return state.rowsFrom("probe/").values().stream()
                    .anyMatch(row -> row instanceof Row.ProbeRow probe
                            && isComplete(probe)
                            && (isFinished || probe.slices() >= PROBE_SLICES_MAX));
        }

        private static boolean isComplete(Row.ProbeRow probe) {
            return probe.arrived().size() >= probe.partitions();
        }

        private Output answer(Row.ProbeRow probe) {
            int items = state.rowsFrom("item/").size();
            int waits = state.waiting().size();
            return state.place().isAlone()
                    ? new Output.Answered(probe.id(), items - waits, waits)
                    : new Output.ToRouter(new Verdict.Echo(probe.id()));
        }
    }
}
