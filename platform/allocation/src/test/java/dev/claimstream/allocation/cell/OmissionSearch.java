package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.router.RouterRow;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Searches a settled {@link MultiCellSimulation} for work that router and cells have omitted. */
final class OmissionSearch {
    private final MultiCellSimulation simulation;
    private final int cells;
    private final RouterState router;
    private final SortedMap<String, Decision> lastDecisions;
    private final List<ClaimRow.AllocationRow> revoked;

    /**
     * Creates the search.
     *
     * @param lastDecisions last decision of each claim, by UID
     * @param revoked revoked allocations of claims without an allocation in their status
     */
    OmissionSearch(
            MultiCellSimulation simulation,
            SortedMap<String, Decision> lastDecisions,
            List<ClaimRow.AllocationRow> revoked) {
        this.simulation = simulation;
        this.cells = simulation.cells();
        this.router = simulation.router();
        this.lastDecisions = lastDecisions;
        this.revoked = revoked;
    }

    /** Describes pending items that fit in a cell, stuck records, and differences between router and cells. */
    List<String> find() {
        List<String> overlooked = new ArrayList<>();
        if (!router.assignedItems().isEmpty()) {
            overlooked.add("on their way for ever: " + router.assignedItems());
        }
        router.rows().values().forEach(row -> {
            if (row instanceof RouterRow.DeferredObservationRow deferred) {
                overlooked.add("deferred without end: " + deferred);
            }
        });
        lastDecisions.forEach((uid, decision) -> {
            if (!exists(uid) && !isDeletionDelayed(uid)) {
                overlooked.add("%s is deleted, and its last decision is %s".formatted(uid, decision.result()));
            }
        });
        router.pending().forEach((rank, item) -> {
            RouterRow.ItemLocationRow row = router.item(item).orElseThrow();
            if (row.location() instanceof RouterRow.ItemLocation.AtRouter here && here.blocked()) {
                overlooked.add("%s stays blocked at the router".formatted(item));
            }
            if (row.reason().equals(Optional.of(Reason.Revoking))
                    && revoked.stream().noneMatch(each -> isUserOf(item, each.claim()) || isClaimItem(item, each))) {
                overlooked.add("%s is pending (Revoking), and no allocation of its claims is revoked".formatted(item));
            }
            for (int i = 0; i < cells; i++) {
                boolean isLost = row.reason().equals(Optional.of(Reason.DeviceNotPublished)); // fits nowhere with that
                if (!isLost && fits(withAllAllocations(i), item)) {
                    overlooked.add("%s is pending (%s) and fits in cell %d".formatted(item, row.reason(), i));
                }
                if (fitsWithDeallocation(i, item)) {
                    overlooked.add("%s is pending (%s) and fits in cell %d without its allocated claims"
                            .formatted(item, row.reason(), i));
                }
            }
        });
        for (int i = 0; i < cells; i++) {
            overlooked.addAll(findClaimDifferences(i));
            overlooked.addAll(findUnknownClaims(i));
            overlooked.addAll(findUnboundAllocations(i));
        }
        return overlooked;
    }

    /** The state of a cell with all claims of the router. */
    private State withAllClaims(int index) {
        List<Row> rows = new ArrayList<>();
        simulation.cell(index).rows().values().stream()
                .filter(row -> !isClaim(row))
                .forEach(rows::add);
        claims().forEach((_, claim) -> rows.add(claim));
        return State.of(new TextSelectors(), simulation.identity(index), rows);
    }

    /**
     * The state of a cell with all claims of the router and the allocations of all cells.
     *
     * <p>A claim that another cell has allocated, or has revoked without an answer of the writer, fits nowhere else.
     */
    private State withAllAllocations(int index) {
        SortedMap<String, Row> rows = new TreeMap<>();
        IntStream.range(0, cells)
                .mapToObj(simulation::cell)
                .flatMap(cell -> cell.rows(ClaimRow.AllocationRow.ALL).stream())
                .forEach(row -> rows.put(row.key(), row));
        rows.putAll(withAllClaims(index).rows());
        return State.of(new TextSelectors(), simulation.identity(index), List.copyOf(rows.values()));
    }

