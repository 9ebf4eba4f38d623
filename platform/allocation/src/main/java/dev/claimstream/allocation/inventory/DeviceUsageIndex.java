package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Indexes device usage by device and by pool, for published and unpublished devices. */
final class DeviceUsageIndex {
    private final Map<DeviceId, DeviceUsage> byDevice = new LinkedHashMap<>();
    private final SortedMap<PoolId, SortedSet<DeviceId>> usedByPool = new TreeMap<>();

    /** Returns the usage of a device and creates it if it is missing. */
    DeviceUsage getOrCreate(DeviceId device) {
        return byDevice.computeIfAbsent(device, DeviceUsage::new);
    }

    Optional<DeviceUsage> find(DeviceId device) {
        return Optional.ofNullable(byDevice.get(device));
    }

    /** Returns the usage of all devices, in insertion order. */
    Collection<DeviceUsage> all() {
        return Collections.unmodifiableCollection(byDevice.values());
    }

    /** Returns the devices of a pool that are in use. */
    SortedSet<DeviceId> usedDevices(PoolId pool) {
        return Collections.unmodifiableSortedSet(usedByPool.getOrDefault(pool, new TreeSet<>()));
    }

    /** Returns the pools with at least one device in use. */
    Set<PoolId> poolsInUse() {
        return Collections.unmodifiableSet(usedByPool.keySet());
    }

    void add(DeviceResult result, String claimUid, ObjectKey claim) {
        DeviceId device = result.device();
        getOrCreate(device).add(new DeviceUsage.UsageEntry(claimUid, claim, DeviceUsage.Share.of(result)));
        usedByPool.computeIfAbsent(device.poolId(), pool -> new TreeSet<>()).add(device);
    }

    /** Removes all entries of a claim from a device, and returns whether there were any. */
    boolean remove(DeviceId device, String claimUid) {
        DeviceUsage usage = byDevice.get(device);
        if (usage == null || !usage.remove(claimUid)) {
            return false;
        }
        if (usage.isFree()) {
            removeFromPool(device);
        }
        return true;
    }

    private void removeFromPool(DeviceId device) {
        SortedSet<DeviceId> used = usedByPool.getOrDefault(device.poolId(), new TreeSet<>());
        if (used.remove(device) && used.isEmpty()) {
            usedByPool.remove(device.poolId());
        }
    }
}
