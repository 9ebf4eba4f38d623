package dev.claimstream.console;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/** The nodes to which pods with claims are bound, and since when. Not safe for several threads. */
final class PodBindings {
    private final Map<ObjectKey, ObservedPod> pods = new HashMap<>();

    /**
     * A pod that is bound to a node.
     *
     * @param at timestamp of the record that bound it; empty if no record of the pod without a node was read, as after a compaction
     */
    record PodBinding(String pod, String node, Optional<Instant> at) {}

    private record ObservedPod(String uid, Optional<PodBinding> binding) {}

    /**
     * Follows a pod after an observation.
     *
     * @param at timestamp of the observation
     * @param find looks up an object; the observation is applied, unless it is older than the object
     */
    void observe(Observation observation, Instant at, BiFunction<Kind, ObjectKey, Optional<ClusterObject>> find) {
        switch (observation) {
            case Observation.ObjectUpserted(Stamp _, Pod pod)
            when !pod.resourceClaims().isEmpty() -> update(pod.key(), at, find);
            case Observation.ObjectDeleted(Stamp _, Kind kind, ObjectKey key, String _)
            when kind == Kind.POD -> update(key, at, find);
            default -> {}
        }
    }

    private void update(ObjectKey key, Instant at, BiFunction<Kind, ObjectKey, Optional<ClusterObject>> find) {
        find.apply(Kind.POD, key)
                .map(Pod.class::cast)
                .ifPresentOrElse(
                        pod -> pods.merge(key, observed(pod, Optional.empty()), (known, _) -> next(known, pod, at)),
                        () -> pods.remove(key));
    }

    private static ObservedPod next(ObservedPod known, Pod pod, Instant at) {
        if (!known.uid().equals(pod.meta().uid())) {
            return observed(pod, Optional.empty());
        }
        Optional<Instant> since = known.binding().map(PodBinding::at).orElse(Optional.of(at));
        return observed(pod, since);
    }

    private static ObservedPod observed(Pod pod, Optional<Instant> since) {
        String name = pod.meta().name();
        return new ObservedPod(pod.meta().uid(), pod.nodeName().map(node -> new PodBinding(name, node, since)));
    }

    /** Returns the bound pods among the consumers of a claim. */
    List<PodBinding> of(String namespace, Collection<ClaimConsumer> consumers) {
        return consumers.stream()
                .flatMap(consumer -> Optional.ofNullable(pods.get(new ObjectKey(namespace, consumer.name())))
                        .filter(pod -> pod.uid().equals(consumer.uid()))
                        .flatMap(ObservedPod::binding)
                        .stream())
                .toList();
    }
}
