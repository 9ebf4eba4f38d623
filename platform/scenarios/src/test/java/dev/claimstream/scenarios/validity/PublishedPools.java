package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The pools and devices that drivers publish for a node. */
final class PublishedPools {
    private final FeatureGates features;
    private final NodeScopeMatcher reach;
    private final List<ResourceSlice> slices;
    private final List<DeviceTaintRule> rules;
    private final List<ReachablePool> pools = new ArrayList<>();

    PublishedPools(
            FeatureGates features, NodeScopeMatcher reach, List<ResourceSlice> slices, List<DeviceTaintRule> rules) {
        this.features = features;
        this.reach = reach;
        this.slices = slices;
        this.rules = rules;
        Map<PoolId, List<ResourceSlice>> near = new TreeMap<>();
        for (ResourceSlice slice : slices) {
            if (isSupported(slice) && hasSupportedGroups(slice) && reach.isReachedBy(slice)) {
                near.computeIfAbsent(slice.poolId(), _ -> new ArrayList<>()).add(slice);
            }
        }
        near.forEach((id, parts) -> pool(id, parts).ifPresent(pools::add));
    }

    private boolean isSupported(ResourceSlice slice) {
        return features.has(Feature.PARTITIONABLE_DEVICES)
                || (!(slice.scope() instanceof NodeScope.PerDevice)
                        && slice.sharedCounters().isEmpty());
    }

    /** A slice with compatibility groups counts as missing while the feature gate is off. */
    private boolean hasSupportedGroups(ResourceSlice slice) {
        return features.has(Feature.DEVICE_COMPATIBILITY_GROUPS)
                || slice.devices().stream()
                        .flatMap(device -> device.consumesCounters().stream())
                        .allMatch(taken -> taken.compatibilityGroups().isEmpty());
    }

    /** Returns empty if another slice of the pool has a newer generation than the slices that reach the node. */
    private Optional<ReachablePool> pool(PoolId id, List<ResourceSlice> reaching) {
        long generation = newest(reaching);
        List<ResourceSlice> near = ofGeneration(reaching, generation);
        boolean hasCounters = features.has(Feature.PARTITIONABLE_DEVICES);
        long wanted = near.getFirst().resourceSliceCount();
        if (near.size() == wanted) {
            return Optional.of(new ReachablePool(id, near, List.of(), true, hasCounters));
        }
        List<ResourceSlice> everywhere =
                slices.stream().filter(slice -> slice.poolId().equals(id)).toList();
        if (newest(everywhere) > generation) {
            return Optional.empty();
        }
        List<ResourceSlice> counted = ofGeneration(everywhere, generation).stream()
                .filter(this::hasSupportedGroups)
                .toList();
        List<ResourceSlice> far =
                counted.stream().filter(slice -> !near.contains(slice)).toList();
        return Optional.of(new ReachablePool(id, near, far, counted.size() == wanted, hasCounters));
    }

    private static long newest(List<ResourceSlice> slices) {
        return slices.stream().mapToLong(ResourceSlice::generation).max().orElseThrow();
    }

    private static List<ResourceSlice> ofGeneration(List<ResourceSlice> slices, long generation) {
        return slices.stream().filter(slice -> slice.generation() == generation).toList();
    }

    List<ReachablePool> pools() {
        return pools;
    }

    /** Returns the device of a usable pool. The device itself need not reach the node. */
    Optional<ReachablePool.Offer> offer(DeviceId id) {
        return pools.stream()
                .filter(pool -> pool.id().equals(id.poolId()) && pool.isUsable())
                .flatMap(pool -> pool.offers().stream())
                .filter(offer -> offer.device().name().equals(id.device()))
                .findFirst();
    }

    /** Returns the taints of the slice and of the taint rules. */
    List<Taint> taints(ReachablePool.Offer offer) {
        List<Taint> taints = new ArrayList<>(offer.device().taints());
        if (features.has(Feature.DEVICE_TAINT_RULES)) {
            rules.stream().filter(rule -> selects(rule, offer)).forEach(rule -> taints.add(rule.taint()));
        }
        return taints;
    }

    private static boolean selects(DeviceTaintRule rule, ReachablePool.Offer offer) {
        return rule.selector()
                .filter(selector -> isAny(selector.driver(), offer.slice().driver())
                        && isAny(selector.pool(), offer.slice().pool())
                        && isAny(selector.device(), offer.device().name()))
                .isPresent();
    }

    private static boolean isAny(Optional<String> wanted, String name) {
        return wanted.isEmpty() || wanted.get().equals(name);
    }

    /** Returns whether several claims can have shares of a device. */
    boolean isShareable(Device device) {
        return features.has(Feature.CONSUMABLE_CAPACITY) && device.allowMultipleAllocations();
    }

    NodeScopeMatcher reach() {
        return reach;
    }
}
