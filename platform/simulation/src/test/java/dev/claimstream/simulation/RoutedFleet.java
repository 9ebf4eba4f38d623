package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Row;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** A router and its cells in memory. Nodes have the label of their cell. */
final class RoutedFleet {
    private final Router router;
    private final Deque<RouterInput.RouterEvent> routerIn = new ArrayDeque<>();
    private final List<Cell> cells = new ArrayList<>();
    private final List<Deque<Observation>> cellsIn = new ArrayList<>();
    private final long[] offsets;
    private long routerOffset;

    RoutedFleet(int cells, String... manifests) {
        router = new Router(new RouterState(cells));
        offsets = new long[cells];
        for (int i = 0; i < cells; i++) {
            this.cells.add(new Cell(new State(new CelSelectors(), new CellIdentity(i, cells))));
            cellsIn.add(new ArrayDeque<>());
        }
        process(new Observation.SettingsChanged(CellSettings.defaults()));
        add(manifests);
    }

    /** The manifest of a node in a cell. */
    static String node(int cell, String name, int gpus) {
        return SampleFleet.node(name, "type-" + cell, gpus, "40Gi")
                .replaceFirst(
                        "node.kubernetes.io/instance-type:",
                        "claimstream.dev/cell: \"%d\", node.kubernetes.io/instance-type:".formatted(cell));
    }

    /** Publishes objects, and lets router and cells decide. */
    void add(String... manifests) {
        if (manifests.length == 0) {
            return;
        }
        SampleFleet.objects(manifests).stream()
                .sorted(Comparator.comparingInt(object -> Simulation.order(object.kind())))
                .forEach(object -> process(new Observation.ObjectUpserted(new Stamp("files", 1, 1), object)));
    }

    List<SimulatedCell> simulated() {
        return cells.stream()
                .map(cell -> new SimulatedCell(
                        cell, SampleFleet.AT, offsets[cell.state().identity().index()] - 1))
                .toList();
    }

    State cell(int index) {
        return cells.get(index).state();
    }

    List<SortedMap<String, Row>> rows() {
        return cells.stream()
                .<SortedMap<String, Row>>map(cell -> new TreeMap<>(cell.state().rows()))
                .toList();
    }

    private void process(Observation observation) {
        routerIn.add(new RouterInput.RouterEvent.ObservationInput(observation));
        while (!routerIn.isEmpty() || cellsIn.stream().anyMatch(log -> !log.isEmpty())) {
            while (!routerIn.isEmpty()) {
                route(routerIn.remove());
            }
            for (int i = 0; i < offsets.length; i++) {
                while (!cellsIn.get(i).isEmpty()) {
                    step(i, cellsIn.get(i).remove());
                }
                while (cell(i).hasUnfinishedWork()) {
                    step(i, new Observation.WorkSliceDue(cell(i).nextSlice()));
                }
            }
        }
    }

    private void route(RouterInput.RouterEvent event) {
        for (RouterOutput output : router.step(new RouterInput(routerOffset++, SampleFleet.AT, event))
                .outputs()) {
            if (output instanceof RouterOutput.CellObservation toCells) {
                toCells.cells().forEach(cell -> cellsIn.get(cell).add(toCells.observation()));
            }
        }
    }

    private void step(int number, Observation observation) {
        for (Output output : cells.get(number)
                .step(new Input(offsets[number]++, SampleFleet.AT, observation))
                .outputs()) {
            if (output instanceof Output.RouterMessage(CellReport report)) {
                routerIn.add(new RouterInput.RouterEvent.ReportInput(
                        number, report, cell(number).freeDevices()));
            }
        }
    }
}
