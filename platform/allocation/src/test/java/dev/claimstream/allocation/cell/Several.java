package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterInput;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.router.RouterStep;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.PoolId;
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
import org.jspecify.annotations.Nullable;

/**
 * Simulates a router and its cells with their logs.
 *
 * <p>Each log keeps its order. A random process consumes the next record. Every step checks the invariants over all
 * processes.
 */
final class Several {
    private final int cells;
    private final int offersMax;
    private final Random random;
    private final List<Cell> each = new ArrayList<>();
    private final Deque<RouterInput.RouterEvent> routerIn = new ArrayDeque<>();
    private final List<Deque<Observation>> cellsIn = new ArrayList<>();
    private final long[] offsets;
    final List<Output> said = new ArrayList<>();
    final List<IgnoredObservation> ignored = new ArrayList<>();
    private final SortedMap<String, Decision> lastWords = new TreeMap<>();
    private final SortedMap<String, Integer> speakers = new TreeMap<>();
    private final SortedMap<String, Integer> placements = new TreeMap<>();
    private final List<Observation> observed = new ArrayList<>();
    private Router router;
    private long routerOffset;
    private boolean isEachLookedAt;

    Several(int cells, long seed) {
        this(cells, seed, CellIdentity.OFFERS_DEFAULT);
    }

    Several(int cells, long seed, int offersMax) {
        this.cells = cells;
        this.offersMax = offersMax;
        this.random = new Random(seed);
        this.offsets = new long[cells];
        this.router = new Router(new RouterState(cells, new TextSelectors()));
        for (int i = 0; i < cells; i++) {
            each.add(new Cell(new State(new TextSelectors(), place(i))));
            cellsIn.add(new ArrayDeque<>());
        }
    }

    private CellIdentity place(int cell) {
        return new CellIdentity(cell, cells, offersMax);
    }

    /** Disables the grouping of equivalent items. */
    Several lookingAtEach() {
        isEachLookedAt = true;
        return this;
    }

    RouterState router() {
        return router.state();
    }

    State cell(int index) {
        return each.get(index).state();
    }

    int cells() {
        return cells;
    }

    void observe(Observation observation) {
        observed.add(observation);
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
        router = new Router(new RouterState(cells, new TextSelectors()));
        CellSettings settings = settings();
        var gated = new Observation.SettingsChanged(gated(settings));
        for (int i = 0; i < cells; i++) {
            each.set(i, new Cell(new State(new TextSelectors(), place(i))));
            cellsIn.get(i).clear();
            cellsIn.get(i).add(gated);
        }
        routerIn.add(new RouterInput.RouterEvent.ObservationInput(gated));
        placements.forEach((node, cell) -> routerIn.add(new RouterInput.RouterEvent.RestoredPlacement(node, cell)));
        lastWords.forEach(this::restore);
        List<Observation> published =
                isCompacted ? new History(observed).compacted().observations() : observed;
        published.stream()
                .filter(Several::isNode)
                .forEach(word -> routerIn.add(new RouterInput.RouterEvent.ObservationInput(word)));
        published.stream()
                .filter(word -> !(word instanceof Observation.SettingsChanged))
                .forEach(word -> routerIn.add(new RouterInput.RouterEvent.ObservationInput(word)));
        SortedSet<String> standing = standing();
        lastWords.forEach((uid, decision) -> {
            if (!standing.contains(uid) && isHolding(decision)) {
                release(uid, decision);
            }
        });
        lastWords.entrySet().removeIf(each -> !standing.contains(each.getKey()) && !isHolding(each.getValue()));
        routerIn.add(new RouterInput.RouterEvent.ObservationInput(new Observation.SettingsChanged(settings)));
    }

    private static boolean isNode(Observation observation) {
        return observation instanceof Observation.ObjectUpserted(Stamp _, Node _);
    }

    private CellSettings settings() {
        CellSettings settings = CellSettings.defaults();
        for (Observation word : observed) {
            settings = word instanceof Observation.SettingsChanged(CellSettings later) ? later : settings;
        }
        return settings;
    }

    private static CellSettings gated(CellSettings settings) {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>(settings.sources());
        SortedSet<String> waited = new TreeSet<>(sources.getOrDefault(Kind.RESOURCE_CLAIM, new TreeSet<>()));
        waited.add("never");
        sources.put(Kind.RESOURCE_CLAIM, waited);
        return settings.withSources(sources);
    }

    private void restore(String uid, Decision decision) {
        int speaker = Objects.requireNonNull(speakers.get(uid));
        if (speaker < cells) {
            cellsIn.get(speaker).add(new Observation.DecisionRestored(decision));
        }
        routerIn.add(new RouterInput.RouterEvent.RestoredDecision(speaker, decision));
    }

