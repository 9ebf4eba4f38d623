package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The devices that claims have, allocated or in quarantine. Passes them to the inventory as device usage.
 *
 * <p>A claim's status takes precedence over the cell's own decision. Devices in quarantine are booked under a holder of
 * their own, which cannot use them.
 */
final class ClaimDevices implements RowIndex {
    private final RowTable rows;
    private final DeviceInventory inventory;
    private final Map<String, List<DeviceResult>> devicesOfHolder = new LinkedHashMap<>();
    private final Map<String, ClaimRow.QuarantineRow> quarantines = new LinkedHashMap<>();
    private long devices;

    ClaimDevices(RowTable rows, DeviceInventory inventory) {
        this.rows = rows;
        this.inventory = inventory;
    }

    @Override
    public void add(Row row) {
        if (row instanceof ClaimRow.QuarantineRow quarantine) {
            quarantines.put(quarantine.claimUid(), quarantine);
        }
        update(row);
    }

    @Override
    public void remove(Row row) {
        if (row instanceof ClaimRow.QuarantineRow quarantine) {
            quarantines.remove(quarantine.claimUid());
        }
        update(row);
    }

    private void update(Row row) {
        switch (row) {
            case ObservedRow.ObjectRow object
            when object.content().orElse(null) instanceof ResourceClaim claim ->
                update(claim.meta().uid(), claim.key());
            case ClaimRow.AllocationRow decided -> update(decided.claimUid(), decided.claim());
            case ClaimRow.QuarantineRow quarantine -> update(quarantine.claimUid(), quarantine.claim());
            default -> {}
        }
    }

    private void update(String uid, ObjectKey key) {
        List<DeviceResult> now = rows.object(Kind.RESOURCE_CLAIM, key, ResourceClaim.class)
                .filter(claim -> claim.meta().uid().equals(uid))
                .flatMap(ResourceClaim::allocation)
                .or(() -> rows.get(ClaimRow.AllocationRow.key(uid)).map(ClaimRow.AllocationRow::allocation))
                .map(ClaimDevices::resultsOf)
                .orElse(List.of());
        replace(uid, key, now);
        String holder = ClaimRow.QuarantineRow.key(uid).text();
        if (quarantines.containsKey(uid) || devicesOfHolder.containsKey(holder)) {
            replace(holder, key, quarantined(uid, now));
        }
    }

    private void replace(String holder, ObjectKey claim, List<DeviceResult> now) {
        List<DeviceResult> before = devicesOfHolder.getOrDefault(holder, List.of());
        if (now.equals(before)) {
            return;
        }
        devices += now.size() - before.size();
        before.forEach(result -> inventory.removeUsage(result.device(), holder));
        now.forEach(result -> inventory.addUsage(result, holder, claim));
        if (now.isEmpty()) {
            devicesOfHolder.remove(holder);
        } else {
            devicesOfHolder.put(holder, now);
        }
    }

    /**
     * The quarantined devices of a claim, without those that the claim itself has allocated: they are booked already.
     */
    private List<DeviceResult> quarantined(String uid, List<DeviceResult> own) {
        return Optional.ofNullable(quarantines.get(uid))
                .map(ClaimRow.QuarantineRow::allocation)
                .map(ClaimDevices::resultsOf)
                .orElse(List.of())
                .stream()
                .filter(result -> own.stream().noneMatch(each -> each.device().equals(result.device())))
                .toList();
    }

    /** The number of devices and shares that claims have. */
    long count() {
        return devices;
    }

    /** The devices of every claim or quarantine, by holder; an unmodifiable view. */
    Map<String, List<DeviceResult>> byHolder() {
        return Collections.unmodifiableMap(devicesOfHolder);
    }

    /** Whether a device holder is a quarantine and not a claim. */
    static boolean isQuarantine(String holder) {
        return holder.startsWith(ClaimRow.QuarantineRow.ALL.prefix());
    }

    /** The UID of the claim whose former devices are in this quarantine. */
    static String claimUid(String quarantine) {
        return quarantine.substring(ClaimRow.QuarantineRow.ALL.prefix().length());
    }

    /**
     * The results of an allocation that make devices unavailable: each device or share once. Admin access does not
     * count.
     */
    static List<DeviceResult> resultsOf(Allocation allocation) {
        var seen = new LinkedHashSet<List<Object>>();
        return allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .filter(result -> seen.add(List.of(result.device(), result.shareId())))
                .toList();
    }

    /** The devices that an allocation makes unavailable to other claims; without admin access. */
    static List<DeviceId> devicesOf(Allocation allocation) {
        return allocation.results().stream()
                .filter(result -> !result.adminAccess())
                .map(DeviceResult::device)
                .distinct()
                .toList();
    }
}
