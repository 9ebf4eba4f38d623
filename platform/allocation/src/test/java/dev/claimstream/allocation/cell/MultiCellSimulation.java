package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.router.RouterStep;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a router and its cells with their logs.
 *
 * <p>Each log keeps its order. A random process consumes the next record. Every step checks the invariants over all
 * processes.
 */
final class MultiCellSimulation {
    private final int cells;
    private final int offersMax;
    private final Random random;
    private final List<Cell> instances = new ArrayList<>();
    private final Deque<RouterInput.RouterEvent> routerIn = new ArrayDeque<>();
    private final List<Deque<Observation>> cellsIn = new ArrayList<>();
    private final long[] offsets;
    final List<Output> outputs = new ArrayList<>();
    final List<IgnoredObservation> ignored = new ArrayList<>();
    private final SortedMap<String, Decision> lastDecisions = new TreeMap<>();
    /** Claims with an allocation of a cell. A deallocation that follows does not release it. */
    private final SortedSet<String> allocatedClaims = new TreeSet<>();

    private final SortedMap<String, Integer> decidingCells = new TreeMap<>();
    private final SortedMap<String, Integer> placements = new TreeMap<>();
    private final List<Observation> observedRows = new ArrayList<>();
    private Router router;
    private long routerOffset;
    private boolean isGroupingDisabled;

    MultiCellSimulation(int cells, long seed) {
        this(cells, seed, CellIdentity.OFFERS_DEFAULT);
    }

    MultiCellSimulation(int cells, long seed, int offersMax) {
        this.cells = cells;
        this.offersMax = offersMax;
        this.random = new Random(seed);
        this.offsets = new long[cells];
        this.router = new Router(new RouterState(cells));
        for (int i = 0; i < cells; i++) {
            instances.add(new Cell(new State(new TextSelectors(), identity(i))));
            cellsIn.add(new ArrayDeque<>());
        }
    }

    CellIdentity identity(int cell) {
        return new CellIdentity(cell, cells, offersMax);
    }

    /** Disables the grouping of equivalent items. */
    MultiCellSimulation withoutGrouping() {
        isGroupingDisabled = true;
        return this;
    }

    RouterState router() {
        return router.state();
    }

    State cell(int index) {
        return instances.get(index).state();
    }

    int cells() {
        return cells;
    }

    void observe(Observation observation) {
        observedRows.add(observation);
        routerIn.add(new RouterInput.RouterEvent.ObservationInput(observation));
    }

    // ---- rebuild

    /**
     * Rebuilds router and cells after a loss of their states and logs.
     *
     * <p>They restore from decisions and public topics, and allocate nothing before that.
     *
     * @param isCompacted whether the public topics contain only the last record of each object
     */
    void rebuild(boolean isCompacted) {
        routerIn.clear();
        router = new Router(new RouterState(cells));
        CellSettings settings = settings();
        var gated = new Observation.SettingsChanged(withMissingSource(settings));
        for (int i = 0; i < cells; i++) {
            instances.set(i, new Cell(new State(new TextSelectors(), identity(i))));
            cellsIn.get(i).clear();
            cellsIn.get(i).add(gated);
        }
        routerIn.add(new RouterInput.RouterEvent.ObservationInput(gated));
        placements.forEach((node, cell) -> routerIn.add(new RouterInput.RouterEvent.RestoredPlacement(node, cell)));
        lastDecisions.forEach(this::restore);
        List<Observation> published =
                isCompacted ? new History(observedRows).compact().observations() : observedRows;
        published.stream()
                .filter(MultiCellSimulation::isNode)
                .forEach(observation -> routerIn.add(new RouterInput.RouterEvent.ObservationInput(observation)));
        published.stream()
                .filter(observation -> !(observation instanceof Observation.SettingsChanged))
                .forEach(observation -> routerIn.add(new RouterInput.RouterEvent.ObservationInput(observation)));
        SortedSet<String> existing = existingClaims();
        lastDecisions.forEach((uid, decision) -> {
            if (!existing.contains(uid) && isAllocated(decision)) {
                release(uid, decision);
            }
        });
        allocatedClaims.removeIf(uid -> !isAllocated(lastDecisions.get(uid)));
        lastDecisions.entrySet().removeIf(each -> !existing.contains(each.getKey()) && !isAllocated(each.getValue()));
        routerIn.add(new RouterInput.RouterEvent.ObservationInput(new Observation.SettingsChanged(settings)));
    }

