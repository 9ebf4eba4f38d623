package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Inputs that a cell processes as usual, and whose effects {@link #close} undoes unless {@link #keep} was called.
 *
 * <p>The cell decides with its own settings and work budget, and the rows of the state are restored afterwards. Caches
 * keep what they learned: a later input may find a selector evaluated, and charge less work for it. Decisions are the same,
 * but where the work budget is exhausted they need fewer work slices. The cost depends on the changed rows and not
 * on the size of the state. Not thread-safe; a state has at most one trial at a time.
 */
public final class Trial implements AutoCloseable {
    private static final String SOURCE = "simulation";

    private final Cell cell;
    private final Instant at;
    private final Map<String, Optional<Row>> before = new LinkedHashMap<>();
    private final List<CellReport> reports = new ArrayList<>();

    private Trial(Cell cell, Instant at) {
        this.cell = cell;
        this.at = at;
    }

    /**
     * Begins a trial.
     *
     * @param at time of all inputs of the trial
     * @throws IllegalStateException if another trial of the state is open
     */
    public static Trial begin(Cell cell, Instant at) {
        var trial = new Trial(cell, at);
        cell.state().recordInto(Optional.of(trial));
        return trial;
    }

    /** Processes an observation after all inputs of the cell. */
    public Step step(Observation observation) {
        Step step = cell.step(new Input(cell.state().count().offset() + 1, at, observation));
        step.outputs().forEach(output -> {
            if (output instanceof Output.RouterMessage(CellReport report)) {
                reports.add(report);
            }
        });
        return step;
    }

    /**
     * Adds or replaces an object, as its source would publish it. A new object is one of a source of its own, whose
     * claims are allocated at once. Publish pods before their claims, so that the claims are allocated for the pods.
     */
    public Step upsert(ClusterObject object) {
        return step(new Observation.ObjectUpserted(nextStamp(object.kind(), object.key()), object));
    }

    /** Deletes an object, as its source would publish it; an unknown object has no effect. */
    public void delete(Kind kind, ObjectKey key) {
        state().object(kind, key)
                .ifPresent(row -> step(new Observation.ObjectDeleted(nextStamp(kind, key), kind, key, row.uid())));
    }

    /** The stamp of the next version of an object, by the only source that can change it. */
    private Stamp nextStamp(Kind kind, ObjectKey key) {
        return state().object(kind, key)
                .map(ObservedRow.ObjectRow::stamp)
                .map(last -> new Stamp(last.source(), last.epoch(), last.version() + 1, last.timing()))
                .orElseGet(() -> new Stamp(SOURCE, 1, 1));
    }

    /** Returns what one of several cells has reported to its router since the last call. */
    public List<CellReport> takeReports() {
        List<CellReport> taken = List.copyOf(reports);
        reports.clear();
        return taken;
    }

    /**
     * Cordons a node and evicts the pods that have devices there: they and their claims are created again.
     *
     * @return the items that need devices on another node, in queue order
     */
    public List<ItemId> drain(String node) {
        return new NodeDrain(this, node).run();
    }

    /**
     * Cordons a node and deletes the pods that have devices there, and their claims.
     *
     * @return the pods and then the claims that their controllers would create again
     */
    public List<ClusterObject> evict(String node) {
        return new NodeDrain(this, node).evict();
    }

    /**
     * Resumes unfinished work of the work budget.
     *
     * @param slicesMax maximum number of work slices
     * @return whether no work is left
     */
    public boolean finishWork(int slicesMax) {
        for (int i = 0; i < slicesMax && cell.state().hasUnfinishedWork(); i++) {
            step(new Observation.WorkSliceDue(cell.state().nextSlice()));
        }
        return !cell.state().hasUnfinishedWork();
    }

    /** The state, with the effects of the inputs so far. */
    public State state() {
        return cell.state();
    }

    /** The time of all inputs. */
    public Instant at() {
        return at;
    }

    /** Remembers the row that a fact replaces. */
    void record(String key, Optional<Row> replaced) {
        before.putIfAbsent(key, replaced);
    }

    /** Ends the trial and keeps its effects. {@link #close} restores nothing afterwards. */
    public void keep() {
        before.clear();
        cell.state().recordInto(Optional.empty());
    }

    /** Restores all rows, in reverse order. */
    @Override
    public void close() {
        State state = cell.state();
        state.recordInto(Optional.empty());
        for (Map.Entry<String, Optional<Row>> each :
                List.copyOf(before.entrySet()).reversed()) {
            state.apply(each.getValue().<Fact>map(Fact.Put::new).orElseGet(() -> new Fact.Drop(each.getKey())));
        }
        state.planner().endSearches();
    }
}
