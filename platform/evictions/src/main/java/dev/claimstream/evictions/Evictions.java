package dev.claimstream.evictions;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes which claims and pods NoExecute taints of devices evict, and when.
 *
 * <p>Source: {@code pkg/controller/devicetainteviction} of Kubernetes. Devices with admin access are included.
 */
public final class Evictions {
    private static final Comparator<Eviction> BY_TIME = Comparator.comparing(Eviction::time)
            .thenComparing(each -> each.object().toString());

    private final Map<ObjectKey, ResourceClaim> claims = new HashMap<>();
    private final Map<ObjectKey, Eviction> ofClaims = new HashMap<>();

    private final boolean supportsGroups;

    private Evictions(FeatureGates features) {
        this.supportsGroups = features.has(Feature.WORKLOAD_RESOURCE_CLAIMS);
    }

    /**
     * Returns the evictions of claims, then those of pods, each ordered by time.
     *
     * @param objects objects with names and UIDs
     * @param applied the time of taints without {@code timeAdded}; an API server sets it when it creates the object
     */
    public static List<Eviction> of(List<ClusterObject> objects, FeatureGates features, Instant applied) {
        return of(objects, features, NoExecuteTaints.of(objects, features, applied));
    }

    /**
     * Returns the evictions that the taints of effect {@code None} cause if their effect is changed to {@code NoExecute}, in the order of
     * {@link #of(List, FeatureGates, Instant)}.
     *
     * <p>Source: the status that the controller writes to a DeviceTaintRule of effect {@code None}.
     *
     * @param applied the time of the change
     */
    public static List<Eviction> ifNoneWereNoExecute(
            List<ClusterObject> objects, FeatureGates features, Instant applied) {
        return of(objects, features, NoExecuteTaints.ifNone(objects, features, applied));
    }

    private static List<Eviction> of(List<ClusterObject> objects, FeatureGates features, NoExecuteTaints taints) {
        if (!features.has(Feature.DEVICE_TAINTS)) {
            return List.of();
        }
        Evictions evictions = new Evictions(features);
        objects.stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .forEach(claim -> evictions.add(claim, taints));
        List<Eviction> all = new ArrayList<>(
                evictions.ofClaims.values().stream().sorted(BY_TIME).toList());
        objects.stream()
                .filter(Pod.class::isInstance)
                .map(Pod.class::cast)
                .flatMap(pod -> evictions.of(pod).stream())
                .sorted(BY_TIME)
                .forEach(all::add);
        return List.copyOf(all);
    }

    private void add(ResourceClaim claim, NoExecuteTaints taints) {
        claims.put(claim.key(), claim);
        List<EvictionCause> causes = claim.allocation().stream()
                .flatMap(allocation -> allocation.results().stream())
                .flatMap(result -> taints.causes(result).stream())
                .distinct()
                .toList();
        eviction(Kind.RESOURCE_CLAIM, claim.key(), causes).ifPresent(eviction -> ofClaims.put(claim.key(), eviction));
    }

    private static Optional<Eviction> eviction(Kind kind, ObjectKey object, List<EvictionCause> causes) {
        List<EvictionCause> byTime = causes.stream()
                .sorted(Comparator.comparing(EvictionCause::time))
                .toList();
        return byTime.stream().findFirst().map(first -> new Eviction(kind, object, first.time(), byTime));
    }

    /** Returns the eviction of a pod. A pod without a node, or with a deletion timestamp, is not evicted. */
    private Optional<Eviction> of(Pod pod) {
        if (pod.nodeName().isEmpty() || pod.meta().deleting()) {
            return Optional.empty();
        }
        List<EvictionCause> causes = pod.resourceClaims().stream()
                .flatMap(entry -> reservedClaim(pod, entry).stream())
                .map(claim -> ofClaims.get(claim.key()))
                .filter(eviction -> eviction != null)
                .flatMap(eviction -> eviction.causes().stream())
                .distinct()
                .toList();
        return eviction(Kind.POD, pod.key(), causes);
    }

    /** Returns the claim of an entry if the pod may use it and has it reserved. */
    private Optional<ResourceClaim> reservedClaim(Pod pod, PodClaim entry) {
        Optional<String> group = pod.podGroup().filter(_ -> supportsGroups);
        return pod.claim(entry)
                .flatMap(key -> Optional.ofNullable(claims.get(key)))
                .filter(claim -> pod.mayUse(entry, claim, group))
                .filter(claim -> claim.reservedFor().stream().anyMatch(each -> pod.matchesConsumer(each, group)));
    }
}
