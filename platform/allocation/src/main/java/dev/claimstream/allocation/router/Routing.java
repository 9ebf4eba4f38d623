package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Items;
import dev.claimstream.allocation.cell.Knowledge;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Dispatches items to cells, one cell at a time, until a cell allocates them.
 *
 * <p>An item that no cell can allocate is pending at the router. Two items with a common claim are never undecided in cells at the same
 * time; after the first is decided, the second follows it to the same cell.
 */
final class Routing {
    private static final String NOT_LISTED = "not every source has listed what it has";

    private final Turn turn;
    private final RouterState state;
    private final Telling telling;
    private final SortedSet<ItemId> touched = new TreeSet<>();

    Routing(Turn turn, Telling telling) {
        this.turn = turn;
        this.telling = telling;
        this.state = turn.state;
    }

    // ---- changes of objects

    /** Reconciles an item after its pod or claim has changed. */
    void touch(ItemId item) {
        touched.add(item);
        Optional<RouterRow.ItemRow> known = state.item(item);
        if (known.isPresent() && !(known.get().at() instanceof RouterRow.At.Router)) {
            known.map(RouterRow.ItemRow::at)
                    .filter(RouterRow.At.Sent.class::isInstance)
                    .map(RouterRow.At.Sent.class::cast)
                    .ifPresent(sent -> turn.put(
                            known.get().sent(sent.changed(), known.get().claims())));
            return;
        }
        Optional<Items.Wanted> wanted = wanted(item);
        if (wanted.isEmpty()) {
            known.ifPresent(row -> turn.drop(row.key()));
            return;
        }
        boolean isNew =
                known.isEmpty() || !known.get().uid().equals(wanted.get().uid());
        var row = new RouterRow.ItemRow(
                item,
                wanted.get().uid(),
                wanted.get().rank(),
                new RouterRow.At.Router(false),
                List.of(),
                isNew ? Optional.empty() : known.get().reason(),
                isNew ? "" : known.get().message(),
                new TreeMap<>(),
                new TreeSet<>());
        turn.put(row);
        send(row, new TreeSet<>(), new TreeSet<>());
    }

    /** Retries the pending items with this retry trigger. */
    void wake(Reason.Wake wake) {
        state.waitingFor(wake).forEach(item -> again(state.item(item).orElseThrow()));
    }

    /** Discards the reasons of an item and dispatches it again. */
    void again(RouterRow.ItemRow row) {
        RouterRow.ItemRow fresh = row.with(new TreeMap<>());
        turn.put(fresh);
        send(fresh, new TreeSet<>(), new TreeSet<>());
    }

    /** Returns the specification of an item that should exist. */
    Optional<Items.Wanted> wanted(ItemId item) {
        return state.world().wanted(item, this::isOurs);
    }

    private boolean isOurs(ResourceClaim claim) {
        return state.bound(claim.meta().uid())
                .filter(bound -> bound.item().equals(ItemId.claim(claim.key())))
                .isPresent();
    }

    /**
     * Handles the deletion of a claim. Its final output follows only after all cells have released it and decided the items that use it.
     */
    void ended(String uid, ObjectKey claim) {
        for (ItemId item : List.copyOf(state.away(claim))) {
            turn.put(state.item(item).orElseThrow().ended(uid));
        }
        endIfDone(uid);
    }

    /** Emits the deletion of a claim, unless a cell can still make decisions on it. */
    void endIfDone(String uid) {
        if (state.bound(uid).isEmpty() && state.ending(uid).isEmpty()) {
            turn.say(new RouterOutput.Said(new Output.Ended(uid)));
        }
    }

    // ---- dispatch

