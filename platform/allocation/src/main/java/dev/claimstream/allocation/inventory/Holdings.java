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
final class Holdings {
    private final Map<DeviceId, Holding> byDevice = new LinkedHashMap<>();
    private final SortedMap<PoolId, SortedSet<DeviceId>> heldByPool = new TreeMap<>();

    /** Returns the usage of a device and creates it if it is missing. */
    Holding of(DeviceId device) {
        return byDevice.computeIfAbsent(device, Holding::new);
    }

    Optional<Holding> find(DeviceId device) {
        return Optional.ofNullable(byDevice.get(device));
    }

    /** Returns the usage of all devices, in insertion order. */
    Collection<Holding> all() {
        return Collections.unmodifiableCollection(byDevice.values());
    }

    /** Returns the devices of a pool that are in use. */
    SortedSet<DeviceId> heldIn(PoolId pool) {
        return Collections.unmodifiableSortedSet(heldByPool.getOrDefault(pool, new TreeSet<>()));
    }

    /** Returns the pools with at least one device in use. */
    Set<PoolId> pools() {
        return Collections.unmodifiableSet(heldByPool.keySet());
    }

    void add(DeviceResult result, String claimUid, ObjectKey claim) {
        DeviceId device = result.device();
        of(device).add(new Holding.Holder(claimUid, claim, Holding.Share.of(result)));
        heldByPool.computeIfAbsent(device.poolId(), pool -> new TreeSet<>()).add(device);
    }

    /** Removes all entries of a claim from a device, and returns whether there were any. */
    boolean remove(DeviceId device, String claimUid) {
        Holding holding = byDevice.get(device);
        if (holding == null || !holding.remove(claimUid)) {
            return false;
        }
        if (holding.isFree()) {
            noLongerHeld(device);
        }
        return true;
    }

    private void noLongerHeld(DeviceId device) {
        SortedSet<DeviceId> held = heldByPool.getOrDefault(device.poolId(), new TreeSet<>());
        if (held.remove(device) && held.isEmpty()) {
            heldByPool.remove(device.poolId());
        }
    }
}
