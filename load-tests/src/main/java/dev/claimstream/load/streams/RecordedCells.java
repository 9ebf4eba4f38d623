package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterFact;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.audit.streams.RowsHash;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.CellInputWriter;
import dev.claimstream.wire.StateRowCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A router and several cells whose inputs and ledgers are recorded as the allocator records them.
 *
 * <p>Each process reads its log in order; a random process continues. A killed process restores its state from its
 * rows.
 */
final class RecordedCells {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String ENGINE = "recording";
    private static final String ROWS = "cell-rows";
    private static final int MILLIS_PER_INPUT = 100;

    /** Interval of state hashes, in inputs of a cell. */
    private static final long SNAPSHOT_EVERY = 5_000;

    private final int cells;
    private final Random random;
    private final Consumer<Decision> decisions;
    private final Selectors selectors = new CelSelectors();
    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final HeapLog log = new HeapLog(registry);
    private final NaiveFold holders = new NaiveFold();
    private final AvroSerde<CellInputRecord> inputs = AvroSerde.of(CellInputRecord.class, registry);
    private final AvroSerde<LedgerEvent> ledger = AvroSerde.of(LedgerEvent.class, registry);
    private final AvroSerde<StateRow> rows = AvroSerde.of(StateRow.class, registry);
    private final List<Cell> instances = new ArrayList<>();
    private final List<LedgerChain> chains = new ArrayList<>();
    private final List<Deque<QueuedInput>> cellsIn = new ArrayList<>();
    private final Deque<RouterInput.RouterEvent> routerIn = new ArrayDeque<>();
    private final SortedMap<String, Decision> lastDecisions = new TreeMap<>();
    private final SortedMap<String, Integer> decidingCells = new TreeMap<>();
    private final SortedMap<String, Integer> placements = new TreeMap<>();
    private final long[] offsets;
    private final Instant[] ticks;
    private Router router;
    private long routerOffset;
    private long total;
    private long transfers;

    /** An observation with the time at which it was written for the cell: a cell that lags reads it later. */
    private record QueuedInput(Instant at, Observation observation) {}

    /** @param decisions receives each decision, also those of the router */
    RecordedCells(int cells, Random random, Consumer<Decision> decisions) {
        this.cells = cells;
        this.random = random;
        this.decisions = decisions;
        offsets = new long[cells];
        ticks = new Instant[cells];
        router = new Router(new RouterState(cells));
        for (int cell = 0; cell < cells; cell++) {
            instances.add(emptyCell(cell));
            chains.add(new LedgerChain(cell, ByteBuffer.allocate(0)));
            cellsIn.add(new ArrayDeque<>());
            ticks[cell] = Instant.MIN;
        }
    }

    private Cell emptyCell(int cell) {
        return new Cell(new State(selectors, new CellIdentity(cell, cells)));
    }

    HeapLog log() {
        return log;
    }

    /** Returns the intervals in which claims held devices, in order. */
    List<HoldInterval> holders() {
        return holders.intervals();
    }

    /** Number of inputs of all cells. */
    long inputs() {
        return total;
    }

    /** Number of nodes that were moved to another cell. */
    long transfers() {
        return transfers;
    }

    private Instant now() {
        return START.plusMillis(MILLIS_PER_INPUT * (total + routerOffset));
    }

    void observe(Observation observation) {
        routerIn.add(new RouterInput.RouterEvent.ObservationInput(observation));
    }

    /** Processes the next record of a random process; false if none has a record. */
    boolean step() {
        List<Integer> ready = new ArrayList<>();
        for (int cell = 0; cell < cells; cell++) {
            addDueWork(cell);
            if (!cellsIn.get(cell).isEmpty()) {
                ready.add(cell);
            }
        }
        if (!routerIn.isEmpty()) {
            ready.add(cells);
        }
        if (ready.isEmpty()) {
            return false;
        }
        int process = ready.get(random.nextInt(ready.size()));
        if (process == cells) {
            route(routerIn.remove());
        } else {
            process(process, cellsIn.get(process).remove());
        }
        return true;
    }

    private void addDueWork(int cell) {
        State state = instances.get(cell).state();
        Deque<QueuedInput> in = cellsIn.get(cell);
        if (in.isEmpty() && state.hasUnfinishedWork()) {
            in.add(new QueuedInput(now(), new Observation.WorkSliceDue(state.nextSlice())));
        }
        Optional<Instant> due = state.deadline().filter(each -> !each.isAfter(now()));
        if (in.isEmpty() && due.isPresent() && due.get().isAfter(ticks[cell])) {
            ticks[cell] = due.get();
            in.add(new QueuedInput(now(), new Observation.Tick()));
        }
    }

    private void route(RouterInput.RouterEvent event) {
        var input = new RouterInput(routerOffset++, now(), event);
        for (RouterOutput output : router.step(input).outputs()) {
            switch (output) {
                case RouterOutput.CellObservation toCells ->
                    toCells.cells()
                            .forEach(cell -> cellsIn.get(cell).add(new QueuedInput(input.at(), toCells.observation())));
                case RouterOutput.PublicOutput(Output known) -> publish(cells, known);
                case RouterOutput.NodePlacement placed -> {
                    Integer before = placements.put(placed.node(), placed.cell());
                    transfers += before != null && before != placed.cell() ? 1 : 0;
                }
            }
        }
    }

