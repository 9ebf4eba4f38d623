package dev.claimstream.kubernetes;

import dev.claimstream.dra.ObjectKey;
import java.util.Optional;

/** Tells the users of a cluster why something waits, where they look: {@code kubectl describe}. */
public interface WaitNotes {
    /** Tells it some time soon; a note that cannot be told is lost, and nothing else. */
    void tell(Note note);

    /**
     * Why something waits.
     *
     * @param id the same for the same note; told twice it is one
     * @param about a pod, or a claim where no pod waits for it
     * @param claim for which it waits, or one of them; empty where it waits though they all have their devices
     * @param reason CamelCase and stable
     */
    record Note(String id, About about, ObjectKey key, Optional<ObjectKey> claim, String reason, String message) {}

    /** What a note is about. */
    enum About {
        POD,
        CLAIM
    }
}
