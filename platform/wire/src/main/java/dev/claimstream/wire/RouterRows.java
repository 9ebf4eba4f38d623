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
import dev.claimstream.schemas.RoutedItem;
import dev.claimstream.schemas.RouterStateRow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Converts rows of the router's state to and from records of its changelog. */
public final class RouterRows {
    private static final Instant NO_TIME = Instant.EPOCH;
    private static final String ROUTER = "router";
    private static final String SENT = "sent";
    private static final String SERVED = "served";

    private RouterRows() {}

    /** Converts a row to a record. */
    public static RouterStateRow to(RouterRow row) {
        var record = RouterStateRow.newBuilder();
        switch (row) {
            case RouterRow.WorldRow known -> record.setWorld(Rows.to(known.row()));
            case RouterRow.ItemRow item -> record.setItem(to(item));
            case RouterRow.BoundRow bound ->
                record.setBound(new dev.claimstream.schemas.BoundClaim(
                        bound.claimUid(), bound.cell(), Decisions.to(bound.item())));
            case RouterRow.ToldRow told ->
                record.setTold(
                        new dev.claimstream.schemas.ToldClaim(told.claim().toString(), List.copyOf(told.cells())));
            case RouterRow.FreeRow free ->
                record.setFree(new dev.claimstream.schemas.FreeDevices(free.cell(), free.devices()));
            case RouterRow.NodeRow node ->
                record.setNode(new dev.claimstream.schemas.PlacedNode(
                        node.node(), node.cell(), node.wanted(), node.transfer()));
            case RouterRow.PoolRow pool -> record.setPool(to(pool));
            case RouterRow.SliceRow slice ->
                record.setSlice(new dev.claimstream.schemas.KnownSlice(
                        slice.name(),
                        slice.pool().driver(),
                        slice.pool().pool(),
                        slice.node().orElse(null)));
            case RouterRow.HeldBackRow held ->
                record.setHeldBack(new dev.claimstream.schemas.HeldBack(
                        held.node(), held.number(), Observations.to(held.observation(), NO_TIME)));
            case RouterRow.ProbeRow probe ->
                record.setProbe(new dev.claimstream.schemas.RoutedProbe(
                        probe.id(), List.copyOf(probe.arrived()), probe.parts(), List.copyOf(probe.echoes())));
            case RouterRow.CountRow count ->
                record.setCount(
                        new dev.claimstream.schemas.RouterCount(count.decisions(), count.attempts(), count.offset()));
        }
        return record.build();
    }

    /**
     * Converts a record to a row.
     *
     * @throws IllegalArgumentException if no known field is set
     */
    public static RouterRow from(RouterStateRow record) {
        return record.getWorld()
                .<RouterRow>map(world -> new RouterRow.WorldRow(Rows.from(world)))
                .or(() -> record.getItem().map(RouterRows::from))
                .or(() -> record.getBound()
                        .map(bound -> new RouterRow.BoundRow(
                                bound.getUid(), bound.getCell(), Decisions.from(bound.getItem()))))
                .or(() -> record.getTold()
                        .map(told -> new RouterRow.ToldRow(
                                Explanations.key(told.getClaim()), new TreeSet<>(told.getCells()))))
                .or(() -> record.getFree().map(free -> new RouterRow.FreeRow(free.getCell(), free.getDevices())))
                .or(() -> record.getNode()
                        .map(node -> new RouterRow.NodeRow(
                                node.getNode(), node.getCell(), node.getWanted(), node.getTransfer())))
                .or(() -> record.getPool().map(RouterRows::from))
                .or(() -> record.getSlice()
                        .map(slice -> new RouterRow.SliceRow(
                                slice.getName(), new PoolId(slice.getDriver(), slice.getPool()), slice.getNode())))
                .or(() -> record.getHeldBack().map(RouterRows::from))
                .or(() -> record.getProbe()
                        .map(probe -> new RouterRow.ProbeRow(
                                probe.getId(),
                                new TreeSet<>(probe.getArrived()),
                                probe.getRecords(),
                                new TreeSet<>(probe.getEchoes()))))
                .or(() -> record.getCount()
                        .map(count ->
                                new RouterRow.CountRow(count.getDecisions(), count.getAttempts(), count.getOffset())))
                .orElseThrow(() -> new IllegalArgumentException("a router row of an unknown sort: " + record));
    }

