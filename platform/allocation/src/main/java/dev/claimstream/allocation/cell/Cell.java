package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
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
 * A complete allocator for a set of nodes. One input after the other goes in; every input leads to facts, which have been applied to
 * the state when it returns, and to outputs. Between two inputs nothing is left to do: every item is granted or waits for a reason.
 */
public final class Cell {
    private final State state;

    public Cell(State state) {
        this.state = state;
    }

    /** What the cell knows. */
    public State state() {
        return state;
    }

    /** Takes an input. One at or below the last offset was taken before and leads to nothing. */
    public Step step(Input input) {
        if (input.offset() <= state.count().offset()) {
            return new Step(List.of(), List.of(), 0, List.of());
        }
        return new Turn(input).run();
    }

    private final class Turn {
        private final Input input;
        private final List<Fact> facts = new ArrayList<>();
        private final List<Output> outputs = new ArrayList<>();
        private final SortedSet<ItemId> touched = new TreeSet<>();
        private final NavigableSet<ItemId> changed = new TreeSet<>();
        private final Set<Reason.Wake> wakes = EnumSet.noneOf(Reason.Wake.class);
        private boolean isOfferOver;
        private long steps;

        Turn(Input input) {
            this.input = input;
        }

        Step run() {
            boolean wasListed = state.isListed();
            long moved = state.neighbours().changes();
            SortedMap<String, Rank> kept = new TreeMap<>(state.earmarks());
            Change change = Observing.of(state, input);
            var suspects = new Suspects();
            change.facts.forEach(fact -> {
                suspects.note(state, fact);
                take(List.of(fact), List.of());
            });
            outputs.addAll(change.outputs);
            if (!wasListed && state.isListed()) {
                suspects.noteListed(state);
            }
            Change alarms = Alarms.of(state, suspects);
            take(alarms.facts, alarms.outputs);
            wakes.addAll(change.wakes);
            touched.addAll(change.touched);
            touched.addAll(alarms.touched);
            touched.forEach(this::sync);
            if (takeOfferOver()) {
                wakes.add(Reason.Wake.CAPACITY);
            }
            if (state.neighbours().changes() > moved) {
                wakes.add(Reason.Wake.NEIGHBOURS);
            }
            if (state.isListed()) {
                drain(wasListed ? candidates(change.takes) : everybody(), kept);
                answerProbes();
            }
            forgetExplanations();
            Row.CountRow count = state.count();
            take(List.of(new Fact.Put(new Row.CountRow(count.decisions(), count.grants(), input.offset()))), List.of());
            return new Step(facts, outputs, steps, ignored(change));
        }