    /**
     * Dispatches an item at the router to the next cell, or keeps it pending.
     *
     * @param tried cells to skip
     * @param offers cells that have offered to allocate the item; they come first
     */
    void send(RouterRow.ItemRow row, SortedSet<Integer> tried, SortedSet<Integer> offers) {
        Knowledge.Look look = state.look(row.item());
        if (isLocked(row.item(), look)) {
            turn.put(row.back(true));
            return;
        }
        switch (look) {
            case Knowledge.Look.Unready unready -> stay(row, unready.claims(), unready.diagnosis());
            case Knowledge.Look.Ready ready -> {
                if (!state.world().isListed()) {
                    stay(
                            row,
                            ready.claims(),
                            new Plan.Diagnosis(Reason.SourcesNotListed, NOT_LISTED, Optional.empty()));
                } else {
                    send(row, ready, tried, offers);
                }
            }
        }
    }

    private void send(
            RouterRow.ItemRow row, Knowledge.Look.Ready ready, SortedSet<Integer> tried, SortedSet<Integer> offers) {
        SortedSet<Integer> bound = boundTo(ready);
        if (bound.size() > 1) {
            stay(
                    row,
                    ready.claims(),
                    new Plan.Diagnosis(
                            Reason.SpansCells,
                            "what it shares with others is in cells %s, and its node can be in one of them alone"
                                    .formatted(bound),
                            Optional.empty()));
            return;
        }
        List<Integer> candidates = bound.isEmpty() ? inTurn(ready) : new ArrayList<>(bound);
        candidates.removeAll(tried);
        candidates.sort(Comparator.comparing((Integer cell) -> !offers.contains(cell)));
        Optional<Integer> next = candidates.stream().findFirst();
        if (next.isEmpty()) {
            stay(row, ready.claims(), row.reasons());
            return;
        }
        SortedSet<Integer> open = new TreeSet<>(offers);
        open.remove(next.orElseThrow());
        long attempt = turn.nextAttempt();
        expect(next.get(), ready);
        turn.put(row.sent(new RouterRow.At.Sent(next.get(), attempt, tried, open, false), ready.claims()));
        telling.introduce(next.get(), ready.claims());
        turn.send(
                Placing.only(next.get()),
                new Observation.Assigned(
                        row.item(), row.uid(), attempt, state.count().decisions()));
    }

    /** Returns whether another item with a common claim is undecided in a cell. */
    private boolean isLocked(ItemId item, Knowledge.Look look) {
        return look.claims().stream()
                .flatMap(claim -> state.away(claim).stream())
                .anyMatch(other -> !other.equals(item) && state.sent().contains(other));
    }

    /**
     * Returns the cells to which the item's claims are bound.
     *
     * <p>These are the cells that allocated a claim, or may do so for an item that they have already allocated. Allocations of other
     * allocators bind a claim to a node; the cell of the node detects that.
     */
    private SortedSet<Integer> boundTo(Knowledge.Look.Ready ready) {
        var cells = new TreeSet<Integer>();
        ready.uids().forEach(uid -> state.bound(uid).ifPresent(bound -> cells.add(bound.cell())));
        ready.claims().stream()
                .filter(this::isUnallocated)
                .flatMap(claim -> state.away(claim).stream())
                .flatMap(other -> state.item(other).stream())
                .forEach(other -> {
                    if (other.at() instanceof RouterRow.At.Served served) {
                        cells.add(served.cell());
                    }
                });
        return cells;
    }

    private boolean isUnallocated(ObjectKey key) {
        return state.world()
                .claim(key)
                .filter(claim -> claim.allocation().isEmpty())
                .isPresent();
    }

    /**
     * Returns all cells, those with the most free devices first; ties rotate. An item with a fixed node gets only the cell of that node.
     */
    private List<Integer> inTurn(Knowledge.Look.Ready ready) {
        Optional<Integer> there = ready.nodeName().flatMap(state::node).map(RouterRow.NodeRow::cell);
        if (there.isPresent()) {
            return new ArrayList<>(List.of(there.get()));
        }
        List<Integer> cells = new ArrayList<>();
        for (int i = 0; i < state.cells(); i++) {
            cells.add((int) ((state.count().attempts() + i) % state.cells()));
        }
        cells.sort(Comparator.comparingLong(state::free).reversed());
        return cells;
    }

