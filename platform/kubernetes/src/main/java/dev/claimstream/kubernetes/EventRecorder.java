package dev.claimstream.kubernetes;

import dev.claimstream.dra.ObjectKey;
import java.util.Optional;

/** Reports to users why a pod or claim is pending, as Kubernetes Events that {@code kubectl describe} shows. */
public interface EventRecorder {
    /**
     * Emits an event.
     *
     * @return false if the cluster did not answer, so that the caller has to retry; true also if the cluster rejects the event, or if its
     *     target does not exist or is no longer pending
     */
    boolean emit(KubernetesEvent note);

    /**
     * An event that says why a pod or claim is pending.
     *
     * @param id idempotency key: two events with the same id are one event
     * @param key namespace and name of the pod or claim
     * @param claim the claim, or one of the claims, that makes the target pending; absent if all claims are allocated
     * @param reason stable code in CamelCase
     */
    record KubernetesEvent(
            String id, EventTarget target, ObjectKey key, Optional<ObjectKey> claim, String reason, String message) {
        /** Returns the same event with another id. */
        public KubernetesEvent withId(String id) {
            return new KubernetesEvent(id, target, key, claim, reason, message);
        }
    }

    /** Objects that get the event. */
    enum EventTarget {
        POD,
        /** A pending claim. An allocated claim gets no such event. */
        CLAIM,
        /** An allocated claim and every pod for which it is reserved. */
        CLAIM_AND_PODS
    }
}
