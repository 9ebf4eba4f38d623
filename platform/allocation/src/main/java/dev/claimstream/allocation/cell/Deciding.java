package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.solver.Asked;
import dev.claimstream.allocation.solver.Funnel;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Planner;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.ShareNames;
import dev.claimstream.allocation.solver.WorkMeter;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
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
final class Deciding {
    /** Units of work for one attempt, without its search. */
    private static final long LOOK = 200;

    private static final String SETTLED = "has everything already";

    private final State state;
    private final Keeping keeping;
    private final Instant at;
    private final SortedSet<ItemId> untold;
    private final TextPolicy texts;
    private final Map<ItemShape, Miss> misses = new LinkedHashMap<>();
    private final Map<ItemShape, Integer> inVain = new LinkedHashMap<>();

    /** @param touched items whose pod or claim has changed: they are reported even if the reason is the same */
    Deciding(State state, Instant at, SortedSet<ItemId> touched, TextPolicy texts) {
        this.untold = new TreeSet<>(touched);
        this.texts = texts;
        this.state = state;
        this.keeping = new Keeping(state, WorkMeter.unlimited());
        this.at = at.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Why a shape did not fit. Candidates are counted lazily, only for items that get the text. */
    private static final class Miss {
        private final Plan.Unplaced unplaced;
        private final boolean isPassing;
        private Optional<Text> told = Optional.empty();
        private List<ObjectKey> toldOf = List.of();

        /** @param isPassing whether the shape waits for devices that an older offered item is about to get */
        Miss(Plan.Unplaced unplaced, boolean isPassing) {
            this.unplaced = unplaced;
            this.isPassing = isPassing;
        }

        /** Whether an item with this reason needs no update. */
        boolean isKnown(Optional<Reason> before) {
            return before.equals(Optional.of(unplaced.reason()))
                    || (isPassing && before.filter(Reason::isForHolders).isPresent());
        }

        /** @param claims claims of the item that gets the text. Texts of one shape differ only in claim names */
        Text told(List<ObjectKey> claims, Supplier<List<Funnel>> counted) {
            if (told.isEmpty()) {
                told = Optional.of(Text.of(new Explanation.Because.Waits(unplaced.diagnosis(), counted.get())));
                toldOf = claims;
            }
            return told.get().named(toldOf, claims);
        }
    }

    /** The explanation of a pending item, and its hash. */
    private record Text(Explanation.Because.Waits because, long hash) {
        static Text of(Explanation.Because.Waits because) {
            return new Text(because, TextHash.of(because));
        }

        static Text of(Plan.Diagnosis diagnosis) {
            return of(new Explanation.Because.Waits(diagnosis, List.of()));
        }

        /** The same text for the claims of another item of the shape, in the same order. */
        Text named(List<ObjectKey> before, List<ObjectKey> now) {
            if (before.equals(now)) {
                return this;
            }
            List<Funnel> funnels = because.funnels().stream()
                    .map(funnel -> funnel.of(now.get(before.indexOf(funnel.claim()))))
                    .toList();
            return new Text(new Explanation.Because.Waits(because.diagnosis(), funnels), hash);
        }
    }

    /**
     * The result of one attempt; not applied yet.
     *
     * @param missed the shape that did not fit, if that holds for every item of the shape
     */
    record Looked(List<Fact> facts, List<Output> outputs, long steps, Optional<ItemShape> missed) {
        static final Looked NOTHING = new Looked(List.of(), List.of(), 0);

        Looked(List<Fact> facts, List<Output> outputs, long steps) {
            this(facts, outputs, steps, Optional.empty());
        }

        /** Whether at most the text of the item changes. */
        boolean keepsReason(Row.ItemRow before) {
            return facts.stream().allMatch(fact -> switch (fact) {
                case Fact.Put(Row.LeaseRow lease) -> !lease.offered();
                case Fact.Put(Row.ItemRow after) ->
                    after.item().equals(before.item()) && after.reason().equals(before.reason());
                case Fact.Put _, Fact.Drop _ -> false;
            });
        }

        /** Whether the result decides a deallocation. */
        boolean isDeallocation() {
            return facts.stream().anyMatch(fact -> fact instanceof Fact.Put(Row.DeallocationRow _));
        }

        Looked missed(ItemShape shape) {
            return new Looked(facts, outputs, steps, Optional.of(shape));
        }
    }

    /** Whether the shape did not fit earlier in this pass. */
    boolean isMissed(ItemShape shape) {
        return misses.containsKey(shape);
    }

    /**
     * Tries to allocate a pending item.
     *
     * @throws WorkMeter.ExhaustedException if the meter's limit is exceeded; nothing has changed then
     */
    Looked look(Row.ItemRow row, Assembly assembly, WorkMeter meter) {
        if (!(assembly instanceof Assembly.Ready ready && isMissed(ready.shape()))) {
            meter.charge(LOOK);
        }
        return switch (assembly) {
            case Assembly.Unready unready -> waits(row, unready.claims(), unready.diagnosis(), texts, 0);
            case Assembly.Ready ready -> decide(row, ready, state.settings().searchStepsMax(), meter);
        };
    }

    /** Reports {@link Reason#EvaluationPending}: the work continues in slices. Progress alone is not a new decision. */
    Looked goesOn(Row.ItemRow row, Assembly.Ready ready, String message) {
        var diagnosis = new Plan.Diagnosis(Reason.EvaluationPending, message, Optional.empty());
        return waits(row, unallocated(ready), diagnosis, TextPolicy.REPLACE, 0);
    }

    /** Reports a reason that other items cause, such as an incomplete gang. */
    Looked waitsFor(Row.ItemRow row, Plan.Diagnosis diagnosis, TextPolicy which) {
        boolean isTold = row.reason().equals(Optional.of(diagnosis.reason())) && !isAwaited(row);
        if (isTold && (which == TextPolicy.KEEP || row.textHash() == Text.of(diagnosis).hash)) {
            return Looked.NOTHING;
        }
        List<ObjectKey> claims = switch (Assembly.of(state, row.item())) {
            case Assembly.Unready unready -> unready.claims();
            case Assembly.Ready ready -> unallocated(ready);
        };
        return waits(row, claims, diagnosis, which, 0);
    }

    /** Tries again with the larger search budget after {@link Reason#Undecided}. */
    Looked lookThoroughly(Row.ItemRow row, WorkMeter meter) {
        if (!(Assembly.of(state, row.item()) instanceof Assembly.Ready ready)) {
            return Looked.NOTHING;
        }
        misses.remove(ready.shape());
        Row.ItemRow once = row.afterThoroughSearch();
        Looked looked = decide(once, ready, state.settings().thoroughStepsMax(), meter);
        return looked.facts().isEmpty()
                ? new Looked(List.of(new Fact.Put(once)), looked.outputs(), looked.steps())
                : looked;
    }

    private Looked decide(Row.ItemRow row, Assembly.Ready ready, long stepsMax, WorkMeter meter) {
        if (isSettled(row, ready)) {
            return settled(row, ready);
        }
        if (Lending.isOffered(state, row.item())) {
            return Looked.NOTHING; // the router will lease it, and then it is attempted
        }
        Deallocation unused = Deallocation.of(state, row.item(), ready);
        if (unused.isNone()) {
            return place(row, ready, stepsMax, meter);
        }
        Looked placed = unused.isForced() ? Looked.NOTHING : place(row, ready, stepsMax, meter);
        return isPlaced(placed, row) ? placed : deallocated(row, ready, unused, placed, stepsMax, meter);
    }

    /** Whether all claims are allocated and reserved, and the pod is bound. */
    boolean isSettled(Row.ItemRow row, Assembly.Ready ready) {
        return ready.hasEverything(state) && !isToBePlaced(row);
    }

    /**
     * Whether kube-scheduler has not bound the pod yet. Checked in a single cell only: the node may belong to another
     * cell.
     */
    private boolean isToBePlaced(Row.ItemRow row) {
        return row.item().sort() == ItemId.Sort.POD
                && state.place().isAlone()
                && state.pod(row.item().key())
                        .filter(pod -> pod.nodeName().isEmpty())
                        .isPresent();
    }

    private static boolean isPlaced(Looked looked, Row.ItemRow row) {
        return looked.facts().stream()
                .anyMatch(fact -> fact instanceof Fact.Put(Row.ItemRow after)
                        && after.item().equals(row.item())
                        && !after.waits());
    }

    /** Deallocates unused claims of the pod if the pod fits without them; otherwise the item stays pending. */
    private Looked deallocated(
            Row.ItemRow row,
            Assembly.Ready ready,
            Deallocation unused,
            Looked instead,
            long stepsMax,
            WorkMeter meter) {
        Deallocation.Attempt attempt = unused.attempt(again ->
                state.planner().plan(again.shape(), terms(row, again, Closed.to(state, row), stepsMax, meter)));
        long steps = instead.steps() + attempt.steps();
        return attempt.found()
                .map(found -> reallocating(row, ready, unused, found, steps))
                .orElseGet(() -> unused.isForced()
                        ? waitsForDevices(row, ready, unused, steps)
                        : new Looked(instead.facts(), instead.outputs(), steps));
    }

    private Looked waitsForDevices(Row.ItemRow row, Assembly.Ready ready, Deallocation unused, long steps) {
        return waits(row, unallocated(ready), unused.diagnosis(), texts, steps);
    }

    private Looked reallocating(
            Row.ItemRow row, Assembly.Ready ready, Deallocation unused, Deallocation.Reallocation found, long steps) {
        List<Fact> facts = new ArrayList<>();
        List<Output> outputs = new ArrayList<>();
        long number = state.count().decisions();
        for (ResourceClaim claim : found.claims()) {
            number = state.place().next(number);
            facts.add(new Fact.Put(unused.ordered(claim, number)));
            outputs.add(new Output.Decided(new Decision(
                    claim.key(),
                    claim.meta().uid(),
                    number,
                    row.item(),
                    unused.verdict(ready, claim, found.placed().node()))));
        }
        Plan.Diagnosis diagnosis = unused.diagnosis(found);
        Looked waits = waits(row, unallocated(ready), Text.of(diagnosis), steps, number);
        facts.addAll(waits.facts());
        outputs.addAll(waits.outputs());
        return new Looked(facts, outputs, steps);
    }

    private Looked place(Row.ItemRow row, Assembly.Ready ready, long stepsMax, WorkMeter meter) {
        ItemShape shape = ready.shape();
        Miss before = misses.get(shape);
        if (before != null) {
            Plan plan = evicting(row, ready, before.unplaced.after(0), stepsMax, meter);
            return plan instanceof Plan.Placed placed
                    ? placed(row, ready, placed)
                    : missed(row, ready, before, plan.steps(), meter).missed(shape);
        }
        Closed closed = Closed.to(state, row);
        Plan plan = state.planner().plan(shape, terms(row, ready, closed, stepsMax, meter));
        return switch (plan instanceof Plan.Unplaced unplaced
                ? evicting(row, ready, unplaced, stepsMax, meter)
                : plan) {
            case Plan.Placed placed -> placed(row, ready, placed);
            case Plan.Unplaced unplaced
            when closed.isNone() -> {
                var miss = new Miss(unplaced, isPassing(row, shape, unplaced, meter));
                misses.put(shape, miss);
                yield missed(row, ready, miss, unplaced.steps(), meter).missed(shape);
            }
            case Plan.Unplaced unplaced ->
                missed(
                        row,
                        ready,
                        new Miss(
                                without(closed, unplaced, shape, terms(row, ready, Closed.NOTHING, stepsMax, meter)),
                                false),
                        unplaced.steps(),
                        meter);
        };
    }

    private Looked placed(Row.ItemRow row, Assembly.Ready ready, Plan.Placed placed) {
        return ready.hasEverything(state) ? settled(row, ready) : granted(row, ready, placed);
    }

    private Planner.Terms terms(Row.ItemRow row, Assembly.Ready ready, Closed closed, long stepsMax, WorkMeter meter) {
        return new Planner.Terms(
                state.settings().policy(),
                stepsMax,
                node -> keeping.isOpen(node, row.rank(), ready.shape()) && !closed.has(node),
                ShareNames.ofUids(ready.asked().stream().map(Asked::uid).toList()),
                meter);
    }

    /** Plans with preemption if the node is full. A failure for a shape also holds for equal and lower priorities. */
    private Plan evicting(
            Row.ItemRow row, Assembly.Ready ready, Plan.Unplaced unplaced, long stepsMax, WorkMeter meter) {
        ItemShape shape = ready.shape();
        Optional<Preemption> preemption = Preemption.of(state, row.item(), ready)
                .filter(each -> !inVain.containsKey(shape) || each.priority() > inVain.get(shape))
                .filter(each -> unplaced.reason() == Reason.NodeFull);
        if (preemption.isEmpty()) {
            return unplaced;
        }
        Closed closed = Closed.to(state, row);
        Plan plan = preemption.get().instead(unplaced, terms(row, ready, closed, stepsMax, meter));
        if (plan instanceof Plan.Unplaced && closed.isNone()) {
            inVain.put(shape, preemption.get().priority());
        }
        return plan;
    }

    /**
     * Checks whether only excluded nodes keep the item from fitting. If so, they are the reason, for this item alone.
     */
    private Plan.Unplaced without(Closed closed, Plan.Unplaced unplaced, ItemShape shape, Planner.Terms open) {
        return switch (state.planner().plan(shape, open)) {
            case Plan.Unplaced other -> other;
            case Plan.Placed placed -> {
                NodeView node = state.inventory().view(placed.node()).orElseThrow();
                yield unplaced.because(closed.because(node.node()));
            }
        };
    }

    /**
     * Whether the item would fit on a node that is earmarked for an older item with an open offer.
     *
     * <p>The older item is about to take the devices. They are free only for a moment, for all pending items.
     */
    private boolean isPassing(Row.ItemRow row, ItemShape shape, Plan.Unplaced unplaced, WorkMeter meter) {
        if (state.offered().isEmpty() || unplaced.reason() != Reason.Earmarked) {
            return false;
        }
        var terms = new Planner.Terms(
                state.settings().policy(),
                state.settings().searchStepsMax(),
                node -> keeping.isOpen(node, row.rank(), shape) || keeping.isOffered(node),
                ShareNames.ofPlaces(),
                meter);
        return state.planner().plan(shape, terms) instanceof Plan.Placed;
    }

    private Looked missed(Row.ItemRow row, Assembly.Ready ready, Miss miss, long steps, WorkMeter meter) {
        List<ObjectKey> claims = unallocated(ready);
        if (!miss.isKnown(row.reason()) || isAwaited(row)) {
            return waits(row, claims, miss.told(claims, () -> funnels(ready, meter)), steps);
        }
        return texts == TextPolicy.REPLACE && row.reason().equals(Optional.of(miss.unplaced.reason()))
                ? explainedAgain(row, claims, miss.told(claims, () -> funnels(ready, meter)), steps)
                : new Looked(List.of(), List.of(), steps);
    }

    private Looked waits(
            Row.ItemRow row, List<ObjectKey> claims, Plan.Diagnosis diagnosis, TextPolicy which, long steps) {
        if (!row.reason().equals(Optional.of(diagnosis.reason())) || isAwaited(row)) {
            return waits(row, claims, Text.of(diagnosis), steps);
        }
        return which == TextPolicy.REPLACE
                ? explainedAgain(row, claims, Text.of(diagnosis), steps)
                : new Looked(List.of(), List.of(), steps);
    }

    /** Keeps the reason and the decision. Writes the text only if its hash differs. */
    private Looked explainedAgain(Row.ItemRow row, List<ObjectKey> claims, Text text, long steps) {
        if (row.textHash() == text.hash) {
            return new Looked(List.of(), List.of(), steps);
        }
        Row.ItemRow now = pending(row, text);
        return state.place().isAlone()
                ? new Looked(
                        List.of(new Fact.Put(now)),
                        List.of(new Output.Explained(new Explanation(row.item(), claims, steps, text.because))),
                        steps)
                : Lending.notServed(state, now, text.because, steps);
    }

    /** Whether a pod or claim of the item has changed and the item was not reported since. */
    boolean isTouched(ItemId item) {
        return untold.contains(item);
    }

    /** Whether a result must be reported: the item has changed, or the router waits for a report on its lease. */
    boolean isAwaited(Row.ItemRow row) {
        return untold.contains(row.item())
                || state.lease(row.item()).filter(Row.LeaseRow::here).isPresent();
    }

    private List<Funnel> funnels(Assembly.Ready ready, WorkMeter meter) {
        return state.planner().funnels(ready.shape(), ready.asked(), meter);
    }

    private static List<ObjectKey> unallocated(Assembly.Ready ready) {
        return ready.asked().stream().map(Asked::claim).toList();
    }

    // ---- pending
    // --------------------------------------------------------------------------------------------------------------

    private Looked waits(Row.ItemRow row, List<ObjectKey> claims, Text text, long steps) {
        return waits(row, claims, text, steps, state.count().decisions());
    }

    /** @param from number of the last decision */
    private Looked waits(Row.ItemRow row, List<ObjectKey> claims, Text text, long steps, long from) {
        untold.remove(row.item());
        Explanation.Because.Waits because = text.because;
        Row.ItemRow now = pending(row, text);
        if (!state.place().isAlone()) {
            return Lending.notServed(state, now, because, steps);
        }
        Reason reason = because.diagnosis().reason();
        String message = because.diagnosis().message();
        List<Fact> facts = new ArrayList<>();
        List<Output> outputs = new ArrayList<>();
        long number = from;
        for (ObjectKey key : claims) {
            Optional<ResourceClaim> claim = state.claim(key);
            if (claim.isPresent() && needsWaitDecision(claim.get(), reason)) {
                number = state.place().next(number);
                outputs.add(new Output.Decided(new Decision(
                        key,
                        claim.get().meta().uid(),
                        number,
                        row.item(),
                        new Decision.Verdict.Waits(reason, message))));
            }
        }
        outputs.add(new Output.Explained(new Explanation(row.item(), claims, steps, because)));
        facts.add(new Fact.Put(now));
        facts.add(new Fact.Put(counted(number, 0)));
        return new Looked(facts, outputs, steps);
    }

    /**
     * Whether a pending decision is written for a claim.
     *
     * <p>A claim that another allocator has allocated gets one with {@link Reason#NotOurs}, so that the writer removes
     * the scheduling gate of the pod.
     */
    private boolean needsWaitDecision(ResourceClaim claim, Reason reason) {
        boolean isLeftToOthers = reason == Reason.NotOurs
                && Ours.isForOthers(state, claim)
                && state.grant(claim.meta().uid()).isEmpty();
        return isLeftToOthers || Assembly.allocation(state, claim).isEmpty();
    }

    private Row.ItemRow pending(Row.ItemRow row, Text text) {
        Row.ItemRow overtaken =
                isWithoutConsumer(row) ? row.overtakenFrom(state.count().grants()) : row;
        return overtaken.pending(text.because, text.hash);
    }

    /**
     * Without a consumer an item cannot be allocated, so it cannot be overtaken. Counting starts when it gets a
     * consumer.
     */
    private static boolean isWithoutConsumer(Row.ItemRow row) {
        return row.reason().equals(Optional.of(Reason.NoConsumer));
    }

    private Row.CountRow counted(long decisions, int grants) {
        Row.CountRow count = state.count();
        return new Row.CountRow(decisions, count.grants() + grants, count.offset());
    }

    // ---- allocated
    // ---------------------------------------------------------------------------------------------------------------

    private Looked granted(Row.ItemRow row, Assembly.Ready ready, Plan.Placed placed) {
        if (state.isAway(row.item())) {
            return Lending.offer(state, row, placed.steps());
        }
        List<Fact> facts = new ArrayList<>();
        long number = state.count().decisions();
        List<Row.GrantRow> grants = new ArrayList<>();
        for (int i = 0; i < ready.asked().size(); i++) {
            Asked asked = ready.asked().get(i);
            Allocation allocation = timed(placed.allocations().get(i));
            number = state.place().next(number);
            grants.add(new Row.GrantRow(
                    asked.claim(),
                    asked.uid(),
                    number,
                    row.item(),
                    placed.node(),
                    allocation,
                    ready.consumer(asked.claim()).map(List::of).orElse(List.of()),
                    state.version(asked.claim()),
                    Row.GrantRow.Standing.GIVEN));
        }
        for (ResourceClaim claim : ready.fixed()) {
            long following = state.place().next(number);
            Optional<Row.GrantRow> reservation = reservation(row, ready, placed, claim, following);
            number = reservation.isPresent() ? following : number;
            reservation.ifPresent(grants::add);
        }
        grants.forEach(grant -> facts.add(new Fact.Put(grant)));
        facts.add(new Fact.Put(row.served(placed.choice().because())));
        int overtakes = ready.asked().isEmpty() ? 0 : 1; // one more consumer takes no devices
        facts.add(new Fact.Put(counted(number, overtakes)));
        List<Output> outputs = outputs(row, ready, placed, grants);
        Lending.served(
                        state,
                        row.item(),
                        number,
                        grants.stream().map(Row.GrantRow::claimUid).toList())
                .ifPresent(outputs::add);
        return new Looked(facts, outputs, placed.steps());
    }

    /** All claims are allocated and reserved. Explains the item, and repeats a decision for a gated pod. */
    private Looked settled(Row.ItemRow row, Assembly.Ready ready) {
        if (state.isAway(row.item())) {
            return Lending.end(state, row);
        }
        String node = ready.fixed().stream()
                .flatMap(claim -> nodeOf(claim).stream())
                .findFirst()
                .orElse("");
        var choice = new Plan.Choice(state.settings().policy(), 0, SETTLED, Optional.empty(), "");
        var because = new Explanation.Because.Granted(node, choice);
        List<Output> outputs = new ArrayList<>();
        List<Fact> facts = new ArrayList<>();
        outputs.add(new Output.Explained(new Explanation(row.item(), ready.claims(), 0, because)));
        Optional<Row.GrantRow> again = saidAgain(row, ready, node);
        again.ifPresent(grant -> {
            facts.add(new Fact.Put(grant));
            facts.add(new Fact.Put(counted(grant.number(), 0)));
            outputs.add(new Output.Decided(
                    new Decision(grant.claim(), grant.claimUid(), grant.number(), row.item(), grant.verdict())));
        });
        facts.add(new Fact.Put(row.served(SETTLED)));
        List<String> given = ready.fixed().stream()
                .map(claim -> claim.meta().uid())
                .filter(uid -> state.grant(uid).isPresent())
                .toList();
        long number = again.map(Row.GrantRow::number).orElse(state.count().decisions());
        Lending.served(state, row.item(), number, given).ifPresent(outputs::add);
        return new Looked(facts, outputs, 0);
    }

    /**
     * A decision to repeat for a gated pod that needs no new allocation.
     *
     * <p>The writer removes a scheduling gate only with a decision. Such a pod shares the claims of its group, or its
     * claims were reserved for it by a component that is gone.
     */
    private Optional<Row.GrantRow> saidAgain(Row.ItemRow row, Assembly.Ready ready, String node) {
        boolean isGated = row.item().sort() == ItemId.Sort.POD
                && state.pod(row.item().key()).filter(Pod::isGated).isPresent();
        return ready.fixed().stream()
                .filter(claim -> isGated && !state.isRevoked(claim))
                .findFirst()
                .map(claim -> given(
                        row,
                        claim,
                        node,
                        Assembly.consumers(state, claim),
                        state.place().next(state.count().decisions())));
    }

    private Optional<String> nodeOf(ResourceClaim claim) {
        return state.grant(claim.meta().uid())
                .map(Row.GrantRow::node)
                .or(() -> claim.allocation().flatMap(Allocation::nodeSelector).flatMap(NodeSelector::onlyNode));
    }

    private Allocation timed(Allocation allocation) {
        return new Allocation(allocation.results(), allocation.config(), allocation.nodeSelector(), Optional.of(at));
    }

    /** Adds the pod as a consumer of a claim that is already allocated. */
    private Optional<Row.GrantRow> reservation(
            Row.ItemRow row, Assembly.Ready ready, Plan.Placed placed, ResourceClaim claim, long number) {
        if (ready.isReserved(state, claim)) {
            return Optional.empty();
        }
        List<Consumer> more = new ArrayList<>(Assembly.consumers(state, claim));
        ready.consumer(claim.key()).ifPresent(more::add);
        return Optional.of(given(row, claim, placed.node(), more, number));
    }

    /** The current allocation of a claim for these consumers, whether this cell or another allocator decided it. */
    private Row.GrantRow given(
            Row.ItemRow row, ResourceClaim claim, String node, List<Consumer> consumers, long number) {
        Optional<Row.GrantRow> before = state.grant(claim.meta().uid());
        return new Row.GrantRow(
                claim.key(),
                claim.meta().uid(),
                number,
                before.map(Row.GrantRow::item).orElse(row.item()),
                before.map(Row.GrantRow::node).orElse(node),
                Assembly.allocation(state, claim).orElseThrow(),
                consumers,
                before.map(Row.GrantRow::claimVersion).orElseGet(() -> state.version(claim.key())),
                before.map(Row.GrantRow::standing).orElse(Row.GrantRow.Standing.COMMITTED));
    }

    private static List<Output> outputs(
            Row.ItemRow row, Assembly.Ready ready, Plan.Placed placed, List<Row.GrantRow> grants) {
        List<Output> outputs = new ArrayList<>();
        for (Row.GrantRow grant : grants) {
            outputs.add(new Output.Decided(
                    new Decision(grant.claim(), grant.claimUid(), grant.number(), row.item(), grant.verdict())));
        }
        outputs.add(new Output.Explained(new Explanation(
                row.item(),
                ready.claims(),
                placed.steps(),
                new Explanation.Because.Granted(placed.node(), placed.choice()))));
        return outputs;
    }
}
