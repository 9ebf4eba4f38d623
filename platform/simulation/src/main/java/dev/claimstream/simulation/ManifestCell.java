package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Selectors;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A cell that has decided the objects of manifests, without a log. */
public final class ManifestCell {
    private static final String SOURCE = "files";

    /** Maximum number of work slices after the last object. */
    private static final int SLICES_MAX = 10_000;

    private ManifestCell() {}

    /**
     * Decides completed objects of a cluster. Claims are allocated at once, and those of pods with their pods.
     *
     * @param at time of all inputs
     */
    public static Cell of(List<ClusterObject> objects, CellSettings settings, Selectors selectors, Instant at) {
        var cell = new Cell(new State(selectors));
        List<Observation> observations = new ArrayList<>();
        observations.add(new Observation.SettingsChanged(settings));
        objects.stream()
                .sorted(Comparator.comparingInt(object -> Simulation.order(object.kind())))
                .forEach(object -> observations.add(new Observation.ObjectUpserted(new Stamp(SOURCE, 1, 1), object)));
        observations.forEach(each -> step(cell, at, each));
        for (int i = 0; i < SLICES_MAX && cell.state().hasUnfinishedWork(); i++) {
            step(cell, at, new Observation.WorkSliceDue(cell.state().nextSlice()));
        }
        return cell;
    }

    private static void step(Cell cell, Instant at, Observation observation) {
        cell.step(new Input(cell.state().count().offset() + 1, at, observation));
    }
}
