package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ResourceClaim;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The devices, shares and capacities of allocated claims. */
final class AllocatedDevices {
    private final Set<DeviceId> dedicated = new HashSet<>();
    private final Map<DeviceId, Set<String>> shares = new HashMap<>();
    private final Map<DeviceId, Map<String, BigDecimal>> amounts = new HashMap<>();

    AllocatedDevices(FeatureGates features, List<ResourceClaim> claims) {
        boolean hasShares = features.has(Feature.CONSUMABLE_CAPACITY);
        claims.stream()
                .flatMap(claim -> claim.allocation().stream())
                .flatMap(allocation -> allocation.results().stream())
                .filter(result -> !result.adminAccess())
                .forEach(result -> add(result, hasShares));
    }

    private void add(DeviceResult result, boolean hasShares) {
        Optional<String> share = result.shareId().filter(_ -> hasShares);
        if (share.isEmpty()) {
            dedicated.add(result.device());
            return;
        }
        shares.computeIfAbsent(result.device(), _ -> new HashSet<>()).add(share.get());
        var sum = amounts.computeIfAbsent(result.device(), _ -> new HashMap<>());
        result.consumedCapacity().forEach((name, amount) -> sum.merge(name, amount.amount(), BigDecimal::add));
    }

    /** Returns whether a claim has the whole device. */
    boolean isDedicated(DeviceId device) {
        return dedicated.contains(device);
    }

    /** Returns the IDs of the allocated shares of a device. */
    Set<String> shares(DeviceId device) {
        return shares.getOrDefault(device, Set.of());
    }

    boolean isAllocated(DeviceId device) {
        return isDedicated(device) || !shares(device).isEmpty();
    }

    BigDecimal amount(DeviceId device, String capacity) {
        return amounts.getOrDefault(device, Map.of()).getOrDefault(capacity, BigDecimal.ZERO);
    }
}
