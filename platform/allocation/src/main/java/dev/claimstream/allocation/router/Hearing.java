package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Verdict;
import dev.claimstream.allocation.solver.Reason;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Processes the reports of cells on assigned items: allocated, returned, deleted, reason changed and offers. */
final class Hearing {
    private final Turn turn;
    private final RouterState state;
    private final Routing routing;

    Hearing(Turn turn, Routing routing) {
        this.turn = turn;
        this.state = turn.state;
        this.routing = routing;
    }

    /**
     * Applies a report on an item and declines the offers that it makes obsolete. A declined cell can offer other items.
     *
     * @param offering the cells that offer the item in this report
     */
    private void hear(ItemId item, List<Integer> offering, Runnable what) {
        Optional<RouterRow.ItemRow> before = state.item(item);
        SortedSet<Integer> open = new TreeSet<>(offering);
        if (before.map(RouterRow.ItemRow::at).orElse(null) instanceof RouterRow.At.Sent sent) {
            open.addAll(sent.offers());
        }
        what.run();
        switch (state.item(item).map(RouterRow.ItemRow::at).orElse(new RouterRow.At.Router(false))) {
            case RouterRow.At.Router here -> {}
            case RouterRow.At.Sent sent -> {
                open.removeAll(sent.offers());
                open.remove(sent.cell());
            }
            case RouterRow.At.Served served -> open.remove(served.cell());
        }
        before.ifPresent(row ->
                open.forEach(cell -> turn.send(Placing.only(cell), new Observation.Declined(item, row.uid()))));
    }

    /** Ends the deleted claims of an item that has left its cell: no decision on them can follow. */
    private void hearOut(RouterRow.ItemRow row) {
        turn.put(row.heardOut());
        row.ended().forEach(routing::endIfDone);
    }

    void served(int cell, Verdict.Served served) {
        hear(served.item(), List.of(), () -> isServed(cell, served));
    }

    private void isServed(int cell, Verdict.Served served) {
        turn.heardOf(served.number());
        for (String uid : served.claims()) {
            if (state.bound(uid).isEmpty()) {
                turn.put(new RouterRow.BoundRow(uid, cell, served.item()));
            }
        }
        lent(cell, served.item(), served.attempt()).ifPresent(row -> {
            turn.put(row.served(new RouterRow.At.Served(cell, served.attempt())));
            routing.unlock(row.claims());
        });
    }

    void givenBack(int cell, Verdict.GivenBack back) {
        hear(back.item(), List.of(), () -> isGivenBack(cell, back));
    }

    private void isGivenBack(int cell, Verdict.GivenBack back) {
        turn.heardOf(back.number());
        lent(cell, back.item(), back.attempt()).ifPresent(row -> {
            hearOut(row);
            SortedMap<Integer, Explanation.Because.Waits> reasons = new TreeMap<>(row.reasons());
            reasons.put(cell, back.because());
            RouterRow.ItemRow here = row.back(false).with(reasons);
            turn.put(here);
            comeBack(here, row.at(), cell, back.because());
            routing.unlock(row.claims());
        });
    }

    private void comeBack(RouterRow.ItemRow row, RouterRow.At was, int cell, Explanation.Because.Waits because) {
        // A cell that had allocated the item may have dropped it based on older state than the router's.
        boolean isChanged = !(was instanceof RouterRow.At.Sent sent) || sent.again();
        if (isChanged || !isWanted(row)) {
            routing.touch(row.item());
            return;
        }
        if (!isForCells(because.diagnosis().reason())) {
            routing.stay(row, state.look(row.item()).claims(), because);
            return;
        }
        SortedSet<Integer> tried =
                new TreeSet<>(was instanceof RouterRow.At.Sent sent ? sent.tried() : new TreeSet<>());
        tried.add(cell);
        SortedSet<Integer> offers =
                new TreeSet<>(was instanceof RouterRow.At.Sent sent ? sent.offers() : new TreeSet<>());
        tried.removeAll(offers);
        routing.send(row, tried, offers);
    }

    private boolean isWanted(RouterRow.ItemRow row) {
        return routing.wanted(row.item())
                .filter(wanted -> wanted.uid().equals(row.uid()))
                .isPresent();
    }

    /** Returns whether another cell may reach a different result. */
    private static boolean isForCells(Reason reason) {
        return switch (reason.wake()) {
            case CAPACITY, CLASSES, ROOM, NEIGHBOURS, WORK -> true;
            case SOURCES, CLAIMS, CONSUMERS, NAMESPACES, ANYTHING -> false; // gangs exist only with a single cell
        };
    }

    void dropped(int cell, Verdict.Dropped dropped) {
        hear(dropped.item(), List.of(), () -> isDropped(cell, dropped));
    }

    private void isDropped(int cell, Verdict.Dropped dropped) {
        lent(cell, dropped.item(), dropped.attempt()).ifPresent(row -> {
            hearOut(row);
            turn.drop(row.key());
            if (routing.wanted(row.item()).isPresent()) {
                routing.touch(row.item());
            }
            routing.unlock(row.claims());
        });
    }

    void reasoned(int cell, Verdict.Reasoned reasoned) {
        state.item(reasoned.item()).ifPresent(row -> {
            SortedMap<Integer, Explanation.Because.Waits> reasons = new TreeMap<>(row.reasons());
            reasons.put(cell, reasoned.because());
            RouterRow.ItemRow now = row.with(reasons);
            boolean isCellsBusiness = row.reason().filter(Hearing::isForCells).isPresent();
            if (row.at() instanceof RouterRow.At.Router here && !here.pending() && isCellsBusiness) {
                routing.stay(now, state.look(row.item()).claims(), reasons);
            } else if (!(row.at() instanceof RouterRow.At.Served)) {
                turn.put(now);
            }
        });
    }

    void wouldFit(int cell, Verdict.WouldFit offer) {
        hear(offer.item(), List.of(cell), () -> isOffered(cell, offer));
    }

    private void isOffered(int cell, Verdict.WouldFit offer) {
        state.item(offer.item()).ifPresent(row -> {
            switch (row.at()) {
                case RouterRow.At.Router here -> {
                    SortedSet<Integer> others = state.all();
                    others.remove(cell);
                    routing.send(row, others, new TreeSet<>());
                }
                case RouterRow.At.Sent sent -> turn.put(row.sent(sent.offered(cell), row.claims()));
                case RouterRow.At.Served served -> {}
            }
        });
    }

    /** Removes the binding of a claim to the cell that released it, and retries the items that use the claim. */
    void freed(int cell, String uid) {
        Optional<RouterRow.BoundRow> bound = state.bound(uid).filter(row -> row.cell() == cell);
        if (bound.isEmpty()) {
            return;
        }
        turn.drop(bound.get().key());
        state.world()
                .claimWithUid(uid)
                .ifPresentOrElse(
                        key -> state.world().itemsOf(key).stream()
                                .filter(item -> state.item(item)
                                        .filter(row -> row.at() instanceof RouterRow.At.Router)
                                        .isPresent())
                                .forEach(item -> routing.again(state.item(item).orElseThrow())),
                        () -> routing.endIfDone(uid));
    }

    private Optional<RouterRow.ItemRow> lent(int cell, ItemId item, long attempt) {
        return state.item(item).filter(row -> switch (row.at()) {
            case RouterRow.At.Router here -> false;
            case RouterRow.At.Sent sent -> sent.cell() == cell && sent.attempt() == attempt;
            case RouterRow.At.Served served -> served.cell() == cell && served.attempt() == attempt;
        });
    }
}