    private static boolean isNode(Observation observation) {
        return observation instanceof Observation.ObjectUpserted(Stamp _, Node _);
    }

    private CellSettings settings() {
        CellSettings settings = CellSettings.defaults();
        for (Observation observation : observedRows) {
            settings = observation instanceof Observation.SettingsChanged(CellSettings later) ? later : settings;
        }
        return settings;
    }

    private static CellSettings withMissingSource(CellSettings settings) {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>(settings.sources());
        SortedSet<String> waited = new TreeSet<>(sources.getOrDefault(Kind.RESOURCE_CLAIM, new TreeSet<>()));
        waited.add("never");
        sources.put(Kind.RESOURCE_CLAIM, waited);
        return settings.toBuilder().sources(sources).build();
    }

    private void restore(String uid, Decision decision) {
        int speaker = Objects.requireNonNull(decidingCells.get(uid));
        if (speaker < cells) {
            cellsIn.get(speaker).add(new Observation.DecisionRestored(decision));
        }
        routerIn.add(new RouterInput.RouterEvent.RestoredDecision(speaker, decision));
    }

    /** The UIDs of the claims that exist in the public topics. */
    private SortedSet<String> existingClaims() {
        SortedSet<String> existing = new TreeSet<>();
        for (Observation observation : new History(observedRows).compact().observations()) {
            if (observation instanceof Observation.ObjectUpserted(Stamp _, ResourceClaim claim)) {
                existing.add(claim.meta().uid());
            }
        }
        return existing;
    }

    private void release(String uid, Decision decision) {
        var released = new Decision(
                decision.claim(), uid, decision.number(), decision.item(), new Decision.DecisionResult.Released());
        cellsIn.get(Objects.requireNonNull(decidingCells.get(uid))).add(new Observation.DecisionRestored(released));
    }

    // ---- steps

    /** Runs a random number of steps, possibly none. */
    void runSomeSteps() {
        addSlices();
        int steps = random.nextInt(6);
        for (int i = 0; i < steps && !isIdle(); i++) {
            step();
        }
    }

    /** Runs until all logs are consumed and no cell has unfinished work. */
    void settle() {
        int steps = 0;
        for (addSlices(); !isIdle(); addSlices()) {
            step();
            if (++steps > 200_000) {
                throw new IllegalStateException("it never ends: " + routerIn.peek());
            }
        }
    }

    /** Lets the writer answer every revocation, so that the claims are free, and runs until all logs are consumed. */
    void settleRevocations() {
        revoked()
                .forEach(row -> observe(new Observation.CommitOutcome(
                        row.claimUid(), row.number(), Observation.CommitOutcome.Result.REJECTED, "", 0)));
        settle();
        if (!revoked().isEmpty()) {
            throw new IllegalStateException("revoked after the answer of the writer: " + revoked());
        }
    }

    /** The revoked allocations of claims without an allocation in their status. */
    private List<ClaimRow.AllocationRow> revoked() {
        return IntStream.range(0, cells)
                .boxed()
                .flatMap(i -> cell(i).rows(ClaimRow.AllocationRow.ALL).stream()
                        .filter(row -> row.commitState() == ClaimRow.AllocationRow.CommitState.REVOKED)
                        .filter(row -> !isInStatus(cell(i), row)))
                .toList();
    }

    /** Adds the next slice of each cell that has unfinished work and nothing to read. */
    private void addSlices() {
        for (int i = 0; i < cells; i++) {
            if (cell(i).hasUnfinishedWork() && cellsIn.get(i).isEmpty()) {
                cellsIn.get(i).add(new Observation.WorkSliceDue(cell(i).nextSlice()));
            }
        }
    }

    private boolean isIdle() {
        return routerIn.isEmpty() && cellsIn.stream().allMatch(Deque::isEmpty);
    }

