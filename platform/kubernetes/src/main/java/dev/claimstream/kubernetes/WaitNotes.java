package dev.claimstream.kubernetes;

import dev.claimstream.dra.ObjectKey;
import java.util.Optional;

/** Tells the users of a cluster why something waits, where they look: {@code kubectl describe}. */
public interface WaitNotes {
    /**
     * Tells it, now.
     *
     * @return false where the cluster did not answer, so that it is to be told again; true also where it takes no such note, or nobody
     *     waits any more
     */
    boolean tell(Note note);

    /**
     * Why something waits.
     *
     * @param id the same for the same note; told twice it is one
     * @param about a pod, a claim, or a claim with its pods
     * @param claim for which it waits, or one of them; empty where it waits though they all have their devices
     * @param reason CamelCase and stable
     */
    record Note(String id, About about, ObjectKey key, Optional<ObjectKey> claim, String reason, String message) {
        /** The same with this id. */
        public Note named(String other) {
            return new Note(other, about, key, claim, reason, message);
        }
    }

    /** What a note is about. */
    enum About {
        /** A pod. */
        POD,
        /** A claim without devices. An allocated claim gets no such note. */
        CLAIM,
        /** A claim with devices, and each pod that may use it. */
        CLAIM_AND_PODS
    }
}