    private static boolean isClaimItem(ItemId item, ClaimRow.AllocationRow allocation) {
        return item.equals(ItemId.claim(allocation.claim()));
    }

    /** Compares the claims of a cell with the claims that the router sent to it. */
    private List<String> findClaimDifferences(int index) {
        List<String> mistold = new ArrayList<>();
        SortedMap<String, Row> known = new TreeMap<>();
        simulation.cell(index).rows().values().stream()
                .filter(OmissionSearch::isExistingClaim)
                .forEach(row -> known.put(row.key(), row));
        SortedMap<String, Row> expected = new TreeMap<>();
        claims().forEach((key, claim) -> {
            if (router.fanout(claim.object())
                    .filter(row -> row.cells().contains(index))
                    .isPresent()) {
                expected.put(key, claim);
            }
        });
        if (!known.equals(expected)) {
            mistold.add("cell %d knows of claims %s and was told %s".formatted(index, known, expected));
        }
        return mistold;
    }

    /** Claims with devices of a cell that does not know them, so that it could allocate the devices again. */
    private List<String> findUnknownClaims(int index) {
        SortedSet<PoolId> pools = new TreeSet<>();
        for (RouterRow row : router.rows().values()) {
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
            if (isHere && !simulation.cell(index).rows().containsKey(key)) {
                unknown.add("%s has devices of cell %d, which does not know it".formatted(row.object(), index));
            }
        });
        return unknown;
    }

    /** Allocations of a cell that the router does not know. Their claims could be pending forever. */
    private List<String> findUnboundAllocations(int index) {
        return simulation.cell(index).rows(ClaimRow.AllocationRow.ALL).stream()
                .filter(row -> row.commitState() == ClaimRow.AllocationRow.CommitState.DECIDED)
                .filter(row -> router.rows().values().stream()
                        .noneMatch(each -> each instanceof RouterRow.BoundClaimRow bound
                                && bound.cell() == index
                                && bound.claimUid().equals(row.claimUid())))
                .map(row -> "%s is allocated in cell %d, and the router does not know it".formatted(row.claim(), index))
                .toList();
    }

    /** The existing claims of the router by row key. */
    private SortedMap<String, ObservedRow.ObjectRow> claims() {
        SortedMap<String, ObservedRow.ObjectRow> claims = new TreeMap<>();
        for (RouterRow row : router.rows().values()) {
            if (row instanceof RouterRow.ClusterStateRow(ObservedRow.ObjectRow known) && isExistingClaim(known)) {
                claims.put(known.key(), known);
            }
        }
        return claims;
    }

    static boolean isClaim(Row row) {
        return row instanceof ObservedRow.ObjectRow object && object.kind() == Kind.RESOURCE_CLAIM;
    }

    private static boolean isExistingClaim(Row row) {
        return row instanceof ObservedRow.ObjectRow object
                && object.kind() == Kind.RESOURCE_CLAIM
                && object.content().isPresent();
    }

    /** Whether the deletion of a claim is published only after an item leaves its cell. */
    private boolean isDeletionDelayed(String claimUid) {
        return router.rows().values().stream()
                .anyMatch(each -> each instanceof RouterRow.ItemLocationRow item
                        && item.ended().contains(claimUid)
                        && !(item.location() instanceof RouterRow.ItemLocation.AtRouter));
    }

    private boolean exists(String claimUid) {
        return router.rows().values().stream()
                .anyMatch(each -> each instanceof RouterRow.ClusterStateRow(ObservedRow.ObjectRow known)
                        && known.content().isPresent()
                        && known.content().get() instanceof ResourceClaim claim
                        && claim.meta().uid().equals(claimUid));
    }

    private static boolean fits(State state, ItemId item) {
        var topology = new NaiveTopology(state);
        boolean exists = switch (item.kind()) {
            case POD -> state.pod(item.key()).isPresent();
            case CLAIM -> state.claim(item.key()).isPresent();
        };
        if (!exists || !state.isSynced()) {
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
                                                        && !isAvoided(state, item, node.name())
                                                        && topology.admits(item, node.node())))
                        instanceof AllocationPlan.Allocated;
    }

    /**
     * Whether an item fits in a cell if claims are deallocated that every cell and the router allow. Without items whose
     * claims are in different cells: they stay pending.
     */
    private boolean fitsWithDeallocation(int index, ItemId item) {
        RouterRow.ItemLocationRow row = router.item(item).orElseThrow();
        boolean isPossible = router.rows().values().stream()
                        .noneMatch(each -> each instanceof RouterRow.ClusterStateRow(ClaimRow.DeallocationRow known)
                                && isUserOf(item, known.claim()))
                && row.reason().filter(reason -> reason != Reason.SpansCells).isPresent();
        if (!isPossible || !usesAllocatedClaim(item)) {
            return false;
        }
        State state = asOnlyCell(index);
        Optional<WorkItemAssembly.Ready> found = ready(state, item);
        if (found.isEmpty()) {
            return false;
        }
        WorkItemAssembly.Ready ready = found.orElseThrow();
        List<String> allowed = DeallocationCandidates.of(state, item, ready).uids();
        boolean isAllowed = !allowed.isEmpty()
                && isWithoutOtherPods(item, ready)
                && IntStream.range(0, cells)
                        .mapToObj(this::asOnlyCell)
                        .allMatch(other -> ready(other, item)
                                .filter(each -> DeallocationCandidates.of(other, item, each)
                                        .uids()
                                        .equals(allowed))
                                .isPresent());
        var topology = new NaiveTopology(state);
        return isAllowed
                && DeallocationCandidates.of(state, item, ready)
                        .attempt(without -> state.planner()
                                .plan(
                                        without.shape(),
                                        new AllocationPlanner.PlanOptions(
                                                state.settings().policy(),
                                                state.settings().searchStepsMax(),
                                                node -> !state.earmarks().containsKey(node.name())
                                                        && !isAvoided(state, item, node.name())
                                                        && topology.admits(item, node.node()))))
                        .reallocation()
                        .isPresent();
    }

    private boolean isWithoutOtherPods(ItemId item, WorkItemAssembly.Ready ready) {
        return router.rows().values().stream()
                .noneMatch(each -> each instanceof RouterRow.ItemLocationRow other
                        && !other.item().equals(item)
                        && !(other.location() instanceof RouterRow.ItemLocation.AtRouter)
                        && ready.claims().stream().anyMatch(other.claims()::contains));
    }

    private boolean isUserOf(ItemId item, ObjectKey claim) {
        return item.kind() == ItemId.ItemKind.POD
                && simulation
                        .cell(0)
                        .pod(item.key())
                        .filter(pod -> pod.claims().contains(claim))
                        .isPresent();
    }

    private boolean usesAllocatedClaim(ItemId item) {
        return claims().values().stream()
                .anyMatch(row -> isUserOf(item, row.object())
                        && ((ResourceClaim) row.content().orElseThrow())
                                .allocation()
                                .isPresent());
    }

    private static Optional<WorkItemAssembly.Ready> ready(State state, ItemId item) {
        return state.isSynced() && WorkItemAssembly.of(state, item) instanceof WorkItemAssembly.Ready ready
                ? Optional.of(ready)
                : Optional.empty();
    }

    /** The state of a cell with all claims of the router, as if it were the only cell. */
    private State asOnlyCell(int index) {
        return State.of(
                new TextSelectors(),
                CellIdentity.SINGLE,
                List.copyOf(withAllClaims(index).rows().values()));
    }

    private static boolean isAvoided(State state, ItemId item, String node) {
        return state.rows(SchedulingRow.AvoidedNodeRow.allOf(item)).stream()
                .anyMatch(row -> row.node().equals(node));
    }
}
