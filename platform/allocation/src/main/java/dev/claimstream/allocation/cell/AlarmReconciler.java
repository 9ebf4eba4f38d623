package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceUsage;
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
final class AlarmReconciler {
    private final State state;
    private final StateChange change = new StateChange();
    private final Map<PoolId, Optional<SortedSet<String>>> published = new TreeMap<>();
    private final Map<PoolId, SortedSet<DeviceId>> overdrawn = new TreeMap<>();

    private AlarmReconciler(State state) {
        this.state = state;
    }

    static StateChange of(State state, AlarmCandidates suspects) {
        var alarms = new AlarmReconciler(state);
        suspects.devices(state).forEach(alarms::reconcile);
        return alarms.change;
    }

    private void reconcile(DeviceId device) {
        Optional<DeviceUsage> holding = state.inventory().usages().find(device);
        List<DeviceUsage.UsageEntry> holders = holding.map(DeviceUsage::entries).orElse(List.of()).stream()
                .filter(holder -> !ClaimDevices.isQuarantine(holder.uid()))
                .toList();
        SortedMap<String, Row.AlarmRow> desired = new TreeMap<>();
        if (holders.size() > 1 && holding.filter(DeviceUsage::isContested).isPresent() && isReliable(device)) {
            revokeContested(holders, device);
            add(desired, Alarm.AlarmType.CONFLICT, device, holders);
        }
        if (!holders.isEmpty() && isLost(device, holders)) {
            List<DeviceUsage.UsageEntry> bound = new ArrayList<>();
            holders.forEach(holder -> revocable(holder)
                    .ifPresentOrElse(
                            decided -> revoke(decided, "device %s is not published any more".formatted(device)),
                            () -> bound.add(holder)));
            bound.removeIf(this::isRevoked);
            if (!bound.isEmpty()) {
                add(desired, Alarm.AlarmType.DEVICE_LOST, device, bound);
            }
        }
        if (!holders.isEmpty() && isOverdrawn(device)) {
            add(desired, Alarm.AlarmType.OVERDRAWN, device, holders);
        }
        report(device, desired);
    }

    private boolean isOverdrawn(DeviceId device) {
        return overdrawn
                .computeIfAbsent(device.poolId(), state.inventory()::overcommitted)
                .contains(device);
    }

    /**
     * Whether a double allocation is certain. During a list, the new holder of a device may appear before the release
     * by the old one.
     */
    private boolean isReliable(DeviceId device) {
        return state.isSynced()
                || state.row(Row.AlarmRow.key(device, Alarm.AlarmType.CONFLICT)).isPresent();
    }

    private static void add(
            SortedMap<String, Row.AlarmRow> desired,
            Alarm.AlarmType sort,
            DeviceId device,
            List<DeviceUsage.UsageEntry> holders) {
        List<ObjectKey> claims =
                holders.stream().map(DeviceUsage.UsageEntry::claim).sorted().toList();
        var row = new Row.AlarmRow(new Alarm(sort, device, claims));
        desired.put(row.key(), row);
    }

    /**
     * Whether the device is missing in a complete pool generation, or the whole pool is deleted.
     *
     * <p>An incomplete generation proves nothing. A device that was lost before stays lost unless that generation
     * contains it.
     */
    private boolean isLost(DeviceId device, List<DeviceUsage.UsageEntry> holders) {
        return published
                .computeIfAbsent(device.poolId(), state.inventory().slices()::published)
                .map(names -> !names.contains(device.device()))
                .orElseGet(() -> state.inventory().slices().published(device).isEmpty()
                        && (isKnownLost(device) || isPoolDeleted(device.poolId(), holders)));
    }

    private boolean isKnownLost(DeviceId device) {
        return state.row(Row.AlarmRow.key(device, Alarm.AlarmType.DEVICE_LOST)).isPresent();
    }

    private boolean isPoolDeleted(PoolId pool, List<DeviceUsage.UsageEntry> holders) {
        return state.isPoolDeleted(pool) && state.coordination().ownsDeletedPool(holders);
    }

    private Optional<ClaimRow.AllocationRow> revocable(DeviceUsage.UsageEntry holder) {
        return uncommitted(holder).filter(ClaimRow.AllocationRow::isUnconfirmed);
    }

    private boolean isRevoked(DeviceUsage.UsageEntry holder) {
        return uncommitted(holder)
                .filter(decided ->
                        decided.commitState() == ClaimRow.AllocationRow.CommitState.REVOKED || isRevokedNow(decided))
                .isPresent();
    }

    private boolean isRevokedNow(ClaimRow.AllocationRow decided) {
        return change.facts.stream().anyMatch(fact -> fact.key().equals(decided.key()));
    }

    /** The cell's allocation of a holder, if the writer has not confirmed it and the status has none. */
    private Optional<ClaimRow.AllocationRow> uncommitted(DeviceUsage.UsageEntry holder) {
        boolean isInStatus = isInStatus(holder.claim(), holder.uid());
        return state.decidedAllocation(holder.uid())
                .filter(decided ->
                        !isInStatus && decided.commitState() != ClaimRow.AllocationRow.CommitState.COMMITTED);
    }

    private void revoke(ClaimRow.AllocationRow decided, String reason) {
        if (isRevokedNow(decided)) {
            return;
        }
        change.revoke(decided, state, reason);
    }

    /**
     * Revokes what is not committed yet if the status of another claim has the device. So it is after a restore of the
     * cluster from a backup.
     */
    private void revokeContested(List<DeviceUsage.UsageEntry> holders, DeviceId device) {
        Optional<DeviceUsage.UsageEntry> holder = holders.stream()
                .filter(each -> isInStatus(each.claim(), each.uid()))
                .findFirst();
        holder.ifPresent(other -> holders.stream()
                .flatMap(each -> revocable(each).stream())
                .forEach(decided ->
                        revoke(decided, "device %s is allocated to claim %s".formatted(device, other.claim()))));
    }

    private boolean isInStatus(ObjectKey claim, String uid) {
        return state.claim(claim)
                .filter(each -> each.meta().uid().equals(uid))
                .flatMap(ResourceClaim::allocation)
                .isPresent();
    }

    private void report(DeviceId device, SortedMap<String, Row.AlarmRow> desired) {
        for (Row.AlarmRow known : state.rows(Row.AlarmRow.allOf(device))) {
            if (!desired.containsKey(known.key()) && known.alarm().device().equals(device)) {
                change.drop(known);
                change.outputs.add(new Output.AlarmChanged(known.alarm(), true));
            }
        }
        for (Row.AlarmRow row : desired.values()) {
            if (!state.row(Row.AlarmRow.key(device, row.alarm().type())).equals(Optional.of(row))) {
                change.put(row);
                change.outputs.add(new Output.AlarmChanged(row.alarm(), false));
            }
        }
    }
}
