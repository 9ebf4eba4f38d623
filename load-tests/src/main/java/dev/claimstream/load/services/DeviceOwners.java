package dev.claimstream.load.services;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whose device is whose, in a cluster where no claim is deleted. Thread-safe. */
final class DeviceOwners {
    private final Map<DeviceId, String> owners = new HashMap<>();
    private final Map<String, List<DeviceId>> devices = new HashMap<>();
    private final List<String> conflicts = new ArrayList<>();

    /** Adds a claim with an allocation. */
    synchronized void add(ResourceClaim claim) {
        String uid = claim.meta().uid();
        List<DeviceId> now = claim.allocation().orElseThrow().results().stream()
                .map(DeviceResult::device)
                .toList();
        List<DeviceId> before = devices.put(uid, now);
        if (before != null && !before.equals(now)) {
            conflicts.add("claim %s was written with %s, and then with %s".formatted(uid, before, now));
        }
        for (DeviceId device : now) {
            String other = owners.putIfAbsent(device, uid);
            if (other != null && !other.equals(uid)) {
                conflicts.add("device %s was written for the claims %s and %s".formatted(device, other, uid));
            }
        }
    }

    /** Returns a device that is allocated to a claim; empty if none was added. */
    synchronized Optional<DeviceId> anyDevice() {
        return owners.keySet().stream().findAny();
    }

    synchronized List<String> conflicts() {
        return List.copyOf(conflicts);
    }
}