    private void step() {
        int process = random.nextInt(cells + 1);
        if (random.nextInt(200) == 0) {
            restart();
        }
        if (process == cells) {
            Optional.ofNullable(routerIn.poll()).ifPresent(this::route);
        } else {
            Optional.ofNullable(cellsIn.get(process).poll()).ifPresent(observation -> decide(process, observation));
        }
        check();
    }

    private void route(RouterInput.RouterEvent event) {
        var input = new RouterInput(routerOffset, History.START.plusSeconds(routerOffset), event);
        routerOffset++;
        RouterStep step = router.step(input);
        ignored.addAll(step.ignored());
        for (RouterOutput output : step.outputs()) {
            switch (output) {
                case RouterOutput.CellObservation toCells ->
                    toCells.cells().forEach(cell -> cellsIn.get(cell).add(toCells.observation()));
                case RouterOutput.PublicOutput other -> recordOutput(cells, other.output());
                case RouterOutput.NodePlacement placed -> placements.put(placed.node(), placed.cell());
            }
        }
    }

    private void decide(int cell, Observation observation) {
        var input = new Input(offsets[cell], History.START.plusSeconds(routerOffset), observation);
        offsets[cell]++;
        if (isGroupingDisabled) {
            cell(cell).queue().separateAll();
        }
        Step step = instances.get(cell).step(input);
        ignored.addAll(step.ignored());
        for (Output output : step.outputs()) {
            if (output instanceof Output.RouterMessage toRouter) {
                routerIn.add(new RouterInput.RouterEvent.ReportInput(
                        cell, toRouter.report(), instances.get(cell).state().freeDevices()));
            } else {
                recordOutput(cell, output);
            }
        }
    }

    /** Records an output. Checks that only allocated claims are released, and none is pending or deleted. */
    private void recordOutput(int speaker, Output output) {
        outputs.add(output);
        switch (output) {
            case Output.DecisionMade(Decision decision) -> {
                boolean wasAllocated = allocatedClaims.contains(decision.claimUid());
                lastDecisions.put(decision.claimUid(), decision);
                decidingCells.put(decision.claimUid(), speaker);
                if (decision.result() instanceof Decision.DecisionResult.Pending && wasAllocated) {
                    throw new IllegalStateException("it holds something: " + decision);
                }
                if (decision.result() instanceof Decision.DecisionResult.Released && !wasAllocated) {
                    throw new IllegalStateException("nothing to give back: " + decision);
                }
                if (isAllocated(decision)) {
                    allocatedClaims.add(decision.claimUid());
                } else if (decision.result() instanceof Decision.DecisionResult.Released) {
                    allocatedClaims.remove(decision.claimUid());
                }
            }
            case Output.ClaimDeleted(String uid) -> {
                lastDecisions.remove(uid);
                if (allocatedClaims.remove(uid)) {
                    throw new IllegalStateException("claim %s is forgotten while it holds something".formatted(uid));
                }
            }
            default -> {}
        }
    }

    private static boolean isAllocated(@Nullable Decision last) {
        return last != null
                && (last.result() instanceof Decision.DecisionResult.Allocated
                        || last.result() instanceof Decision.DecisionResult.Revoked);
    }

    /** Restarts a random process from its rows. */
    private void restart() {
        int process = random.nextInt(cells + 1);
        if (process == cells) {
            var rebuilt = new RouterState(cells);
            router.state()
                    .rows()
                    .values()
                    .forEach(row -> rebuilt.apply(new dev.claimstream.allocation.router.RouterFact.RouterRowPut(row)));
            router = new Router(rebuilt);
        } else {
            instances.set(
                    process,
                    new Cell(State.of(
                            new TextSelectors(),
                            identity(process),
                            List.copyOf(cell(process).rows().values()))));
        }
    }

    // ---- invariants over all cells

