package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

/** One input's way through the router: what is decided is applied at once and noted. */
final class Turn {
    final RouterState state;
    final List<RouterFact> facts = new ArrayList<>();
    final List<RouterOutput> outputs = new ArrayList<>();

    Turn(RouterState state) {
        this.state = state;
    }

    void put(RouterRow row) {
        take(new RouterFact.Put(row));
    }

    void drop(String key) {
        take(new RouterFact.Drop(key));
    }

    void take(RouterFact fact) {
        facts.add(fact);
        state.apply(fact);
    }

    void say(RouterOutput output) {
        outputs.add(output);
    }

    void send(SortedSet<Integer> cells, Observation observation) {
        outputs.add(new RouterOutput.ToCells(cells, observation));
    }

    /** The next number of an attempt or a transfer. */
    long nextAttempt() {
        RouterRow.CountRow count = state.count();
        put(new RouterRow.CountRow(count.decisions(), count.attempts() + 1, count.offset()));
        return count.attempts() + 1;
    }

    /** The next number of a decision. */
    long nextDecision() {
        RouterRow.CountRow count = state.count();
        long number = state.place().next(count.decisions());
        put(new RouterRow.CountRow(number, count.attempts(), count.offset()));
        return number;
    }

    /** A cell has come as far as this number. */
    void heardOf(long number) {
        RouterRow.CountRow count = state.count();
        if (number > count.decisions()) {
            put(new RouterRow.CountRow(number, count.attempts(), count.offset()));
        }
    }
}
