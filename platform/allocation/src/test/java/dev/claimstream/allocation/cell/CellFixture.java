package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * A simulated cluster with a watcher and one cell, for stories and tests.
 *
 * <p>The invariants are checked after every observation.
 */
final class CellFixture {
    static final String NAMESPACE = "default";

    private final List<Observation> observations = new ArrayList<>();
    final SimulatedApiServer apiServer = new SimulatedApiServer(observations);
    private final State state = new State(new TextSelectors());
    private final Cell cell = new Cell(state);
    private final List<Output> outputs = new ArrayList<>();
    private final List<IgnoredObservation> ignored = new ArrayList<>();
    private int consumed;
    private long steps;
    private long work;
    private int created;
    private CellSettings settings = CellSettings.defaults();

    State state() {
        return state;
    }

    /** Sends new observations to the cell. The outputs replace those of the last call. */
    void run() {
        outputs.clear();
        ignored.clear();
        steps = 0;
        work = 0;
        for (; consumed < observations.size(); consumed++) {
            Step step = cell.step(new Input(consumed, History.START.plusSeconds(consumed), observations.get(consumed)));
            Invariants.check(state);
            outputs.addAll(step.outputs());
            ignored.addAll(step.ignored());
            steps += step.steps();
            work += step.work();
        }
    }

    void observe(Observation observation) {
        observations.add(observation);
    }

    /** Repeats the last observation of an object. */
    void repeatLast(Kind kind, ObjectKey key) {
        observations.stream()
                .filter(each -> each instanceof Observation.ObjectUpserted upserted
                        && upserted.object().kind() == kind
                        && upserted.object().key().equals(key))
                .reduce((first, second) -> second)
                .ifPresent(observations::add);
    }

    /** Repeats the first observation of an object, after all others. */
    void repeatFirst(Kind kind, ObjectKey key) {
        Observation first = observations.stream()
                .filter(each -> each instanceof Observation.ObjectUpserted upserted
                        && upserted.object().kind() == kind
                        && upserted.object().key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no observation of %s %s".formatted(kind, key)));
        observations.add(first);
    }

    /** Repeats all observations in order. */
    void repeatAll() {
        observations.addAll(List.copyOf(observations));
    }

    void relist(Kind kind) {
        apiServer.relist(kind, new Random(1), false, 2);
    }

    void settings(CellSettings changed) {
        settings = changed;
        observations.add(new Observation.SettingsChanged(changed));
    }

    void settings(PlacementPolicy policy, long searchStepsMax, int overtakenMax) {
        settings(settings.toBuilder()
                .policy(policy)
                .searchStepsMax(searchStepsMax)
                .overtakenMax(overtakenMax)
                .build());
    }

    void sources(SortedMap<Kind, SortedSet<String>> sources) {
        settings(settings.toBuilder().sources(new TreeMap<>(sources)).build());
    }

    CellSettings settings() {
        return settings;
    }

    /** The creation time of the next object; creation times follow the order of the story. */
    Instant nextCreationTime() {
        return History.START.plusSeconds(created++);
    }

    List<Output> outputs() {
        return outputs;
    }

    /** The ignored observations of the last run, without mere repetitions. */
    List<IgnoredObservation> ignored() {
        return ignored;
    }

    List<Decision> decisions() {
        List<Decision> decisions = new ArrayList<>();
        for (Output output : outputs) {
            if (output instanceof Output.DecisionMade made) {
                decisions.add(made.decision());
            }
        }
        return decisions;
    }

    long steps() {
        return steps;
    }

    /** Units of work of the last run. */
    long work() {
        return work;
    }

    static ObjectKey key(String name) {
        return new ObjectKey(NAMESPACE, name);
    }

    ResourceClaim claim(String name) {
        return apiServer
                .find(Kind.RESOURCE_CLAIM, key(name), ResourceClaim.class)
                .orElseThrow(() -> new IllegalArgumentException("unknown claim " + name));
    }

    Pod pod(String name) {
        return apiServer
                .find(Kind.POD, key(name), Pod.class)
                .orElseThrow(() -> new IllegalArgumentException("unknown pod " + name));
    }

    Optional<ClaimRow.AllocationRow> decidedAllocation(String claim) {
        return state.decidedAllocation(claim(claim).meta().uid());
    }
}
