package dev.claimstream.allocation.router;

import dev.claimstream.allocation.cell.CellReport;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.IgnoredObservation;
import dev.claimstream.allocation.cell.ObjectIndex;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
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
import java.util.stream.Stream;

/**
 * Assigns nodes and work items to cells and forwards observations to them.
 *
 * <p>The router assigns an item to one cell at a time. It stores no devices: a cell allocates alone, so stale router
 * state about a cell costs a retry and never correctness. The router decides deallocations, because no cell observes all
 * pods of a claim. Deterministic and not thread-safe; {@link #step} is the only mutator.
 */
public final class Router {
    private final RouterState state;

    public Router(RouterState state) {
        this.state = state;
    }

    /** Returns the state, which only the thread of the router may change. */
    public RouterState state() {
        return state;
    }

    /** Processes one input and applies its facts. Idempotent: an input at or below the last offset has no effect. */
    public RouterStep step(RouterInput input) {
        if (input.offset() <= state.count().offset()) {
            return new RouterStep(List.of(), List.of(), List.of());
        }
        var step = new RouterStepBuilder(state);
        var placement = new CellPlacement(step);
        var fanout = new ClaimFanout(step);
        var dispatcher = new ItemDispatcher(step, fanout);
        var deferred = new DeferredObservations(step);
        Consumer<Observation> observe = observation -> observe(step, placement, fanout, dispatcher, observation);
        switch (input.event()) {
            case RouterInput.RouterEvent.ObservationInput observed -> {
                if (!deferred.defer(observed.observation())) {
                    observe.accept(observed.observation());
                }
            }
            case RouterInput.RouterEvent.ReportInput report -> {
                if (report.free() >= 0 && report.free() != state.freeDevices(report.cell())) {
                    step.put(new RouterRow.FreeDevicesRow(report.cell(), report.free()));
                }
                applyReport(step, placement, new CellReports(step, dispatcher), report.cell(), report.report());
                transferredNode(report.report()).ifPresent(node -> deferred.release(node, observe));
            }
            case RouterInput.RouterEvent.RestoredPlacement placed -> placement.restore(placed.node(), placed.cell());
            case RouterInput.RouterEvent.RestoredDecision restored ->
                restore(step, placement, restored.cell(), restored.decision());
        }
        fanout.persist();
        answerProbes(step);
        step.retractExplanations();
        RouterRow.RouterCountRow count = state.count();
        step.put(new RouterRow.RouterCountRow(count.decisions(), count.attempts(), input.offset()));
        return new RouterStep(step.facts, step.outputs, step.ignored);
    }

    // ---- observations

    private void observe(
            RouterStepBuilder step,
            CellPlacement placement,
            ClaimFanout fanout,
            ItemDispatcher dispatcher,
            Observation observation) {
        if (observation instanceof Observation.Probe probe) {
            probe(step, probe);
            return;
        }
        boolean isForwarded = !(observation instanceof Observation.CommitOutcome outcome && isOfDeallocation(outcome));
        boolean wasListed = state.clusterState().isSynced();
        ObjectIndex.ObjectIndexChange change = isTracked(observation)
                ? state.clusterState().observe(withoutDevices(observation))
                : ObjectIndex.ObjectIndexChange.NONE;
        change.ignored().ifPresent(reason -> step.ignored.add(new IgnoredObservation(observation, reason)));
        Optional<ResourceClaim> before = claim(observation).flatMap(state.clusterState()::claim);
        boolean wasKnown = before.isPresent();
        List<ResourceClaim> allocated = allocatedClaims(before, change);
        for (Fact fact : change.facts()) {
            step.apply(
                    switch (fact) {
                        case Fact.Put put -> new RouterFact.RouterRowPut(new RouterRow.ClusterStateRow(put.row()));
                        case Fact.Drop drop -> new RouterFact.RouterRowDrop(RouterRow.ClusterStateRow.key(drop.key()));
                    });
        }
        if (claim(observation).isEmpty()) {
            if (isForwarded) {
                forward(step, placement, observation);
            }
        } else if (!change.facts().isEmpty()) {
            fanOut(fanout, state.clusterState(), observation, wasKnown);
        }
        allocated.stream().filter(claim -> !isAllocated(claim)).forEach(placement::retryTransfers);
        fanout.removeDeleted(change.deletedClaims());
        change.deletedClaims().forEach(dispatcher::onClaimDeleted);
        change.touched().forEach(dispatcher::reconcile);
        if (isOfClass(observation)) {
            dispatcher.discardProposals();
        }
        for (Reason.RetryTrigger retryTrigger : change.retryTriggers()) {
            boolean isCells =
                    retryTrigger == Reason.RetryTrigger.CAPACITY || retryTrigger == Reason.RetryTrigger.CLASSES;
            if (!isCells
                    && (retryTrigger != Reason.RetryTrigger.SOURCES
                            || wasListed != state.clusterState().isSynced())) {
                dispatcher.retryPending(retryTrigger);
            }
        }
    }