    /** The UIDs of the claims that exist in the public topics. */
    private SortedSet<String> standing() {
        SortedSet<String> standing = new TreeSet<>();
        for (Observation word : new History(observed).compacted().observations()) {
            if (word instanceof Observation.ObjectUpserted(Stamp _, ResourceClaim claim)) {
                standing.add(claim.meta().uid());
            }
        }
        return standing;
    }

    private void release(String uid, Decision decision) {
        var released = new Decision(
                decision.claim(), uid, decision.number(), decision.item(), new Decision.DecisionResult.Released());
        cellsIn.get(Objects.requireNonNull(speakers.get(uid))).add(new Observation.DecisionRestored(released));
    }

    // ---- steps

    /** Runs a random number of steps, possibly none. */
    void goOn() {
        int steps = random.nextInt(6);
        for (int i = 0; i < steps && !isIdle(); i++) {
            step();
        }
    }

    /** Runs until all logs are consumed. */
    void settle() {
        int steps = 0;
        while (!isIdle()) {
            step();
            if (++steps > 200_000) {
                throw new IllegalStateException("it never ends: " + routerIn.peek());
            }
        }
    }

    private boolean isIdle() {
        return routerIn.isEmpty() && cellsIn.stream().allMatch(Deque::isEmpty);
    }

    private void step() {
        int whose = random.nextInt(cells + 1);
        if (random.nextInt(200) == 0) {
            restart();
        }
        if (whose == cells) {
            Optional.ofNullable(routerIn.poll()).ifPresent(this::route);
        } else {
            Optional.ofNullable(cellsIn.get(whose).poll()).ifPresent(observation -> decide(whose, observation));
        }
        check();
    }

    private void route(RouterInput.RouterEvent what) {
        var input = new RouterInput(routerOffset, History.START.plusSeconds(routerOffset), what);
        routerOffset++;
        RouterStep step = router.step(input);
        ignored.addAll(step.ignored());
        for (RouterOutput output : step.outputs()) {
            switch (output) {
                case RouterOutput.CellObservation toCells ->
                    toCells.cells().forEach(cell -> cellsIn.get(cell).add(toCells.observation()));
                case RouterOutput.PublicOutput other -> say(cells, other.output());
                case RouterOutput.NodePlacement placed -> placements.put(placed.node(), placed.cell());
            }
        }
    }

    private void decide(int cell, Observation observation) {
        var input = new Input(offsets[cell], History.START.plusSeconds(routerOffset), observation);
        offsets[cell]++;
        if (isEachLookedAt) {
            cell(cell).queue().separateAll();
        }
        Step step = each.get(cell).step(input);
        ignored.addAll(step.ignored());
        for (Output output : step.outputs()) {
            if (output instanceof Output.RouterMessage toRouter) {
                routerIn.add(new RouterInput.RouterEvent.ReportInput(
                        cell, toRouter.report(), each.get(cell).state().freeDevices()));
            } else {
                say(cell, output);
            }
        }
    }

    /** Records an output. Checks that only allocated claims are released, and none is pending or deleted. */
    private void say(int speaker, Output output) {
        said.add(output);
        switch (output) {
            case Output.DecisionMade(Decision decision) -> {
                boolean held = isHolding(lastWords.put(decision.claimUid(), decision));
                speakers.put(decision.claimUid(), speaker);
                if (decision.result() instanceof Decision.DecisionResult.Pending && held) {
                    throw new IllegalStateException("it holds something: " + decision);
                }
                if (decision.result() instanceof Decision.DecisionResult.Released && !held) {
                    throw new IllegalStateException("nothing to give back: " + decision);
                }
            }
            case Output.ClaimDeleted(String uid) -> {
                if (isHolding(lastWords.remove(uid))) {
                    throw new IllegalStateException("claim %s is forgotten while it holds something".formatted(uid));
                }
            }
            default -> {}
        }
    }

    private static boolean isHolding(@Nullable Decision last) {
        return last != null
                && (last.result() instanceof Decision.DecisionResult.Allocated
                        || last.result() instanceof Decision.DecisionResult.Revoked);
    }

