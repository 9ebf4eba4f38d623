package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Records that the search of a cell for an assigned item continues in slices.
 *
 * <p>Meanwhile the cell explains the item: it alone knows whether it has decided the item since. An explanation of the
 * router could follow the decision of the cell.
 */
final class UnfinishedSearches {
    private final RouterStepBuilder step;
    private final RouterState state;
    private final ItemDispatcher dispatcher;

    UnfinishedSearches(RouterStepBuilder step, ItemDispatcher dispatcher) {
        this.step = step;
        this.state = step.state;
        this.dispatcher = dispatcher;
    }

    /**
     * Records a report of the cell to which an item is assigned. Returns false if the report is another one.
     *
     * <p>The reasons by cell stay: they are those of complete searches. A late report of an earlier assignment costs a
     * repeated reason or a repeated probe, and nothing else.
     */
    boolean record(RouterRow.ItemLocationRow row, int cell, CellReport.ReasonChanged reasoned) {
        Reason reason = reasoned.pending().diagnosis().reason();
        boolean isUnfinished = reason == Reason.EvaluationPending || reason == Reason.SearchBudgetExhausted;
        if (!(row.location() instanceof RouterRow.ItemLocation.AssignedToCell sent)
                || sent.cell() != cell
                || !isUnfinished) {
            return false;
        }
        step.put(row.withAssignment(sent.withUnfinishedWork(), row.claims()).withoutReason());
        if (!sent.isUnfinished()) {
            repeatProbes(cell);
            row.claims().forEach(this::explainBlocked);
        }
        return true;
    }

    /** Sends the probes again that the cell echoed before. A cell echoes a probe when its work ends, or after many slices. */
    private void repeatProbes(int cell) {
        for (RouterRow.RouterProbeRow probe : state.probes()) {
            if (probe.echoes().contains(cell)) {
                SortedSet<Integer> others = new TreeSet<>(probe.echoes());
                others.remove(cell);
                step.put(new RouterRow.RouterProbeRow(probe.id(), probe.arrived(), probe.parts(), others));
                step.send(CellPlacement.only(cell), new Observation.Probe(probe.id(), 0, 1));
            }
        }
    }

    private void explainBlocked(ObjectKey claim) {
        List.copyOf(state.clusterState().itemsOf(claim)).stream()
                .flatMap(item -> state.item(item).stream())
                .filter(row -> row.location() instanceof RouterRow.ItemLocation.AtRouter here
                        && here.blocked()
                        && row.reason().isEmpty())
                .forEach(row ->
                        dispatcher.keepBlocked(row, state.readiness(row.item()).claims()));
    }
}