        /** With several cells the router knows all objects, and has said so of them. */
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
                isOfferOver |= Lending.isOfferOver(before, fact);
                state.apply(fact);
            });
            outputs.addAll(moreOutputs);
        }

        /** Whether an offer has come to an end since the last question: another one may be made in its place. */
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

        // ---- which items there are
        // ---------------------------------------------------------------------------------------------

        /** An item exists as long as its pod or claim wants something. */
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

        /** Why something was given counts as long as it is held, though its item may be gone. With several cells the router knows. */
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
                    false);
        }

        private boolean hasEverything(ItemId item) {
            return Assembly.of(state, item) instanceof Assembly.Ready ready && ready.hasEverything(state);
        }

        // ---- looking at them
        // ---------------------------------------------------------------------------------------------------

        private Round candidates(boolean isTaken) {
            var changed = new TreeMap<Rank, ItemId>();
            touched.forEach(item ->
                    state.item(item).filter(Row.ItemRow::waits).ifPresent(row -> changed.put(row.rank(), item)));
            Set<Reason> reasons = Round.wokenBy(wakes);
            if (isTaken) {
                reasons.addAll(helpedByLess());
            }
            return Round.of(state.queue(), reasons, changed);
        }

        private Round everybody() {
            return Round.of(state.queue(), EnumSet.allOf(Reason.class), new TreeMap<>());
        }

        /** Looks at the candidates and then, as long as that changes what others may hope for, at those others. */
        private void drain(Round candidates, SortedMap<String, Rank> keptBefore) {
            SortedMap<String, Rank> kept = keptBefore;
            Round next = candidates;
            do {
                long grants = state.count().grants();
                long moved = state.neighbours().changes();
                look(next);
                next = others(
                        kept,
                        state.count().grants() > grants,
                        state.neighbours().changes() > moved);
                kept = new TreeMap<>(state.earmarks());
            } while (!next.isEmpty());
        }

        /**
         * Those who had to keep off look again when a node is open; a grant may help some; where a pod comes another may follow; and where an
         * offer is over another may be made.
         */
        private Round others(SortedMap<String, Rank> kept, boolean isGranted, boolean isMoved) {
            Set<Reason> reasons = EnumSet.noneOf(Reason.class);
            if (!state.earmarks().keySet().containsAll(kept.keySet())) {
                reasons.add(Reason.Earmarked);
            }
            if (isGranted) {
                reasons.addAll(helpedByLess());
            }
            if (isMoved) {
                reasons.add(Reason.OtherPods);
            }
            if (takeOfferOver()) {
                reasons.addAll(Round.wokenBy(EnumSet.of(Reason.Wake.CAPACITY)));
            }
            return Round.of(state.queue(), reasons, new TreeMap<>());
        }

        /**
         * A selector does not fail on a device that somebody has just got; and where devices take of their node, others that take less may
         * be chosen.
         */
        private Set<Reason> helpedByLess() {
            return new Accounts(state).areKept()
                    ? EnumSet.of(Reason.SelectorError, Reason.NodeFull, Reason.NotAccountable)
                    : EnumSet.of(Reason.SelectorError);
        }

        private void look(Round candidates) {
            long grantsBefore = state.count().grants();
            var deciding = new Deciding(state, input.at(), touched);
            touched.clear();
            List<ItemId> undecided = new ArrayList<>();
            var gangs = new Gangs(deciding);
            for (var next = candidates.next(); next.isPresent(); next = candidates.next()) {
                ItemId item = next.get();
                if (gangs.isDone(item)) {
                    continue;
                }
                Deciding.Looked looked = deciding.look(state.item(item).orElseThrow());
                take(looked);
                looked.missed().ifPresent(shape -> joinOthers(item, shape));
                if (isUndecided(item)) {
                    undecided.add(item);
                }
            }
            for (ItemId item : undecided) {
                take(deciding.lookThoroughly(state.item(item).orElseThrow()));
            }
            if (state.count().grants() > grantsBefore) {
                new Keeping(state).earmark().ifPresent(fact -> take(List.of(fact), List.of()));
            }
        }

        /** Those that are served together or not at all; each is tried once in a round. */
        private final class Gangs {
            private final Deciding deciding;
            private final Set<ObjectKey> tried = new TreeSet<>();

            Gangs(Deciding deciding) {
                this.deciding = deciding;
            }

            /** Whether there is nothing more to do for an item, because of those that it is served with. */
            boolean isDone(ItemId item) {
                Optional<Gang> gang = Gang.of(state, item);
                gang.filter(each -> tried.add(each.group().key())).ifPresent(this::look);
                return gang.isPresent()
                        || state.item(item).filter(Row.ItemRow::waits).isEmpty();
            }

            private void look(Gang gang) {
                if (gang.waiting().size() < gang.missing()) {
                    tell(gang, gang.tooFew());
                    return;
                }
                var trial = new Trial(state);
                var trying = new Deciding(state, input.at(), new TreeSet<>());
                List<Row.ItemRow> missed = new ArrayList<>();
                for (Row.ItemRow row : gang.waiting()) {
                    Deciding.Looked looked = trying.look(state.item(row.item()).orElseThrow());
                    steps += looked.steps();
                    trial.take(looked.facts(), looked.outputs());
                    state.item(row.item()).filter(Row.ItemRow::waits).ifPresent(missed::add);
                }
                int fitting = gang.waiting().size() - missed.size();
                if (fitting >= gang.missing()) {
                    keep(trial);
                } else {
                    trial.undo();
                    tell(gang, gang.doNotFit(fitting, missed.getFirst()));
                }
            }

            private void keep(Trial trial) {
                trial.undo();
                take(trial.facts(), trial.outputs());
            }

            private void tell(Gang gang, Plan.Diagnosis diagnosis) {
                gang.waiting().forEach(row -> Turn.this.take(deciding.waitsFor(row, diagnosis)));
            }
        }

        /**
         * It will be looked at together with those that are like it. A node that is kept for somebody older than it is kept from all who
         * come after it, too. But what devices take of their node follows from more than its rows.
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

        private void take(Deciding.Looked looked) {
            steps += looked.steps();
            take(looked.facts(), looked.outputs());
        }

        private void answerProbes() {
            List<Row> pending = List.copyOf(state.rowsFrom("probe/").values());
            for (Row row : pending) {
                if (row instanceof Row.ProbeRow probe && probe.arrived().size() >= probe.partitions()) {
                    take(List.of(new Fact.Drop(probe.key())), List.of(answer(probe)));
                }
            }
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
