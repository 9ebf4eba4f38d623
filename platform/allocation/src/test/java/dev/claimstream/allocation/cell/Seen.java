package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.Holding;
import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.PoolId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Everything that a state says of itself, rows and what follows from them, in a form that can be compared. */
record Seen(
        SortedMap<String, Row> rows,
        SortedMap<DeviceId, List<Holding.Holder>> holders,
        SortedMap<Rank, ItemId> waiting,
        SortedMap<String, Rank> earmarks,
        SortedMap<String, NodeSeen> nodes,
        Map<String, List<DeviceResult>> held,
        Settings settings,
        boolean listed) {

    /** A node that is usable. */
    record NodeSeen(List<String> devices, List<PoolId> incomplete, List<PoolId> invalid) {}

    static Seen of(State state) {
        var holders = new TreeMap<DeviceId, List<Holding.Holder>>();
        for (Holding holding : state.inventory().holdings()) {
            if (!holding.isFree()) {
                holders.put(holding.device(), List.copyOf(holding.holders()));
            }
        }
        var nodes = new TreeMap<String, NodeSeen>();
        for (NodeView view : state.inventory().views()) {
            if (view.isUsable()) {
                List<String> devices = view.slots().stream().map(Seen::text).toList();
                nodes.put(view.name(), new NodeSeen(devices, view.incompletePools(), view.invalidPools()));
            }
        }
        return new Seen(
                new TreeMap<>(state.rows()),
                holders,
                new TreeMap<>(state.waiting()),
                new TreeMap<>(state.earmarks()),
                nodes,
                new TreeMap<>(state.held()),
                state.settings(),
                state.isListed());
    }

    private static String text(Slot slot) {
        return slot.holding().device() + " " + slot.device() + " " + slot.reached() + " " + slot.shared() + " "
                + slot.holding().isFree();
    }

    /** The rows that say what was observed: objects, what is heard of nodes, and how far sources have listed; one line per row. */
    List<String> observed() {
        List<String> observed = new ArrayList<>();
        for (Row row : rows.values()) {
            switch (row) {
                case Row.ObjectRow object -> observed.add(row.toString());
                case Row.HeardRow heard -> observed.add(row.toString());
                case Row.SourceRow source -> observed.add(row.toString());
                case Row.ItemRow item -> {}
                case Row.GrantRow grant -> {}
                case Row.RefusedRow refused -> {}
                case Row.DeallocationRow deallocation -> {}
                case Row.AvoidRow avoid -> {}
                case Row.CoolRow cool -> {}
                case Row.AlarmRow alarm -> {}
                case Row.LeaseRow lease -> {}
                case Row.ProbeRow probe -> {}
                case Row.CountRow count -> {}
                case Row.RefreshRow refresh -> {}
                case Row.SettingsRow settings -> {}
                case Row.EvaluationRow _,
                        Row.IndexRow _,
                        Row.PreparationRow _,
                        Row.SlicesRow _,
                        Row.WorkRow _,
                        Row.BacklogRow _,
                        Row.BudgetRow _,
                        Row.WorkAlarmRow _ -> {}
            }
        }
        return observed;
    }
}
