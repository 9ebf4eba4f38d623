package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.PoolId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A comparable snapshot of a state: its rows and all values derived from them. */
record StateSnapshot(
        SortedMap<String, Row> rows,
        SortedMap<DeviceId, List<DeviceUsage.UsageEntry>> usages,
        SortedMap<Rank, ItemId> pending,
        SortedMap<String, Rank> earmarks,
        SortedMap<String, NodeSnapshot> nodes,
        Map<String, List<DeviceResult>> allocations,
        CellSettings settings,
        boolean synced) {

    /** The view of a usable node. */
    record NodeSnapshot(List<String> devices, List<PoolId> incompletePools, List<PoolId> invalidPools) {}

    static StateSnapshot of(State state) {
        var holders = new TreeMap<DeviceId, List<DeviceUsage.UsageEntry>>();
        for (DeviceUsage usage : state.inventory().usages()) {
            if (!usage.isFree()) {
                holders.put(usage.device(), List.copyOf(usage.entries()));
            }
        }
        var nodes = new TreeMap<String, NodeSnapshot>();
        for (NodeDeviceView view : state.inventory().views()) {
            if (view.isUsable()) {
                List<String> devices =
                        view.candidates().stream().map(StateSnapshot::text).toList();
                nodes.put(view.name(), new NodeSnapshot(devices, view.incompletePools(), view.invalidPools()));
            }
        }
        return new StateSnapshot(
                new TreeMap<>(state.rows()),
                holders,
                new TreeMap<>(state.pending()),
                new TreeMap<>(state.earmarks()),
                nodes,
                new TreeMap<>(state.devicesByHolder()),
                state.settings(),
                state.isSynced());
    }

    private static String text(DeviceCandidate candidate) {
        return candidate.usage().device() + " " + candidate.device() + " " + candidate.isReachable() + " "
                + candidate.isShared() + " " + candidate.usage().isFree();
    }

    /** The rows of observations, one line per row: objects, node liveness and sources. */
    List<String> observedRows() {
        List<String> observed = new ArrayList<>();
        for (Row row : rows.values()) {
            switch (row) {
                case ObservedRow.ObjectRow object -> observed.add(row.toString());
                case ObservedRow.NodeLivenessRow liveness -> observed.add(row.toString());
                case ObservedRow.SourceRow source -> observed.add(row.toString());
                case SchedulingRow.ItemRow item -> {}
                case ClaimRow.AllocationRow allocationRow -> {}
                case ClaimRow.RejectionRow rejected -> {}
                case ClaimRow.DeallocationRow deallocation -> {}
                case SchedulingRow.AvoidedNodeRow avoid -> {}
                case ClaimRow.QuarantineRow cool -> {}
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
        return observed;
    }
}
