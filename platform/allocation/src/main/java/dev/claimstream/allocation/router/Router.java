package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Ignored;
import dev.claimstream.allocation.cell.Knowledge;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.Verdict;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Assigns nodes and work items to cells and forwards observations to them.
 *
 * <p>The router assigns an item to one cell at a time. It stores no devices: a cell decides alone, so stale router state about a cell costs
 * a retry and never correctness. Deterministic and not thread-safe; {@link #step} is the only mutator.
 */
public final class Router {
    private final RouterState state;

    public Router(RouterState state) {
        this.state = state;
    }

    /** Returns the state. */
    public RouterState state() {
        return state;
    }

    /** Processes one input and applies its facts. Idempotent: an input at or below the last offset has no effect. */
    public RouterStep step(RouterInput input) {
        if (input.offset() <= state.count().offset()) {
            return new RouterStep(List.of(), List.of(), List.of());
        }
        var turn = new Turn(state);
        var placing = new Placing(turn);
        var telling = new Telling(turn);
        var routing = new Routing(turn, telling);
        var heldBack = new HeldBack(turn);
        Consumer<Observation> observe = observation -> observe(turn, placing, telling, routing, observation);
        switch (input.what()) {
            case RouterInput.What.Seen seen -> {
                if (!heldBack.keeps(seen.observation())) {
                    observe.accept(seen.observation());
                }
            }
            case RouterInput.What.Said said -> {
                if (said.free() >= 0 && said.free() != state.free(said.cell())) {
                    turn.put(new RouterRow.FreeRow(said.cell(), said.free()));
                }
                hear(turn, placing, new Hearing(turn, routing), said.cell(), said.verdict());
                moved(said.verdict()).ifPresent(node -> heldBack.release(node, observe));
            }
            case RouterInput.What.Placed placed -> placing.restored(placed.node(), placed.cell());
            case RouterInput.What.Restored restored -> restore(turn, placing, restored.cell(), restored.decision());
        }
        telling.note();
        answerProbes(turn);
        turn.forgetExplanations();
        RouterRow.CountRow count = state.count();
        turn.put(new RouterRow.CountRow(count.decisions(), count.attempts(), input.offset()));
        return new RouterStep(turn.facts, turn.outputs, turn.ignored);
    }

    // ---- observations

    private void observe(Turn turn, Placing placing, Telling telling, Routing routing, Observation observation) {
        if (observation instanceof Observation.Probe probe) {
            probe(turn, probe);
            return;
        }
        boolean wasListed = state.world().isListed();
        Knowledge.Change change =
                isKnownHere(observation) ? state.world().observe(withoutDevices(observation)) : Knowledge.Change.NONE;
        change.ignored().ifPresent(why -> turn.ignored.add(new Ignored(observation, why)));
        boolean wasKnown = claim(observation).flatMap(state.world()::claim).isPresent();
        for (Fact fact : change.facts()) {
            turn.take(
                    switch (fact) {
                        case Fact.Put put -> new RouterFact.Put(new RouterRow.WorldRow(put.row()));
                        case Fact.Drop drop -> new RouterFact.Drop(RouterRow.WorldRow.key(drop.key()));
                    });
        }
        if (claim(observation).isEmpty()) {
            passOn(turn, placing, observation);
        } else if (!change.facts().isEmpty()) {
            tell(telling, state.world(), observation, wasKnown);
        }
        telling.ended(change.ended());
        change.ended().forEach(routing::ended);
        change.touched().forEach(routing::touch);
        for (Reason.Wake wake : change.wakes()) {
            boolean isCells = wake == Reason.Wake.CAPACITY || wake == Reason.Wake.CLASSES;
            if (!isCells
                    && (wake != Reason.Wake.SOURCES
                            || wasListed != state.world().isListed())) {
                routing.wake(wake);
            }
        }
    }

    /** Returns the key of the claim that an observation is about. */
    private static Optional<ObjectKey> claim(Observation observation) {
        return switch (observation) {
            case Observation.Seen(Stamp _, ResourceClaim claim) -> Optional.of(claim.key());
            case Observation.Gone gone when gone.kind() == Kind.RESOURCE_CLAIM -> Optional.of(gone.key());
            default -> Optional.empty();
        };
    }

    private static void tell(Telling telling, Knowledge world, Observation observation, boolean wasKnown) {
        switch (observation) {
            case Observation.Seen(Stamp stamp, ResourceClaim claim) ->
                telling.seen(new Observation.Seen(world.shown(stamp, claim.key()), claim), claim, wasKnown);
            case Observation.Gone gone -> telling.gone(gone, wasKnown);
            default -> throw new IllegalStateException("nothing to tell of a claim: " + observation);
        }
    }

    private static Observation withoutDevices(Observation observation) {
        return observation instanceof Observation.Seen(Stamp stamp, ResourceSlice slice)
                ? new Observation.Seen(stamp, slice.withoutDevices())
                : observation;
    }

    /**
     * Returns whether the router stores what an observation reports.
     *
     * <p>Devices, classes and taint rules concern only the cells. The sync state of their kinds is stored.
     */
    private static boolean isKnownHere(Observation observation) {
        return switch (observation) {
            case Observation.Seen seen -> isKnownHere(seen.object().kind());
            case Observation.Gone gone -> isKnownHere(gone.kind());
            case Observation.Listed listed -> true;
            case Observation.Stale stale -> true;
            case Observation.Configured configured -> true;
            case Observation.Heard heard -> false;
            case Observation.Carried carried -> false;
            case Observation.Probe probe -> false;
            case Observation.Tick tick -> false;
            case Observation.Continue _ -> false;
            case Observation.Restored restored -> false;
            case Observation.Assigned assigned -> false;
            case Observation.Declined declined -> false;
            case Observation.HandOver handOver -> false;
        };
    }

    private static boolean isKnownHere(Kind kind) {
        return switch (kind) {
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP, NAMESPACE, NODE, RESOURCE_SLICE -> true;
            case DEVICE_CLASS, DEVICE_TAINT_RULE -> false;
        };
    }

    private void passOn(Turn turn, Placing placing, Observation observation) {
        switch (observation) {
            case Observation.Seen seen
            when seen.object() instanceof Node node -> placing.seen(node.meta().name(), seen);
            case Observation.Seen seen
            when seen.object() instanceof ResourceSlice slice ->
                placing.seenSlice(slice.meta().name(), seen);
            case Observation.Gone gone
            when gone.kind() == Kind.NODE -> placing.send(gone.key().name(), gone);
            case Observation.Gone gone when gone.kind() == Kind.RESOURCE_SLICE -> placing.gone(gone);
            case Observation.Heard heard -> placing.send(heard.node(), heard);
            case Observation.Carried carried ->
                turn.send(
                        state.bound(carried.claimUid())
                                .<SortedSet<Integer>>map(bound -> Placing.only(bound.cell()))
                                .orElseGet(state::all),
                        carried);
            default -> turn.send(state.all(), observation);
        }
    }

    /** Binds a claim and its pools to the cell that allocated it, before other records about them arrive. */
    private static void restore(Turn turn, Placing placing, int cell, Decision decision) {
        turn.heardOf(decision.number());
        switch (decision.verdict()) {
            case Decision.Verdict.Granted granted -> restore(turn, placing, cell, decision, granted);
            case Decision.Verdict.Revoked revoked -> restore(turn, placing, cell, decision, revoked.what());
            case Decision.Verdict.Waits _, Decision.Verdict.Released _, Decision.Verdict.Deallocation _ -> {}
        }
    }

    private static void restore(
            Turn turn, Placing placing, int cell, Decision decision, Decision.Verdict.Granted granted) {
        turn.put(new RouterRow.BoundRow(decision.claimUid(), cell, decision.item()));
        granted.allocation().results().stream()
                .map(result -> result.device().poolId())
                .distinct()
                .forEach(pool -> placing.restored(pool, cell));
    }

    // ---- cell reports

    private void hear(Turn turn, Placing placing, Hearing hearing, int cell, Verdict verdict) {
        switch (verdict) {
            case Verdict.Served served -> hearing.served(cell, served);
            case Verdict.GivenBack back -> hearing.givenBack(cell, back);
            case Verdict.Dropped dropped -> hearing.dropped(cell, dropped);
            case Verdict.Reasoned reasoned -> hearing.reasoned(cell, reasoned);
            case Verdict.WouldFit offer -> hearing.wouldFit(cell, offer);
            case Verdict.Freed freed -> {
                hearing.freed(cell, freed.claimUid());
                placing.freed(cell);
            }
            case Verdict.Handed handed -> placing.handed(cell, handed);
            case Verdict.Kept kept -> placing.kept(cell, kept);
            case Verdict.Echo echo ->
                state.probe(echo.probe()).ifPresent(probe -> {
                    SortedSet<Integer> echoes = new TreeSet<>(probe.echoes());
                    echoes.add(cell);
                    turn.put(new RouterRow.ProbeRow(probe.id(), probe.arrived(), probe.parts(), echoes));
                });
        }
    }

    /** Returns the node that a cell has handed over or retained. */
    private static Optional<String> moved(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Handed handed -> Optional.of(handed.node());
            case Verdict.Kept kept -> Optional.of(kept.node());
            case Verdict.Served _,
                    Verdict.GivenBack _,
                    Verdict.Dropped _,
                    Verdict.Reasoned _,
                    Verdict.WouldFit _,
                    Verdict.Freed _,
                    Verdict.Echo _ -> Optional.empty();
        };
    }

    // ---- probes

    private void probe(Turn turn, Observation.Probe probe) {
        SortedSet<Integer> arrived = new TreeSet<>(
                state.probe(probe.id()).map(RouterRow.ProbeRow::arrived).orElse(new TreeSet<>()));
        boolean isOld = !arrived.add(probe.partition());
        turn.put(new RouterRow.ProbeRow(
                probe.id(),
                arrived,
                probe.partitions(),
                state.probe(probe.id()).map(RouterRow.ProbeRow::echoes).orElse(new TreeSet<>())));
        if (!isOld && arrived.size() >= probe.partitions()) {
            turn.send(state.all(), new Observation.Probe(probe.id(), 0, 1));
        }
    }

    /** Answers the probes that every cell has echoed, unless an item is still undecided in a cell. */
    private void answerProbes(Turn turn) {
        if (!state.sent().isEmpty()) {
            return;
        }
        for (RouterRow row : List.copyOf(state.rowsFrom("probe/").values())) {
            if (row instanceof RouterRow.ProbeRow probe && probe.echoes().size() >= state.cells()) {
                turn.drop(probe.key());
                int items = state.rowsFrom("item/").size();
                int waits = state.waiting().size();
                turn.say(new RouterOutput.Said(new Output.Answered(probe.id(), items - waits, waits)));
            }
        }
    }
}