    /** Subtracts the requested devices from the free devices of a cell until its next report. */
    private void expect(int cell, Knowledge.Look.Ready ready) {
        long free = state.free(cell);
        if (free != Long.MAX_VALUE) {
            long wanted = ready.claims().stream()
                    .flatMap(key -> state.world().claim(key).stream())
                    .mapToLong(Routing::devices)
                    .sum();
            turn.put(new RouterRow.FreeRow(cell, Math.max(0, free - wanted)));
        }
    }

    /** Returns how many devices a claim requests; 1 per request if the number is not fixed. */
    private static long devices(ResourceClaim claim) {
        return claim.spec().requests().stream()
                .mapToLong(request -> switch (request) {
                    case DeviceRequest.Exactly exactly ->
                        Math.max(1, exactly.spec().count());
                    case DeviceRequest.FirstAvailable first -> 1;
                    case DeviceRequest.Unsupported unsupported -> 1;
                })
                .sum();
    }

    // ---- pending items

    /** Keeps an item pending with the merged reasons of the cells. */
    void stay(RouterRow.ItemRow row, List<ObjectKey> claims, SortedMap<Integer, Explanation.Because.Waits> reasons) {
        stay(row, claims, reasons.isEmpty() ? nobodyAsked() : Merged.of(reasons));
    }

    /** Returns the reason for an item if its only possible cell cannot be asked now. */
    private static Explanation.Because.Waits nobodyAsked() {
        return new Explanation.Because.Waits(
                new Plan.Diagnosis(Reason.NoUsableNode, "no cell can be asked now", Optional.empty()), List.of());
    }

    private void stay(RouterRow.ItemRow row, List<ObjectKey> claims, Plan.Diagnosis diagnosis) {
        stay(row, claims, new Explanation.Because.Waits(diagnosis, List.of()));
    }

    /** Keeps an item pending, and emits the reason if it is new or the item has changed. */
    void stay(RouterRow.ItemRow row, List<ObjectKey> claims, Explanation.Because.Waits because) {
        Reason reason = because.diagnosis().reason();
        boolean isTold = row.reason().equals(Optional.of(reason)) && !touched.contains(row.item());
        turn.put(row.back(false).told(reason, because.diagnosis().message()));
        if (isTold) {
            return;
        }
        touched.remove(row.item());
        List<ObjectKey> open = claims.stream().filter(this::isOpen).toList();
        open.forEach(claim -> tell(row.item(), claim, because.diagnosis()));
        turn.say(new RouterOutput.Said(new Output.Explained(new Explanation(row.item(), open, 0, because))));
    }

    /** Returns whether a claim is unallocated, bound to no cell, and not used by an item in a cell. */
    private boolean isOpen(ObjectKey key) {
        return isUnallocated(key)
                && state.away(key).isEmpty()
                && state.world()
                        .claim(key)
                        .filter(claim -> state.bound(claim.meta().uid()).isEmpty())
                        .isPresent();
    }

    private void tell(ItemId item, ObjectKey key, Plan.Diagnosis diagnosis) {
        String uid = state.world().claim(key).orElseThrow().meta().uid();
        turn.say(new RouterOutput.Said(new Output.Decided(new Decision(
                key,
                uid,
                turn.nextDecision(),
                item,
                new Decision.Verdict.Waits(diagnosis.reason(), diagnosis.message())))));
    }

    /** Dispatches the items that were blocked by items with these claims. */
    void unlock(List<ObjectKey> claims) {
        var pending = new TreeMap<Rank, ItemId>();
        for (ObjectKey claim : claims) {
            for (ItemId item : state.world().itemsOf(claim)) {
                state.item(item)
                        .filter(row -> row.at() instanceof RouterRow.At.Router here && here.pending())
                        .ifPresent(row -> pending.put(row.rank(), item));
            }
        }
        touched.addAll(pending.values());
        pending.values().forEach(item -> state.item(item).ifPresent(this::again));
    }
}
