package dev.claimstream.load;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.selectors.CelSelectors;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** One cell, or a router and several cells with queues between them, in one thread until all queues are empty. */
final class LoadedCells {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final Router router;
    private final Deque<RouterInput.RouterEvent> routerIn = new ArrayDeque<>();
    private final List<Cell> cells = new ArrayList<>();
    private final List<Deque<Observation>> cellsIn = new ArrayList<>();
    private final long[] offsets;
    private long routerOffset;

    LoadedCells(int cells) {
        router = new Router(new RouterState(cells));
        offsets = new long[cells];
        for (int i = 0; i < cells; i++) {
            this.cells.add(new Cell(new State(new CelSelectors(), new CellIdentity(i, cells))));
            cellsIn.add(new ArrayDeque<>());
        }
    }

    /** Processes an observation and all resulting inputs. */
    void process(Observation observation) {
        if (cells.size() == 1) {
            cellsIn.getFirst().add(observation);
        } else {
            routerIn.add(new RouterInput.RouterEvent.ObservationInput(observation));
        }
        while (!routerIn.isEmpty() || cellsIn.stream().anyMatch(log -> !log.isEmpty())) {
            while (!routerIn.isEmpty()) {
                route(routerIn.remove());
            }
            for (int i = 0; i < offsets.length; i++) {
                while (!cellsIn.get(i).isEmpty()) {
                    runCell(i, cellsIn.get(i).remove());
                }
            }
        }
    }

    /** Returns the number of pending items. */
    int pendingCount() {
        return cells.size() == 1
                ? cells.getFirst().state().pending().size()
                : router.state().pending().size();
    }

    private void route(RouterInput.RouterEvent what) {
        for (RouterOutput output :
                router.step(new RouterInput(routerOffset++, NOW, what)).outputs()) {
            if (output instanceof RouterOutput.CellObservation toCells) {
                toCells.cells().forEach(cell -> cellsIn.get(cell).add(toCells.observation()));
            }
        }
    }

    private void runCell(int number, Observation observation) {
        Cell cell = cells.get(number);
        step(number, cell, observation);
        while (cell.state().hasUnfinishedWork()) {
            step(number, cell, new Observation.WorkSliceDue(cell.state().nextSlice()));
        }
    }

    private void step(int number, Cell cell, Observation observation) {
        for (Output output :
                cell.step(new Input(offsets[number]++, NOW, observation)).outputs()) {
            if (output instanceof Output.RouterMessage(CellReport verdict)) {
                routerIn.add(new RouterInput.RouterEvent.ReportInput(
                        number, verdict, cell.state().freeDevices()));
            }
        }
    }
}
