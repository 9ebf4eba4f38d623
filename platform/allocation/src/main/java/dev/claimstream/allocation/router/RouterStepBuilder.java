package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.IgnoredObservation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Builds the result of one input: applies each fact immediately, and collects facts and outputs. */
final class RouterStepBuilder {
    final RouterState state;
    final List<RouterFact> facts = new ArrayList<>();
    final List<RouterOutput> outputs = new ArrayList<>();
    final List<IgnoredObservation> ignored = new ArrayList<>();
    private final NavigableSet<ItemId> changed = new TreeSet<>();

    RouterStepBuilder(RouterState state) {
        this.state = state;
    }

    void put(RouterRow row) {
        apply(new RouterFact.RouterRowPut(row));
    }

    void delete(String key) {
        apply(new RouterFact.RouterRowDrop(key));
    }

    void apply(RouterFact fact) {
        facts.add(fact);
        item(state.rows().get(fact.key())).ifPresent(changed::add);
        state.apply(fact);
    }

    private static Optional<ItemId> item(@Nullable RouterRow row) {
        return switch (row) {
            case RouterRow.ItemLocationRow item -> Optional.of(item.item());
            case RouterRow.BoundClaimRow bound -> Optional.of(bound.item());
            case null, default -> Optional.empty();
        };
    }

    /**
     * Deletes the explanations of items that no longer exist.
     *
     * <p>The explanation of an allocation remains until the allocation is released, even if its item is gone.
     */
    void retractExplanations() {
        changed.stream()
                .filter(item -> state.item(item).isEmpty() && !state.hasAllocationFor(item))
                .forEach(item -> emit(new RouterOutput.PublicOutput(new Output.ExplanationDeleted(item))));
    }

    void emit(RouterOutput output) {
        outputs.add(output);
    }

    void send(SortedSet<Integer> cells, Observation observation) {
        if (!cells.isEmpty()) {
            outputs.add(new RouterOutput.CellObservation(cells, observation));
        }
    }

    /** Returns the next number for an attempt, a transfer or a deferred observation. */
    long nextAttempt() {
        RouterRow.RouterCountRow count = state.count();
        put(new RouterRow.RouterCountRow(count.decisions(), count.attempts() + 1, count.offset()));
        return count.attempts() + 1;
    }

    /** Returns the next decision number. */
    long nextDecision() {
        RouterRow.RouterCountRow count = state.count();
        long number = state.identity().nextDecision(count.decisions());
        put(new RouterRow.RouterCountRow(number, count.attempts(), count.offset()));
        return number;
    }

    /** Raises the highest decision number to one that a cell has used. */
    void advanceDecisions(long number) {
        RouterRow.RouterCountRow count = state.count();
        if (number > count.decisions()) {
            put(new RouterRow.RouterCountRow(number, count.attempts(), count.offset()));
        }
    }
}
