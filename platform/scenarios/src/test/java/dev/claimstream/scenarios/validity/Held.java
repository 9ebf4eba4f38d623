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

/** What claims have already. */
final class Held {
    private final Set<DeviceId> whole = new HashSet<>();
    private final Map<DeviceId, Set<String>> shares = new HashMap<>();
    private final Map<DeviceId, Map<String, BigDecimal>> amounts = new HashMap<>();

    Held(FeatureGates features, List<ResourceClaim> claims) {
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
            whole.add(result.device());
            return;
        }
        shares.computeIfAbsent(result.device(), _ -> new HashSet<>()).add(share.get());
        var sum = amounts.computeIfAbsent(result.device(), _ -> new HashMap<>());
        result.consumedCapacity().forEach((name, amount) -> sum.merge(name, amount.amount(), BigDecimal::add));
    }

    /** Whether somebody has it for itself. */
    boolean isWhole(DeviceId device) {
        return whole.contains(device);
    }

    /** The names of the shares that are held. */
    Set<String> shares(DeviceId device) {
        return shares.getOrDefault(device, Set.of());
    }

    boolean isAny(DeviceId device) {
        return isWhole(device) || !shares(device).isEmpty();
    }

    BigDecimal amount(DeviceId device, String capacity) {
        return amounts.getOrDefault(device, Map.of()).getOrDefault(capacity, BigDecimal.ZERO);
    }
}