    private static boolean isOfClass(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted upserted -> upserted.object().kind() == Kind.DEVICE_CLASS;
            case Observation.ObjectDeleted deleted -> deleted.kind() == Kind.DEVICE_CLASS;
            default -> false;
        };
    }

    /** Returns the key of the claim that an observation is about. */
    private static Optional<ObjectKey> claim(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted(Stamp _, ResourceClaim claim) -> Optional.of(claim.key());
            case Observation.ObjectDeleted deleted
            when deleted.kind() == Kind.RESOURCE_CLAIM -> Optional.of(deleted.key());
            default -> Optional.empty();
        };
    }

    /** Returns the observed claim and the deleted claims that have an allocation in their status before a change. */
    private List<ResourceClaim> allocatedClaims(Optional<ResourceClaim> before, ObjectIndex.ObjectIndexChange change) {
        return Stream.concat(
                        before.stream(),
                        change.deletedClaims().values().stream()
                                .flatMap(key -> state.clusterState().claim(key).stream()))
                .distinct()
                .filter(claim -> claim.allocation().isPresent())
                .toList();
    }

    /** Returns whether a claim still exists and has an allocation in its status. */
    private boolean isAllocated(ResourceClaim before) {
        return state.clusterState()
                .claim(before.key())
                .filter(claim -> claim.meta().uid().equals(before.meta().uid()))
                .filter(claim -> claim.allocation().isPresent())
                .isPresent();
    }

    private static void fanOut(
            ClaimFanout fanout, ObjectIndex clusterState, Observation observation, boolean wasKnown) {
        switch (observation) {
            case Observation.ObjectUpserted(Stamp stamp, ResourceClaim claim) ->
                fanout.upsert(
                        new Observation.ObjectUpserted(clusterState.withListEpoch(stamp, claim.key()), claim),
                        claim,
                        wasKnown);
            case Observation.ObjectDeleted deleted -> fanout.delete(deleted, wasKnown);
            default -> throw new IllegalStateException("unexpected observation of a claim: " + observation);
        }
    }

    private static Observation withoutDevices(Observation observation) {
        return observation instanceof Observation.ObjectUpserted(Stamp stamp, ResourceSlice slice)
                ? new Observation.ObjectUpserted(stamp, slice.withoutDevices())
                : observation;
    }

    /**
     * Returns whether the router stores what an observation reports.
     *
     * <p>Devices, classes and taint rules concern only the cells. The sync state of their kinds is stored.
     */
    private boolean isTracked(Observation observation) {
        return switch (observation) {
            case Observation.ObjectUpserted upserted ->
                isTracked(upserted.object().kind());
            case Observation.ObjectDeleted deleted -> isTracked(deleted.kind());
            case Observation.KindSynced listed -> true;
            case Observation.KindStale stale -> true;
            case Observation.SettingsChanged configured -> true;
            case Observation.NodeLiveness liveness -> false;
            case Observation.CommitOutcome outcome -> isOfDeallocation(outcome);
            case Observation.Probe probe -> false;
            case Observation.Tick tick -> false;
            case Observation.WorkSliceDue _ -> false;
            case Observation.DecisionRestored restored -> false;
            case Observation.ItemAssigned assigned -> false;
            case Observation.OfferDeclined declined -> false;
            case Observation.NodeHandover handover -> false;
        };
    }

    /** Returns whether an outcome answers a deallocation that the router has decided. Cells know nothing of it. */
    private boolean isOfDeallocation(Observation.CommitOutcome outcome) {
        return state.clusterState()
                .deallocation(outcome.claimUid())
                .filter(row -> row.number() == outcome.number())
                .isPresent();
    }

    private static boolean isTracked(Kind kind) {
        return switch (kind) {
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP, NAMESPACE, NODE, RESOURCE_SLICE -> true;
            case DEVICE_CLASS, DEVICE_TAINT_RULE -> false;
        };
    }

    private void forward(RouterStepBuilder step, CellPlacement placement, Observation observation) {
        switch (observation) {
            case Observation.ObjectUpserted upserted
            when upserted.object() instanceof Node node ->
                placement.upsert(node.meta().name(), upserted);
            case Observation.ObjectUpserted upserted
            when upserted.object() instanceof ResourceSlice slice ->
                placement.upsertSlice(slice.meta().name(), upserted);
            case Observation.ObjectDeleted deleted
            when deleted.kind() == Kind.NODE -> placement.send(deleted.key().name(), deleted);
            case Observation.ObjectDeleted deleted
            when deleted.kind() == Kind.RESOURCE_SLICE -> placement.deleteSlice(deleted);
            case Observation.NodeLiveness liveness -> placement.send(liveness.node(), liveness);
            case Observation.CommitOutcome outcome ->
                step.send(
                        state.bound(outcome.claimUid())
                                .<SortedSet<Integer>>map(bound -> CellPlacement.only(bound.cell()))
                                .orElseGet(state::allCells),
                        outcome);
            default -> step.send(state.allCells(), observation);
        }
    }

    /** Binds a claim and its pools to the cell that allocated it, before other records about them arrive. */
    private static void restore(RouterStepBuilder step, CellPlacement placement, int cell, Decision decision) {
        step.advanceDecisions(decision.number());
        switch (decision.result()) {
            case Decision.DecisionResult.Allocated allocated -> restore(step, placement, cell, decision, allocated);
            case Decision.DecisionResult.Revoked revoked ->
                restore(step, placement, cell, decision, revoked.allocated());
            case Decision.DecisionResult.Pending _,
                    Decision.DecisionResult.Released _,
                    Decision.DecisionResult.Deallocation _ -> {}
        }
    }

    private static void restore(
            RouterStepBuilder step,
            CellPlacement placement,
            int cell,
            Decision decision,
            Decision.DecisionResult.Allocated allocated) {
        step.put(new RouterRow.BoundClaimRow(decision.claimUid(), cell, decision.item()));
        allocated.allocation().results().stream()
                .map(result -> result.device().poolId())
                .distinct()
                .forEach(pool -> placement.restore(pool, cell));
    }

    // ---- cell reports

    private void applyReport(
            RouterStepBuilder step, CellPlacement placement, CellReports reports, int cell, CellReport report) {
        switch (report) {
            case CellReport.ItemAllocated allocated -> reports.onItemAllocated(cell, allocated);
            case CellReport.ItemReturned returned -> reports.onItemReturned(cell, returned);
            case CellReport.DeallocationProposed proposed -> reports.onDeallocationProposed(cell, proposed);
            case CellReport.ItemDeleted dropped -> reports.onItemDeleted(cell, dropped);
            case CellReport.ReasonChanged reasoned -> reports.onReasonChanged(cell, reasoned);
            case CellReport.OfferMade offer -> reports.onOfferMade(cell, offer);
            case CellReport.ClaimReleased released -> {
                reports.onClaimReleased(cell, released.claimUid());
                placement.retryTransfers(cell);
            }
            case CellReport.NodeTransferred transferred -> {
                placement.completeTransfer(cell, transferred);
                reports.onNodeTransferred(transferred.node());
            }
            case CellReport.NodeRetained retained -> placement.rejectTransfer(cell, retained);
            case CellReport.ProbeEcho echo ->
                state.probe(echo.probe()).ifPresent(probe -> {
                    SortedSet<Integer> echoes = new TreeSet<>(probe.echoes());
                    echoes.add(cell);
                    step.put(new RouterRow.RouterProbeRow(probe.id(), probe.arrived(), probe.parts(), echoes));
                });
        }
    }

    /** Returns the node that a cell has transferred or retained. */
    private static Optional<String> transferredNode(CellReport report) {
        return switch (report) {
            case CellReport.NodeTransferred transferred -> Optional.of(transferred.node());
            case CellReport.NodeRetained retained -> Optional.of(retained.node());
            case CellReport.ItemAllocated _,
                    CellReport.ItemReturned _,
                    CellReport.DeallocationProposed _,
                    CellReport.ItemDeleted _,
                    CellReport.ReasonChanged _,
                    CellReport.OfferMade _,
                    CellReport.ClaimReleased _,
                    CellReport.ProbeEcho _ -> Optional.empty();
        };
    }

    // ---- probes

    private void probe(RouterStepBuilder step, Observation.Probe probe) {
        SortedSet<Integer> arrived = new TreeSet<>(
                state.probe(probe.id()).map(RouterRow.RouterProbeRow::arrived).orElse(new TreeSet<>()));
        boolean isOld = !arrived.add(probe.partition());
        step.put(new RouterRow.RouterProbeRow(
                probe.id(),
                arrived,
                probe.partitions(),
                state.probe(probe.id()).map(RouterRow.RouterProbeRow::echoes).orElse(new TreeSet<>())));
        if (!isOld && arrived.size() >= probe.partitions()) {
            step.send(state.allCells(), new Observation.Probe(probe.id(), 0, 1));
        }
    }

    /**
     * Answers the probes that every cell has echoed, unless an item is still undecided in a cell. An item whose search
     * continues in slices is pending.
     */
    private void answerProbes(RouterStepBuilder step) {
        for (RouterRow.RouterProbeRow probe : state.probes()) {
            boolean isComplete = probe.echoes().size() >= state.cells()
                    && state.assignedItems().stream().allMatch(state::isUnfinished);
            if (isComplete) {
                step.delete(probe.key());
                int items = state.rows(RouterRow.ItemLocationRow.ALL).size();
                int pending = state.pending().size() + state.assignedItems().size();
                step.emit(
                        new RouterOutput.PublicOutput(new Output.ProbeAnswered(probe.id(), items - pending, pending)));
            }
        }
    }
}
