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
final class Stage {
    static final String NAMESPACE = "default";

    private final List<Observation> out = new ArrayList<>();
    final World world = new World(out);
    private final State state = new State(new TextSelectors());
    private final Cell cell = new Cell(state);
    private final List<Output> said = new ArrayList<>();
    private final List<IgnoredObservation> ignored = new ArrayList<>();
    private int fed;
    private long steps;
    private long work;
    private int born;
    private CellSettings settings = CellSettings.defaults();
    private Optional<ItemId> subject = Optional.empty();

    State state() {
        return state;
    }

    /** Sends new observations to the cell. The outputs replace those of the last call. */
    void play() {
        said.clear();
        ignored.clear();
        steps = 0;
        work = 0;
        for (; fed < out.size(); fed++) {
            Step step = cell.step(new Input(fed, History.START.plusSeconds(fed), out.get(fed)));
            Invariants.check(state);
            said.addAll(step.outputs());
            ignored.addAll(step.ignored());
            steps += step.steps();
            work += step.work();
        }
    }

    void observe(Observation observation) {
        out.add(observation);
    }

    /** Repeats the last observation of an object. */
    void seeAgain(Kind kind, ObjectKey key) {
        out.stream()
                .filter(each -> each instanceof Observation.ObjectUpserted seen
                        && seen.object().kind() == kind
                        && seen.object().key().equals(key))
                .reduce((first, second) -> second)
                .ifPresent(out::add);
    }

    /** Repeats the first observation of an object, after all others. */
    void seeFirstAgain(Kind kind, ObjectKey key) {
        Observation first = out.stream()
                .filter(each -> each instanceof Observation.ObjectUpserted seen
                        && seen.object().kind() == kind
                        && seen.object().key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("nothing was said of %s %s".formatted(kind, key)));
        out.add(first);
    }

    /** Repeats all observations in order. */
    void repeat() {
        out.addAll(List.copyOf(out));
    }

    void list(Kind kind) {
        world.list(kind, new Random(1), false, 2);
    }

    void settings(CellSettings changed) {
        settings = changed;
        out.add(new Observation.SettingsChanged(changed));
    }

    void settings(PlacementPolicy policy, long searchStepsMax, int overtakenMax) {
        settings(new CellSettings(
                policy,
                searchStepsMax,
                overtakenMax,
                settings.coolDown(),
                settings.preemption(),
                settings.kubeScheduler(),
                settings.sources(),
                settings.features(),
                settings.work(),
                settings.engine()));
    }

    void sources(SortedMap<Kind, SortedSet<String>> sources) {
        settings(settings.withSources(new TreeMap<>(sources)));
    }

    CellSettings settings() {
        return settings;
    }

    /** The creation time of the next object; creation times follow the order of the story. */
    Instant birth() {
        return History.START.plusSeconds(born++);
    }

    List<Output> said() {
        return said;
    }

    /** The ignored observations of the last run, without mere repetitions. */
    List<IgnoredObservation> ignored() {
        return ignored;
    }

    List<Decision> decisions() {
        List<Decision> decisions = new ArrayList<>();
        for (Output output : said) {
            if (output instanceof Output.DecisionMade decided) {
                decisions.add(decided.decision());
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

    void speakOf(ItemId item) {
        subject = Optional.of(item);
    }

    /** The item of the last sentence about an item. */
    ItemId subject() {
        return subject.orElseThrow(() -> new IllegalArgumentException("nobody was spoken of yet"));
    }

    static ObjectKey key(String name) {
        return new ObjectKey(NAMESPACE, name);
    }

    ResourceClaim claim(String name) {
        return world.at(Kind.RESOURCE_CLAIM, key(name), ResourceClaim.class)
                .orElseThrow(() -> new IllegalArgumentException("there is no claim " + name));
    }

    Pod pod(String name) {
        return world.at(Kind.POD, key(name), Pod.class)
                .orElseThrow(() -> new IllegalArgumentException("there is no pod " + name));
    }

    Optional<Row.AllocationRow> grant(String claim) {
        return state.decidedAllocation(claim(claim).meta().uid());
    }
}
