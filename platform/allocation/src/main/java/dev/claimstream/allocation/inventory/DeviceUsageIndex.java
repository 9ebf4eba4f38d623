package dev.claimstream.allocation.inventory;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.PoolId;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/** The usage of devices, by device and by pool, for published and unpublished devices. */
public final class DeviceUsageIndex implements Iterable<DeviceUsage> {
    private final Map<DeviceId, DeviceUsage> byDevice = new LinkedHashMap<>();
    private final SortedMap<PoolId, SortedSet<DeviceId>> usedByPool = new TreeMap<>();
    private Function<DeviceUsage.UsageEntry, String> states = _ -> "";

    /** Sets the function that describes how an entry uses its device, in a few words. It returns "" for unknown entries. */
    public void setStates(Function<DeviceUsage.UsageEntry, String> described) {
        states = described;
    }

    /** Returns how an entry uses its device, in a few words; empty if unknown. */
    public String stateOf(DeviceUsage.UsageEntry entry) {
        return states.apply(entry);
    }

    /** Returns the usage of a device and creates it if it is missing. */
    DeviceUsage getOrCreate(DeviceId device) {
        return byDevice.computeIfAbsent(device, DeviceUsage::new);
    }

    /** Returns the usage of a device; absent if the device was never in a node view and never in use. */
    public Optional<DeviceUsage> find(DeviceId device) {
        return Optional.ofNullable(byDevice.get(device));
    }

    /** Iterates over the usage of all devices that were in a node view or in use, in insertion order. */
    @Override
    public Iterator<DeviceUsage> iterator() {
        return Collections.unmodifiableCollection(byDevice.values()).iterator();
    }

    /** Returns the devices of a pool that are in use, published or not. */
    public SortedSet<DeviceId> usedDevices(PoolId pool) {
        return Collections.unmodifiableSortedSet(usedByPool.getOrDefault(pool, new TreeSet<>()));
    }

    /** Returns the pools with a device in use, published or not. */
    public Set<PoolId> poolsInUse() {
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