    private void process(int cell, QueuedInput queued) {
        CellInputRecord input = CellInputWriter.to(queued.observation(), queued.at());
        long offset = record(cell, input);
        Cell instance = instances.get(cell);
        List<Decision> made = new ArrayList<>();
        for (Output output :
                instance.step(CellInputReader.from(offset, input).orElseThrow()).outputs()) {
            if (output instanceof Output.DecisionMade(Decision decision)) {
                made.add(decision);
            }
            if (output instanceof Output.RouterMessage(CellReport report)) {
                routerIn.add(new RouterInput.RouterEvent.ReportInput(
                        cell, report, instance.state().freeDevices()));
            } else {
                addEvent(cell, offset, input.getAt(), output);
                publish(cell, output);
            }
        }
        holders.add(cell, input.getAt(), queued.observation(), made);
        if (offset % SNAPSHOT_EVERY == SNAPSHOT_EVERY - 1) {
            var hash = new RowsHash();
            instance.state().rows().forEach((key, row) -> hash.add(key, rows.write(ROWS, StateRowCodec.to(row))));
            add(cell, chains.get(cell).snapshot(offset, input.getAt(), hash.value(), ENGINE));
        }
    }

    private long record(int cell, CellInputRecord input) {
        log.add(LogVerifier.INPUTS, cell, input.getAt(), new byte[0], inputs.write(LogVerifier.INPUTS, input));
        total++;
        return offsets[cell]++;
    }

    private void addEvent(int cell, long offset, Instant at, Output output) {
        switch (output) {
            case Output.DecisionMade(Decision decision) ->
                add(cell, chains.get(cell).decision(offset, at, decision, ENGINE));
            case Output.AlarmChanged alarm -> add(cell, chains.get(cell).alarm(offset, at, alarm, ENGINE));
            default -> {} // not in the ledger
        }
    }

    private void add(int cell, LedgerEvent event) {
        log.add(
                LogVerifier.LEDGER,
                cell,
                event.getAt(),
                Integer.toString(cell).getBytes(StandardCharsets.UTF_8),
                ledger.write(LogVerifier.LEDGER, event));
    }

    private void publish(int process, Output output) {
        if (output instanceof Output.DecisionMade(Decision decision)) {
            lastDecisions.put(decision.claimUid(), decision);
            decidingCells.put(decision.claimUid(), process);
            decisions.accept(decision);
        } else if (output instanceof Output.ClaimDeleted(String uid)) {
            lastDecisions.remove(uid);
        }
    }

    // ---- kills and rebuilds

    /** Kills a random process, which restores its state from its rows. */
    void kill() {
        int process = random.nextInt(cells + 1);
        if (process == cells) {
            var restored = new RouterState(cells);
            router.state().rows().values().forEach(row -> restored.apply(new RouterFact.RouterRowPut(row)));
            router = new Router(restored);
        } else {
            instances.set(
                    process,
                    new Cell(State.of(
                            selectors,
                            new CellIdentity(process, cells),
                            List.copyOf(instances.get(process).state().rows().values()))));
        }
    }

    /**
     * Rebuilds router and cells without their states, from decisions, placements and published objects.
     *
     * @param published the last observation of each object, nodes first
     * @param claims UIDs of the existing claims
     */
    void rebuild(List<Observation> published, Set<String> claims) {
        CellSettings settings = CellSettings.defaults();
        var gated = new Observation.SettingsChanged(withMissingSource(settings));
        routerIn.clear();
        router = new Router(new RouterState(cells));
        for (int cell = 0; cell < cells; cell++) {
            rebuild(cell);
            cellsIn.get(cell).clear();
            add(cell, gated);
        }
        observe(gated);
        placements.forEach((node, cell) -> routerIn.add(new RouterInput.RouterEvent.RestoredPlacement(node, cell)));
        lastDecisions.forEach(this::restore);
        published.forEach(this::observe);
        lastDecisions.forEach((uid, decision) -> {
            if (!claims.contains(uid) && isAllocated(decision)) {
                add(
                        Objects.requireNonNull(decidingCells.get(uid)),
                        new Observation.DecisionRestored(new Decision(
                                decision.claim(),
                                uid,
                                decision.number(),
                                decision.item(),
                                new Decision.DecisionResult.Released())));
            }
        });
        lastDecisions.keySet().removeIf(uid -> !claims.contains(uid));
        observe(new Observation.SettingsChanged(settings));
    }

    private void add(int cell, Observation observation) {
        cellsIn.get(cell).add(new QueuedInput(now(), observation));
    }

    private void rebuild(int cell) {
        Instant at = now();
        long offset = record(
                cell,
                CellInputRecord.newBuilder()
                        .setAt(at)
                        .setRebuild(new Rebuild(chains.get(cell).last()))
                        .build());
        instances.set(cell, emptyCell(cell));
        add(cell, chains.get(cell).rebuild(offset, at, ENGINE));
    }

    private void restore(String uid, Decision decision) {
        int process = Objects.requireNonNull(decidingCells.get(uid));
        if (process < cells) {
            add(process, new Observation.DecisionRestored(decision));
        }
        routerIn.add(new RouterInput.RouterEvent.RestoredDecision(process, decision));
    }

    private static boolean isAllocated(Decision decision) {
        return decision.result() instanceof Decision.DecisionResult.Allocated
                || decision.result() instanceof Decision.DecisionResult.Revoked;
    }

    /** Settings under which nothing is allocated: a source never syncs. */
    private static CellSettings withMissingSource(CellSettings settings) {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>(settings.sources());
        SortedSet<String> names = new TreeSet<>(sources.getOrDefault(Kind.RESOURCE_CLAIM, new TreeSet<>()));
        names.add("never");
        sources.put(Kind.RESOURCE_CLAIM, names);
        return settings.toBuilder().sources(sources).build();
    }
}
