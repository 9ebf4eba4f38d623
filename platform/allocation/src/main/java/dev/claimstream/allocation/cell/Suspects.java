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
final class Suspects {
    private final SortedSet<PoolId> pools = new TreeSet<>();
    private final SortedSet<DeviceId> devices = new TreeSet<>();

    /** Adds what a fact concerns. Call it before the fact is applied. */
    void note(State state, Fact fact) {
        Optional.ofNullable(state.rows().get(fact.key())).ifPresent(row -> note(state, row));
        if (fact instanceof Fact.Put put) {
            note(state, put.row());
        }
    }

    /** Adds devices that can be judged only after a sync: conflicts, and allocated devices of deleted pools. */
    void noteListed(State state) {
        state.inventory().holdings().forEach(holding -> {
            if (holding.isContested()) {
                devices.add(holding.device());
            }
        });
        for (PoolId pool : state.inventory().heldPools()) {
            if (state.isWithdrawn(pool)) {
                pools.add(pool);
            }
        }
    }

    private void note(State state, Row row) {
        switch (row) {
            case Row.ObjectRow object -> object.content().ifPresent(content -> note(state, content));
            case Row.GrantRow grant -> note(grant.allocation());
            case Row.HeardRow heard -> {}
            case Row.SourceRow source -> {}
            case Row.ItemRow item -> {}
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

    private void note(State state, ClusterObject object) {
        if (object instanceof ResourceSlice slice) {
            pools.add(slice.poolId());
        } else if (object instanceof ResourceClaim claim) {
            claim.allocation().filter(each -> !isEcho(state, claim, each)).ifPresent(this::note);
        }
    }

    /** Whether a claim's status repeats the cell's own allocation; that changes no alarm. */
    private static boolean isEcho(State state, ResourceClaim claim, Allocation allocation) {
        return state.grant(claim.meta().uid())
                .filter(grant -> grant.standing() != Row.GrantRow.Standing.REVOKED)
                .filter(grant -> State.devicesOf(grant.allocation()).equals(State.devicesOf(allocation)))
                .isPresent();
    }

    private void note(Allocation allocation) {
        devices.addAll(State.devicesOf(allocation));
    }

    /** All devices to check. A change of one device can overdraw or relieve others of its pool. */
    SortedSet<DeviceId> devices(State state) {
        var all = new TreeSet<>(devices);
        pools.forEach(pool -> all.addAll(state.inventory().heldIn(pool)));
        Stream.concat(pools.stream(), devices.stream().map(DeviceId::poolId))
                .distinct()
                .forEach(pool -> {
                    all.addAll(alarmed(state, pool));
                    all.addAll(state.inventory().overdrawn(pool));
                });
        return all;
    }

    private static List<DeviceId> alarmed(State state, PoolId pool) {
        return state.rowsFrom(Row.AlarmRow.prefix(pool)).values().stream()
                .map(row -> ((Row.AlarmRow) row).alarm().device())
                .toList();
    }
}
