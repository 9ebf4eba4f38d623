package dev.claimstream.evictions;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.PoolId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.dra.Taint;
import dev.claimstream.dra.Toleration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The NoExecute taints of devices, from slices and taint rules. A preview takes those of effect None instead.
 *
 * <p>The highest generation of a pool is used, complete or not. A rule without a selector taints no device.
 */
final class NoExecuteTaints {
    private static final String NO_EXECUTE = "NoExecute";
    private static final String NONE = "None";
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    /**
     * A taint and what sets it.
     *
     * @param evicting the taint as it evicts: of effect NoExecute
     */
    private record TaintWithOrigin(String origin, Taint taint, Taint evicting) {}

    private final String effect;
    private final Instant applied;
    private final Map<PoolId, Long> generations = new HashMap<>();
    private final Map<DeviceId, List<TaintWithOrigin>> ofSlices = new HashMap<>();
    private final List<DeviceTaintRule> rules;

    private NoExecuteTaints(String effect, List<DeviceTaintRule> rules, Instant applied) {
        this.effect = effect;
        this.rules = List.copyOf(rules);
        this.applied = applied;
    }

    static NoExecuteTaints of(List<ClusterObject> objects, FeatureGates features, Instant applied) {
        return of(NO_EXECUTE, objects, features, applied);
    }

    /** Returns the taints of effect None as if their effect were changed to NoExecute at the time {@code applied}. */
    static NoExecuteTaints ifNone(List<ClusterObject> objects, FeatureGates features, Instant applied) {
        return of(NONE, objects, features, applied);
    }

    private static NoExecuteTaints of(
            String effect, List<ClusterObject> objects, FeatureGates features, Instant applied) {
        List<DeviceTaintRule> rules = objects.stream()
                .filter(DeviceTaintRule.class::isInstance)
                .map(DeviceTaintRule.class::cast)
                .filter(_ -> features.has(Feature.DEVICE_TAINT_RULES))
                .filter(rule -> rule.taint().effect().equals(effect))
                .toList();
        NoExecuteTaints taints = new NoExecuteTaints(effect, rules, applied);
        List<ResourceSlice> slices = objects.stream()
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .toList();
        slices.forEach(slice -> taints.generations.merge(slice.poolId(), slice.generation(), Math::max));
        slices.forEach(taints::add);
        return taints;
    }

    private void add(ResourceSlice slice) {
        if (slice.generation() < generations.getOrDefault(slice.poolId(), 0L)) {
            return;
        }
        String origin = "ResourceSlice " + slice.meta().name();
        for (Device device : slice.devices()) {
            List<TaintWithOrigin> taints = device.taints().stream()
                    .filter(taint -> taint.effect().equals(effect))
                    .map(taint -> new TaintWithOrigin(origin, taint, evicting(taint, taint.timeAdded())))
                    .toList();
            ofSlices.putIfAbsent(new DeviceId(slice.driver(), slice.pool(), device.name()), taints);
        }
    }

    /** Returns the eviction causes for an allocated device. */
    List<EvictionCause> causes(DeviceResult result) {
        List<EvictionCause> causes = new ArrayList<>();
        for (TaintWithOrigin taint : of(result.device())) {
            evictionTime(taint.evicting, result.tolerations())
                    .ifPresent(when -> causes.add(new EvictionCause(result.device(), taint.taint, taint.origin, when)));
        }
        return causes;
    }

    private List<TaintWithOrigin> of(DeviceId device) {
        List<TaintWithOrigin> all = new ArrayList<>(ofSlices.getOrDefault(device, List.of()));
        rules.stream().filter(rule -> rule.selects(device)).map(this::ofRule).forEach(all::add);
        return all;
    }

    /** Returns the taint of a rule. The API server sets a new time when the effect of a rule changes, but not in a slice. */
    private TaintWithOrigin ofRule(DeviceTaintRule rule) {
        Taint taint = rule.taint();
        return new TaintWithOrigin(
                "DeviceTaintRule " + rule.meta().name(),
                taint,
                evicting(taint, effect.equals(NO_EXECUTE) ? taint.timeAdded() : Optional.of(applied)));
    }

    private static Taint evicting(Taint taint, Optional<Instant> timeAdded) {
        return new Taint(taint.key(), taint.value(), NO_EXECUTE, timeAdded);
    }

    /**
     * Returns the eviction time of a taint; absent if it is tolerated indefinitely.
     *
     * <p>Only tolerations with effect NoExecute count, not those with an empty effect. The shortest {@code tolerationSeconds} applies;
     * negative values count as 0.
     */
    private Optional<Instant> evictionTime(Taint taint, List<Toleration> tolerations) {
        List<Toleration> tolerating = tolerations.stream()
                .filter(toleration -> toleration.effect().equals(NO_EXECUTE) && toleration.tolerates(taint))
                .toList();
        if (tolerating.stream().anyMatch(each -> each.tolerationSeconds().isEmpty())) {
            return Optional.empty();
        }
        OptionalLong seconds = tolerating.stream()
                .flatMap(each -> each.tolerationSeconds().stream())
                .mapToLong(each -> Math.max(0, each))
                .min();
        // Overflows as upstream does: its duration has 64 bits of nanoseconds, so more than 292 years wrap around,
        // possibly to the past.
        return Optional.of(taint.timeAdded().orElse(applied).plusNanos(seconds.orElse(0) * NANOS_PER_SECOND));
    }
}