    /** Restarts a random process from its rows. */
    private void restart() {
        int whose = random.nextInt(cells + 1);
        if (whose == cells) {
            var rebuilt = new RouterState(cells, new TextSelectors());
            router.state()
                    .rows()
                    .values()
                    .forEach(row -> rebuilt.apply(new dev.claimstream.allocation.router.RouterFact.Put(row)));
            router = new Router(rebuilt);
        } else {
            each.set(
                    whose,
                    new Cell(State.of(
                            new TextSelectors(),
                            place(whose),
                            List.copyOf(cell(whose).rows().values()))));
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
                if (row instanceof Row.AllocationRow grant && !isInStatus(cell(i), grant)) {
                    Integer other = givers.put(grant.claimUid(), i);
                    if (other != null) {
                        broken.add("claim %s is granted in cells %d and %d".formatted(grant.claim(), other, i));
                    }
                    for (DeviceId device : State.devicesOf(grant.allocation())) {
                        String holder = holders.put(device, grant.claimUid());
                        if (holder != null) {
                            broken.add("%s is granted to %s and %s".formatted(device, holder, grant.claimUid()));
                        }
                    }
                }
                if (row instanceof Row.ObjectRow object
                        && object.kind() == Kind.RESOURCE_SLICE
                        && object.content().isPresent()) {
                    Integer other = slices.put(object.object().name(), i);
                    if (other != null) {
                        broken.add("slice %s is in cells %d and %d".formatted(object.object(), other, i));
                    }
                }
                if (row instanceof Row.LeaseRow lease && lease.isActive()) {
                    checkLease(i, lease, broken);
                }
            }
        }
        if (!broken.isEmpty()) {
            throw new IllegalStateException("broken: " + String.join("; ", broken));
        }
    }

    private static boolean isInStatus(State state, Row.AllocationRow grant) {
        return state.claim(grant.claim())
                .filter(claim -> claim.meta().uid().equals(grant.claimUid()))
                .flatMap(ResourceClaim::allocation)
                .isPresent();
    }

    private void checkLease(int cell, Row.LeaseRow lease, List<String> broken) {
        RouterRow.ItemLocation at = router.state()
                .item(lease.item())
                .map(RouterRow.ItemRow::location)
                .orElse(new RouterRow.ItemLocation.AtRouter(false));
        boolean isThere = switch (at) {
            case RouterRow.ItemLocation.AtRouter here -> false;
            case RouterRow.ItemLocation.AssignedToCell sent -> sent.cell() == cell && sent.attempt() == lease.attempt();
            case RouterRow.ItemLocation.AllocatedInCell served ->
                served.cell() == cell && served.attempt() == lease.attempt();
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
    SortedSet<String> observed() {
        SortedSet<String> observed = new TreeSet<>();
        for (RouterRow row : router.state().rows().values()) {
            if (row instanceof RouterRow.ClusterStateRow(Row known) && isObserved(known)) {
                observed.add("router: " + known);
            }
        }
        for (int i = 0; i < cells; i++) {
            for (Row row : cell(i).rows().values()) {
                if (isObserved(row) && !isClaim(row)) {
                    observed.add((isOfOneCell(row) ? "a cell: " : "cell %d: ".formatted(i)) + row);
                }
            }
        }
        return observed;
    }

    private static boolean isObserved(Row row) {
        return switch (row) {
            case Row.ObjectRow object -> object.content().isPresent();
            case Row.NodeLivenessRow _, Row.SourceRow _ -> true;
            default -> false;
        };
    }

    private static boolean isOfOneCell(Row row) {
        return switch (row) {
            case Row.ObjectRow object -> object.kind() == Kind.NODE || object.kind() == Kind.RESOURCE_SLICE;
            case Row.NodeLivenessRow _ -> true;
            default -> false;
        };
    }

    /** Describes pending items that fit in a cell, stuck records, and differences between router and cells. */
    List<String> overlooked() {
        List<String> overlooked = new ArrayList<>();
        if (!router.state().assignedItems().isEmpty()) {
            overlooked.add("on their way for ever: " + router.state().assignedItems());
        }
        router.state().rows().values().forEach(row -> {
            if (row instanceof RouterRow.DeferredObservationRow word) {
                overlooked.add("held back for ever: " + word);
            }
        });
        lastWords.forEach((uid, decision) -> {
            if (!stands(uid) && !isAwaited(uid)) {
                overlooked.add("%s is gone, and the last word on it is %s".formatted(uid, decision.result()));
            }
        });
        router.state().pending().forEach((rank, item) -> {
            RouterRow.ItemRow row = router.state().item(item).orElseThrow();
            if (row.location() instanceof RouterRow.ItemLocation.AtRouter here && here.blocked()) {
                overlooked.add("%s is to be sent and nobody does".formatted(item));
            }
            for (int i = 0; i < cells; i++) {
                if (fits(knowingAll(i), item)) {
                    overlooked.add("%s waits (%s) and fits in cell %d".formatted(item, row.reason(), i));
                }
            }
        });
        for (int i = 0; i < cells; i++) {
            overlooked.addAll(mistold(i));
            overlooked.addAll(unknownHolders(i));
        }
        return overlooked;
    }

    /** The state of a cell with all claims of the router. */
    private State knowingAll(int index) {
        List<Row> rows = new ArrayList<>();
        cell(index).rows().values().stream().filter(row -> !isClaim(row)).forEach(rows::add);
        claims().forEach((_, claim) -> rows.add(claim));
        return State.of(new TextSelectors(), place(index), rows);
    }

    /** Compares the claims of a cell with the claims that the router sent to it. */
    private List<String> mistold(int index) {
        List<String> mistold = new ArrayList<>();
        SortedMap<String, Row> known = new TreeMap<>();
        cell(index).rows().values().stream().filter(Several::isStandingClaim).forEach(row -> known.put(row.key(), row));
        SortedMap<String, Row> told = new TreeMap<>();
        claims().forEach((key, claim) -> {
            if (router.state()
                    .fanout(claim.object())
                    .filter(row -> row.cells().contains(index))
                    .isPresent()) {
                told.put(key, claim);
            }
        });
        if (!known.equals(told)) {
            mistold.add("cell %d knows of claims %s and was told %s".formatted(index, known, told));
        }
        return mistold;
    }

    /** Claims with devices of a cell that does not know them, so that it could allocate the devices again. */
    private List<String> unknownHolders(int index) {
        SortedSet<PoolId> pools = new TreeSet<>();
        for (RouterRow row : router.state().rows().values()) {
            if (row instanceof RouterRow.PoolRow pool && pool.cell() == index) {
                pools.add(pool.pool());
            }
        }
        List<String> unknown = new ArrayList<>();
        claims().forEach((key, row) -> {
            boolean isHere = ((ResourceClaim) row.content().orElseThrow())
                    .allocation().stream()
                            .flatMap(allocation -> allocation.results().stream())
                            .anyMatch(result -> pools.contains(result.device().poolId()));
            if (isHere && !cell(index).rows().containsKey(key)) {
                unknown.add("%s has devices of cell %d, which does not know it".formatted(row.object(), index));
            }
        });
        return unknown;
    }

    /** The existing claims of the router by row key. */
    private SortedMap<String, Row.ObjectRow> claims() {
        SortedMap<String, Row.ObjectRow> claims = new TreeMap<>();
        for (RouterRow row : router.state().rows().values()) {
            if (row instanceof RouterRow.ClusterStateRow(Row.ObjectRow known) && isStandingClaim(known)) {
                claims.put(known.key(), known);
            }
        }
        return claims;
    }

    private static boolean isClaim(Row row) {
        return row instanceof Row.ObjectRow object && object.kind() == Kind.RESOURCE_CLAIM;
    }

    private static boolean isStandingClaim(Row row) {
        return row instanceof Row.ObjectRow object
                && object.kind() == Kind.RESOURCE_CLAIM
                && object.content().isPresent();
    }

    /** Whether the deletion of a claim is published only after an item leaves its cell. */
    private boolean isAwaited(String claimUid) {
        return router.state().rows().values().stream()
                .anyMatch(each -> each instanceof RouterRow.ItemRow item
                        && item.ended().contains(claimUid)
                        && !(item.location() instanceof RouterRow.ItemLocation.AtRouter));
    }

    private boolean stands(String claimUid) {
        return router.state().rows().values().stream()
                .anyMatch(each -> each instanceof RouterRow.ClusterStateRow(Row.ObjectRow known)
                        && known.content().isPresent()
                        && known.content().get() instanceof ResourceClaim claim
                        && claim.meta().uid().equals(claimUid));
    }

    private static boolean fits(State state, ItemId item) {
        var topology = new NaiveTopology(state);
        boolean stands = switch (item.kind()) {
            case POD -> state.pod(item.key()).isPresent();
            case CLAIM -> state.claim(item.key()).isPresent();
        };
        if (!stands || !state.isSynced()) {
            return false;
        }
        return WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready
                && !ready.isFullyReserved(state)
                && state.planner()
                                .plan(
                                        ready.shape(),
                                        new AllocationPlanner.PlanOptions(
                                                state.settings().policy(),
                                                state.settings().searchStepsMax(),
                                                node -> !state.earmarks().containsKey(node.name())
                                                        && !isRefused(state, item, node.name())
                                                        && topology.lets(item, node.node())))
                        instanceof AllocationPlan.Allocated;
    }

    private static boolean isRefused(State state, ItemId item, String node) {
        return state.rowsFrom(Row.AvoidedNodeRow.prefix(item)).values().stream()
                .anyMatch(row -> ((Row.AvoidedNodeRow) row).node().equals(node));
    }
}
