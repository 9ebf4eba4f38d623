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

/** Devices and pools of which an observation may have changed who holds them, or whether they are there. */
final class Suspects {
    private final SortedSet<PoolId> pools = new TreeSet<>();
    private final SortedSet<DeviceId> devices = new TreeSet<>();

    /** Notes what a fact is about, before it is applied. */
    void note(State state, Fact fact) {
        Optional.ofNullable(state.rows().get(fact.key())).ifPresent(row -> note(state, row));
        if (fact instanceof Fact.Put put) {
            note(state, put.row());
        }
    }

    /** Notes what counts once everything is listed: a device that seems to have two holders, and one that is held in a pool that is not there. */
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

    /** That a claim says what we gave to it is no news of its devices. */
    private static boolean isEcho(State state, ResourceClaim claim, Allocation allocation) {
        return state.grant(claim.meta().uid())
                .filter(grant -> grant.standing() != Row.GrantRow.Standing.REVOKED)
                .filter(grant -> State.devicesOf(grant.allocation()).equals(State.devicesOf(allocation)))
                .isPresent();
    }

    private void note(Allocation allocation) {
        devices.addAll(State.devicesOf(allocation));
    }

    /** All devices to look at; who takes or gives back a device may overdraw others of its pool, or help them. */
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
