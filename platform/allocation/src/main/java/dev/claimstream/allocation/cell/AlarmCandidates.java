package dev.claimstream.allocation.cell;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Collects devices and pools whose alarms may change with an input. */
final class AlarmCandidates {
    private final SortedSet<PoolId> pools = new TreeSet<>();
    private final SortedSet<DeviceId> devices = new TreeSet<>();

    /** Adds what a fact concerns. Call it before the fact is applied. */
    void add(State state, Fact fact) {
        Optional.ofNullable(state.rows().get(fact.key())).ifPresent(row -> add(state, row));
        if (fact instanceof Fact.Put put) {
            add(state, put.row());
        }
    }

    /** Adds devices that can be judged only after a sync: double allocations, and allocated devices of deleted pools. */
    void addAfterSync(State state) {
        state.inventory().usages().forEach(holding -> {
            if (holding.isContested()) {
                devices.add(holding.device());
            }
        });
        for (PoolId pool : state.inventory().usages().poolsInUse()) {
            if (state.isPoolDeleted(pool)) {
                pools.add(pool);
            }
        }
    }

    private void add(State state, Row row) {
        switch (row) {
            case ObservedRow.ObjectRow object -> object.content().ifPresent(content -> add(state, content));
            case ClaimRow.AllocationRow decided -> add(decided.allocation());
            case ObservedRow.NodeLivenessRow liveness -> {}
            case ObservedRow.SourceRow source -> {}
            case SchedulingRow.ItemRow item -> {}
            case ClaimRow.RejectionRow rejection -> {}
            case ClaimRow.DeallocationRow deallocation -> {}
            case SchedulingRow.AvoidedNodeRow avoided -> {}
            case ClaimRow.QuarantineRow quarantine -> {}
            case Row.AlarmRow alarm -> {}
            case SchedulingRow.LeaseRow lease -> {}
            case Row.ProbeRow probe -> {}
            case Row.CountRow count -> {}
            case SchedulingRow.RefreshRow refresh -> {}
            case Row.SettingsRow settings -> {}
            case WorkBudgetRow.EvaluationRow _,
                    WorkBudgetRow.IndexRow _,
                    WorkBudgetRow.PreparationRow _,
                    WorkBudgetRow.SliceChangesRow _,
                    WorkBudgetRow.WorkRow _,
                    SchedulingRow.BacklogRow _,
                    WorkBudgetRow.BudgetRow _,
                    WorkBudgetRow.WorkAlarmRow _ -> {}
        }
    }

    private void add(State state, ClusterObject object) {
        if (object instanceof ResourceSlice slice) {
            pools.add(slice.poolId());
        } else if (object instanceof ResourceClaim claim) {
            claim.allocation()
                    .filter(each -> !isOwnAllocation(state, claim, each))
                    .ifPresent(this::add);
        }
    }

    /** Whether a claim's status repeats the cell's own allocation; that changes no alarm. */
    private static boolean isOwnAllocation(State state, ResourceClaim claim, Allocation allocation) {
        return state.decidedAllocation(claim.meta().uid())
                .filter(decided -> decided.commitState() != ClaimRow.AllocationRow.CommitState.REVOKED)
                .filter(decided ->
                        ClaimDevices.devicesOf(decided.allocation()).equals(ClaimDevices.devicesOf(allocation)))
                .isPresent();
    }

    private void add(Allocation allocation) {
        devices.addAll(ClaimDevices.devicesOf(allocation));
    }

    /** All devices to check. A change of one device can overdraw or relieve others of its pool. */
    SortedSet<DeviceId> devices(State state) {
        var all = new TreeSet<>(devices);
        pools.forEach(pool -> all.addAll(state.inventory().usages().usedDevices(pool)));
        Stream.concat(pools.stream(), devices.stream().map(DeviceId::poolId))
                .distinct()
                .forEach(pool -> {
                    all.addAll(alarmed(state, pool));
                    all.addAll(state.inventory().overcommitted(pool));
                });
        return all;
    }

    private static List<DeviceId> alarmed(State state, PoolId pool) {
        return state.rows(Row.AlarmRow.allOf(pool)).stream()
                .map(row -> row.alarm().device())
                .toList();
    }
}
