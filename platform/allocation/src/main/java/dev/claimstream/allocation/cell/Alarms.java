package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.Holding;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Reconciles device alarms with the state.
 *
 * <p>A lost device is revoked if its claim's status does not have it yet. Otherwise only an alarm is raised, because
 * only the claim itself can release the device.
 */
final class Alarms {
    private final State state;
    private final Change change = new Change();
    private final Map<PoolId, Optional<SortedSet<String>>> published = new TreeMap<>();
    private final Map<PoolId, SortedSet<DeviceId>> overdrawn = new TreeMap<>();

    private Alarms(State state) {
        this.state = state;
    }

    static Change of(State state, Suspects suspects) {
        var alarms = new Alarms(state);
        suspects.devices(state).forEach(alarms::look);
        return alarms.change;
    }

    private void look(DeviceId device) {
        Optional<Holding> holding = state.inventory().holding(device);
        List<Holding.Holder> holders = holding.map(Holding::holders).orElse(List.of()).stream()
                .filter(holder -> !State.isCooler(holder.uid()))
                .toList();
        SortedMap<String, Row.AlarmRow> wanted = new TreeMap<>();
        if (holders.size() > 1 && holding.filter(Holding::isContested).isPresent() && isBelieved(device)) {
            add(wanted, Alarm.Sort.CONFLICT, device, holders);
        }
        if (!holders.isEmpty() && isLost(device, holders)) {
            List<Holding.Holder> bound = new ArrayList<>();
            holders.forEach(holder ->
                    revocable(holder).ifPresentOrElse(grant -> revoke(grant, device), () -> bound.add(holder)));
            bound.removeIf(this::isRevoked);
            if (!bound.isEmpty()) {
                add(wanted, Alarm.Sort.DEVICE_LOST, device, bound);
            }
        }
        if (!holders.isEmpty() && isOverdrawn(device)) {
            add(wanted, Alarm.Sort.OVERDRAWN, device, holders);
        }
        tell(device, wanted);
    }

    private boolean isOverdrawn(DeviceId device) {
        return overdrawn
                .computeIfAbsent(device.poolId(), state.inventory()::overdrawn)
                .contains(device);
    }

    /**
     * Whether a conflict is reliable. During a list, the new holder of a device may appear before the release by the
     * old one.
     */
    private boolean isBelieved(DeviceId device) {
        return state.isListed() || state.rows().containsKey(Row.AlarmRow.key(device, Alarm.Sort.CONFLICT));
    }

    private static void add(
            SortedMap<String, Row.AlarmRow> wanted, Alarm.Sort sort, DeviceId device, List<Holding.Holder> holders) {
        List<ObjectKey> claims =
                holders.stream().map(Holding.Holder::claim).sorted().toList();
        var row = new Row.AlarmRow(new Alarm(sort, device, claims));
        wanted.put(row.key(), row);
    }

    /**
     * Whether the device is missing in a complete pool generation, or the whole pool is deleted.
     *
     * <p>An incomplete generation proves nothing. A device that was lost before stays lost unless that generation
     * contains it.
     */
    private boolean isLost(DeviceId device, List<Holding.Holder> holders) {
        return published
                .computeIfAbsent(device.poolId(), state.inventory()::published)
                .map(names -> !names.contains(device.device()))
                .orElseGet(() -> state.inventory().published(device).isEmpty()
                        && (isKnownLost(device) || isWithdrawn(device.poolId(), holders)));
    }

    private boolean isKnownLost(DeviceId device) {
        return state.rows().containsKey(Row.AlarmRow.key(device, Alarm.Sort.DEVICE_LOST));
    }

    /** With several cells an unknown pool may belong to another cell, unless this cell has allocated devices of it. */
    private boolean isWithdrawn(PoolId pool, List<Holding.Holder> holders) {
        return state.isWithdrawn(pool)
                && (state.place().isAlone()
                        || holders.stream()
                                .anyMatch(holder -> state.grant(holder.uid()).isPresent()));
    }

    private Optional<Row.GrantRow> revocable(Holding.Holder holder) {
        return uncommitted(holder).filter(grant -> grant.standing() == Row.GrantRow.Standing.GIVEN);
    }

    private boolean isRevoked(Holding.Holder holder) {
        return uncommitted(holder)
                .filter(grant -> grant.standing() == Row.GrantRow.Standing.REVOKED || isTakenBack(grant))
                .isPresent();
    }

    private boolean isTakenBack(Row.GrantRow grant) {
        return change.facts.stream().anyMatch(fact -> fact.key().equals(grant.key()));
    }

    /** The cell's allocation of a holder, if the writer has not confirmed it and the status has none. */
    private Optional<Row.GrantRow> uncommitted(Holding.Holder holder) {
        boolean isInStatus = state.claim(holder.claim())
                .filter(claim -> claim.meta().uid().equals(holder.uid()))
                .flatMap(ResourceClaim::allocation)
                .isPresent();
        return state.grant(holder.uid())
                .filter(grant -> !isInStatus && grant.standing() != Row.GrantRow.Standing.COMMITTED);
    }

    private void revoke(Row.GrantRow grant, DeviceId device) {
        if (isTakenBack(grant)) {
            return;
        }
        change.revoke(grant, state, "device %s is not published any more".formatted(device));
    }

    private void tell(DeviceId device, SortedMap<String, Row.AlarmRow> wanted) {
        var known = state.rowsFrom(Row.AlarmRow.prefix(device));
        known.forEach((key, row) -> {
            if (!wanted.containsKey(key)
                    && row instanceof Row.AlarmRow alarmed
                    && alarmed.alarm().device().equals(device)) {
                change.drop(key);
                change.outputs.add(new Output.Alarmed(alarmed.alarm(), true));
            }
        });
        wanted.forEach((key, row) -> {
            if (!row.equals(known.get(key))) {
                change.put(row);
                change.outputs.add(new Output.Alarmed(row.alarm(), false));
            }
        });
    }
}