    // ---- items

    private static RoutedItem to(RouterRow.ItemRow row) {
        var record = RoutedItem.newBuilder()
                .setItem(Decisions.to(row.item()))
                .setUid(row.uid())
                .setPriority(row.rank().priority())
                .setCreated(row.rank().created())
                .setSequence(row.rank().sequence())
                .setClaims(row.claims().stream().map(ObjectKey::toString).toList())
                .setReason(row.reason().map(Reason::name).orElse(null))
                .setMessage(row.message())
                .setReasons(reasons(row))
                .setEnded(List.copyOf(row.ended()));
        switch (row.at()) {
            case RouterRow.At.Router here -> record.setPlace(ROUTER).setPending(here.pending());
            case RouterRow.At.Sent sent ->
                record.setPlace(SENT)
                        .setCell(sent.cell())
                        .setAttempt(sent.attempt())
                        .setTried(List.copyOf(sent.tried()))
                        .setOffers(List.copyOf(sent.offers()))
                        .setAgain(sent.again());
            case RouterRow.At.Served served ->
                record.setPlace(SERVED).setCell(served.cell()).setAttempt(served.attempt());
        }
        return record.build();
    }

    private static List<dev.claimstream.schemas.CellReason> reasons(RouterRow.ItemRow row) {
        List<dev.claimstream.schemas.CellReason> reasons = new ArrayList<>();
        row.reasons()
                .forEach((cell, because) -> reasons.add(
                        new dev.claimstream.schemas.CellReason(cell, RouterWire.why(row.item(), because, NO_TIME))));
        return reasons;
    }

    private static RouterRow.ItemRow from(RoutedItem record) {
        ItemId item = Decisions.from(record.getItem());
        SortedMap<Integer, Explanation.Because.Waits> reasons = new TreeMap<>();
        record.getReasons().forEach(each -> reasons.put(each.getCell(), RouterWire.why(each.getWhy())));
        return new RouterRow.ItemRow(
                item,
                record.getUid(),
                new Rank(record.getPriority(), record.getCreated(), record.getSequence(), item),
                at(record),
                record.getClaims().stream().map(Explanations::key).toList(),
                record.getReason().map(Reason::valueOf),
                record.getMessage(),
                reasons,
                new TreeSet<>(record.getEnded()));
    }

    private static RouterRow.At at(RoutedItem record) {
        return switch (record.getPlace()) {
            case ROUTER -> new RouterRow.At.Router(record.getPending());
            case SENT ->
                new RouterRow.At.Sent(
                        record.getCell(),
                        record.getAttempt(),
                        new TreeSet<>(record.getTried()),
                        new TreeSet<>(record.getOffers()),
                        record.getAgain());
            case SERVED -> new RouterRow.At.Served(record.getCell(), record.getAttempt());
            default ->
                throw new IllegalArgumentException("%s is at %s, which is no place"
                        .formatted(Decisions.from(record.getItem()), record.getPlace()));
        };
    }

    // ---- pools and deferred observations

    private static dev.claimstream.schemas.PlacedPool to(RouterRow.PoolRow row) {
        List<dev.claimstream.schemas.SliceScope> scopes = new ArrayList<>();
        row.scopes()
                .forEach((slice, scope) ->
                        scopes.add(new dev.claimstream.schemas.SliceScope(slice, MetaWire.to(scope))));
        return new dev.claimstream.schemas.PlacedPool(
                row.pool().driver(), row.pool().pool(), row.cell(), scopes);
    }

    private static RouterRow.PoolRow from(dev.claimstream.schemas.PlacedPool record) {
        SortedMap<String, NodeScope> scopes = new TreeMap<>();
        record.getScopes().forEach(each -> scopes.put(each.getSlice(), MetaWire.from(each.getScope())));
        return new RouterRow.PoolRow(new PoolId(record.getDriver(), record.getPool()), record.getCell(), scopes);
    }

    private static RouterRow.HeldBackRow from(dev.claimstream.schemas.HeldBack record) {
        Observation observation = Inputs.observation(record.getObservation())
                .orElseThrow(() -> new IllegalArgumentException(
                        "what is held back for node %s says nothing that is known".formatted(record.getNode())));
        return new RouterRow.HeldBackRow(record.getNode(), record.getNumber(), observation);
    }
}
