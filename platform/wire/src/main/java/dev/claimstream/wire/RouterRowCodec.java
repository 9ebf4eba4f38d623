package dev.claimstream.wire;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Rank;
import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.schemas.BoundClaim;
import dev.claimstream.schemas.CellReason;
import dev.claimstream.schemas.ClaimCells;
import dev.claimstream.schemas.DeferredObservation;
import dev.claimstream.schemas.FreeDevices;
import dev.claimstream.schemas.PlacedNode;
import dev.claimstream.schemas.PlacedPool;
import dev.claimstream.schemas.PlacedSlice;
import dev.claimstream.schemas.RoutedItem;
import dev.claimstream.schemas.RoutedProbe;
import dev.claimstream.schemas.RouterCounters;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.schemas.SliceScope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Converts rows of the router's state to and from records of its changelog. */
public final class RouterRowCodec {
    private static final Instant NO_TIME = Instant.EPOCH;
    private static final String AT_ROUTER = "router";
    private static final String ASSIGNED = "assigned";
    private static final String ALLOCATED = "allocated";

    private RouterRowCodec() {}

    /** Converts a row to a record. */
    public static RouterStateRow to(RouterRow row) {
        var record = RouterStateRow.newBuilder();
        switch (row) {
            case RouterRow.ClusterStateRow clusterState -> record.setClusterState(StateRowCodec.to(clusterState.row()));
            case RouterRow.ItemLocationRow item -> record.setItem(to(item));
            case RouterRow.BoundClaimRow bound ->
                record.setBoundClaim(new BoundClaim(bound.claimUid(), bound.cell(), DecisionCodec.to(bound.item())));
            case RouterRow.ClaimFanoutRow fanout ->
                record.setClaimFanout(new ClaimCells(fanout.claim().toString(), List.copyOf(fanout.cells())));
            case RouterRow.FreeDevicesRow free -> record.setFreeDevices(new FreeDevices(free.cell(), free.devices()));
            case RouterRow.NodeRow node ->
                record.setNode(new PlacedNode(node.node(), node.cell(), node.target(), node.transfer()));
            case RouterRow.PoolRow pool -> record.setPool(to(pool));
            case RouterRow.SliceRow slice ->
                record.setSlice(new PlacedSlice(
                        slice.name(),
                        slice.pool().driver(),
                        slice.pool().pool(),
                        slice.node().orElse(null)));
            case RouterRow.DeferredObservationRow deferred ->
                record.setDeferredObservation(new DeferredObservation(
                        deferred.node(), deferred.number(), CellInputWriter.to(deferred.observation(), NO_TIME)));
            case RouterRow.RouterProbeRow probe ->
                record.setProbe(new RoutedProbe(
                        probe.id(), List.copyOf(probe.arrived()), probe.parts(), List.copyOf(probe.echoes())));
            case RouterRow.RouterCountRow count ->
                record.setCounters(new RouterCounters(count.decisions(), count.attempts(), count.offset()));
        }
        return record.build();
    }

    /**
     * Converts a record to a row.
     *
     * @throws IllegalArgumentException if no known field is set
     */
    public static RouterRow from(RouterStateRow record) {
        return record.getClusterState()
                .<RouterRow>map(clusterState -> new RouterRow.ClusterStateRow(StateRowCodec.from(clusterState)))
                .or(() -> record.getItem().map(RouterRowCodec::from))
                .or(() -> record.getBoundClaim()
                        .map(bound -> new RouterRow.BoundClaimRow(
                                bound.getUid(), bound.getCell(), DecisionCodec.from(bound.getItem()))))
                .or(() -> record.getClaimFanout()
                        .map(fanout -> new RouterRow.ClaimFanoutRow(
                                ExplanationCodec.key(fanout.getClaim()), new TreeSet<>(fanout.getCells()))))
                .or(() -> record.getFreeDevices()
                        .map(free -> new RouterRow.FreeDevicesRow(free.getCell(), free.getDevices())))
                .or(() -> record.getNode()
                        .map(node -> new RouterRow.NodeRow(
                                node.getNode(), node.getCell(), node.getTarget(), node.getTransfer())))
                .or(() -> record.getPool().map(RouterRowCodec::from))
                .or(() -> record.getSlice()
                        .map(slice -> new RouterRow.SliceRow(
                                slice.getName(), new PoolId(slice.getDriver(), slice.getPool()), slice.getNode())))
                .or(() -> record.getDeferredObservation().map(RouterRowCodec::from))
                .or(() -> record.getProbe()
                        .map(probe -> new RouterRow.RouterProbeRow(
                                probe.getId(),
                                new TreeSet<>(probe.getArrived()),
                                probe.getRecords(),
                                new TreeSet<>(probe.getEchoes()))))
                .or(() -> record.getCounters()
                        .map(count -> new RouterRow.RouterCountRow(
                                count.getDecisions(), count.getAttempts(), count.getOffset())))
                .orElseThrow(() -> new IllegalArgumentException("a router row of an unknown kind: " + record));
    }