    private void check() {
        List<String> broken = new ArrayList<>();
        SortedMap<DeviceId, String> holders = new TreeMap<>();
        SortedMap<String, Integer> givers = new TreeMap<>();
        SortedMap<String, Integer> slices = new TreeMap<>();
        for (int i = 0; i < cells; i++) {
            Invariants.check(cell(i));
            for (Row row : cell(i).rows().values()) {
                if (row instanceof ClaimRow.AllocationRow allocation && !isInStatus(cell(i), allocation)) {
                    Integer other = givers.put(allocation.claimUid(), i);
                    if (other != null) {
                        broken.add("claim %s is granted in cells %d and %d".formatted(allocation.claim(), other, i));
                    }
                    for (DeviceId device : ClaimDevices.devicesOf(allocation.allocation())) {
                        String holder = holders.put(device, allocation.claimUid());
                        if (holder != null) {
                            broken.add("%s is granted to %s and %s".formatted(device, holder, allocation.claimUid()));
                        }
                    }
                }
                if (row instanceof ObservedRow.ObjectRow object
                        && object.kind() == Kind.RESOURCE_SLICE
                        && object.content().isPresent()) {
                    Integer other = slices.put(object.object().name(), i);
                    if (other != null) {
                        broken.add("slice %s is in cells %d and %d".formatted(object.object(), other, i));
                    }
                }
                if (row instanceof SchedulingRow.LeaseRow lease && lease.isActive()) {
                    checkLease(i, lease, broken);
                }
            }
        }
        if (!broken.isEmpty()) {
            throw new IllegalStateException("broken: " + String.join("; ", broken));
        }
    }

    private static boolean isInStatus(State state, ClaimRow.AllocationRow allocationRow) {
        return state.claim(allocationRow.claim())
                .filter(claim -> claim.meta().uid().equals(allocationRow.claimUid()))
                .flatMap(ResourceClaim::allocation)
                .isPresent();
    }

    private void checkLease(int cell, SchedulingRow.LeaseRow lease, List<String> broken) {
        RouterRow.ItemLocation at = router.state()
                .item(lease.item())
                .map(RouterRow.ItemLocationRow::location)
                .orElse(new RouterRow.ItemLocation.AtRouter(false));
        boolean isThere = switch (at) {
            case RouterRow.ItemLocation.AtRouter here -> false;
            case RouterRow.ItemLocation.AssignedToCell sent -> sent.cell() == cell && sent.attempt() == lease.attempt();
            case RouterRow.ItemLocation.AllocatedInCell allocated ->
                allocated.cell() == cell && allocated.attempt() == lease.attempt();
        };
        if (!isThere) {
            broken.add("cell %d has %s, and the router says %s".formatted(cell, lease.item(), at));
        }
    }

    /**
     * The observed objects, node liveness and sources of router and cells, one line per row.
     *
     * <p>Lines of objects that belong to one cell omit the cell, because placement is not an observation. Lines of
     * claims come from the router alone, because a cell knows only some claims.
     */
    SortedSet<String> observedRows() {
        SortedSet<String> observed = new TreeSet<>();
        for (RouterRow row : router.state().rows().values()) {
            if (row instanceof RouterRow.ClusterStateRow(Row known) && isObserved(known)) {
                observed.add("router: " + known);
            }
        }
        for (int i = 0; i < cells; i++) {
            for (Row row : cell(i).rows().values()) {
                if (isObserved(row) && !OmissionSearch.isClaim(row)) {
                    observed.add((isOfOneCell(row) ? "a cell: " : "cell %d: ".formatted(i)) + row);
                }
            }
        }
        return observed;
    }

    private static boolean isObserved(Row row) {
        return switch (row) {
            case ObservedRow.ObjectRow object -> object.content().isPresent();
            case ObservedRow.NodeLivenessRow _, ObservedRow.SourceRow _ -> true;
            default -> false;
        };
    }

    private static boolean isOfOneCell(Row row) {
        return switch (row) {
            case ObservedRow.ObjectRow object -> object.kind() == Kind.NODE || object.kind() == Kind.RESOURCE_SLICE;
            case ObservedRow.NodeLivenessRow _ -> true;
            default -> false;
        };
    }

    /** Describes pending items that fit in a cell, stuck records, and differences between router and cells. */
    List<String> findOmissions() {
        return new OmissionSearch(this, lastDecisions, revoked()).find();
    }
}