    // ---- items

    private static RoutedItem to(RouterRow.ItemLocationRow row) {
        var record = RoutedItem.newBuilder()
                .setItem(DecisionCodec.to(row.item()))
                .setUid(row.uid())
                .setPriority(row.rank().priority())
                .setCreated(row.rank().created())
                .setSequence(row.rank().sequence())
                .setClaims(row.claims().stream().map(ObjectKey::toString).toList())
                .setReason(row.reason().map(Reason::name).orElse(null))
                .setMessage(row.message())
                .setCellReasons(reasons(row))
                .setDeletedClaims(List.copyOf(row.ended()));
        switch (row.location()) {
            case RouterRow.ItemLocation.AtRouter here ->
                record.setLocation(AT_ROUTER).setBlocked(here.blocked());
            case RouterRow.ItemLocation.AssignedToCell assigned ->
                record.setLocation(ASSIGNED)
                        .setCell(assigned.cell())
                        .setAttempt(assigned.attempt())
                        .setTriedCells(List.copyOf(assigned.triedCells()))
                        .setOffers(List.copyOf(assigned.offers()))
                        .setChanged(assigned.hasChanged())
                        .setDeallocatable(assigned.deallocatable())
                        .setUnfinished(assigned.isUnfinished());
            case RouterRow.ItemLocation.AllocatedInCell allocated ->
                record.setLocation(ALLOCATED).setCell(allocated.cell()).setAttempt(allocated.attempt());
        }
        return record.build();
    }

    private static List<CellReason> reasons(RouterRow.ItemLocationRow row) {
        List<CellReason> reasons = new ArrayList<>();
        row.reasons()
                .forEach((cell, pending) ->
                        reasons.add(new CellReason(cell, RouterInputCodec.reason(row.item(), pending, NO_TIME))));
        return reasons;
    }

    private static RouterRow.ItemLocationRow from(RoutedItem record) {
        ItemId item = DecisionCodec.from(record.getItem());
        SortedMap<Integer, Explanation.ExplanationDetail.Pending> reasons = new TreeMap<>();
        record.getCellReasons()
                .forEach(each -> reasons.put(each.getCell(), RouterInputCodec.reason(each.getExplanation())));
        var rank = new Rank(record.getPriority(), record.getCreated(), record.getSequence(), item);
        return RouterRow.ItemLocationRow.builder(item, record.getUid(), rank)
                .location(location(record))
                .claims(record.getClaims().stream().map(ExplanationCodec::key).toList())
                .reason(record.getReason().map(Reason::valueOf))
                .message(record.getMessage())
                .reasons(reasons)
                .ended(new TreeSet<>(record.getDeletedClaims()))
                .build();
    }

    private static RouterRow.ItemLocation location(RoutedItem record) {
        return switch (record.getLocation()) {
            case AT_ROUTER -> new RouterRow.ItemLocation.AtRouter(record.getBlocked());
            case ASSIGNED ->
                new RouterRow.ItemLocation.AssignedToCell(
                        record.getCell(),
                        record.getAttempt(),
                        new TreeSet<>(record.getTriedCells()),
                        new TreeSet<>(record.getOffers()),
                        record.getChanged(),
                        record.getDeallocatable(),
                        record.getUnfinished());
            case ALLOCATED -> new RouterRow.ItemLocation.AllocatedInCell(record.getCell(), record.getAttempt());
            default ->
                throw new IllegalArgumentException("%s has the unknown location %s"
                        .formatted(DecisionCodec.from(record.getItem()), record.getLocation()));
        };
    }

    // ---- pools and deferred observations

    private static PlacedPool to(RouterRow.PoolRow row) {
        List<SliceScope> scopes = new ArrayList<>();
        row.scopes().forEach((slice, scope) -> scopes.add(new SliceScope(slice, MetadataCodec.to(scope))));
        return new PlacedPool(row.pool().driver(), row.pool().pool(), row.cell(), scopes);
    }

    private static RouterRow.PoolRow from(PlacedPool record) {
        SortedMap<String, NodeScope> scopes = new TreeMap<>();
        record.getScopes().forEach(each -> scopes.put(each.getSlice(), MetadataCodec.from(each.getScope())));
        return new RouterRow.PoolRow(new PoolId(record.getDriver(), record.getPool()), record.getCell(), scopes);
    }

    private static RouterRow.DeferredObservationRow from(DeferredObservation record) {
        Observation observation = CellInputReader.observation(record.getObservation())
                .orElseThrow(() -> new IllegalArgumentException(
                        "the deferred observation of node %s has no known content".formatted(record.getNode())));
        return new RouterRow.DeferredObservationRow(record.getNode(), record.getNumber(), observation);
    }
}
