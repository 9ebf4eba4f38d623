package dev.claimstream.evictions;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;

/**
 * An eviction of a claim's pods, or the deletion of a pod. The claim remains allocated until its last pod is gone.
 *
 * @param kind {@link Kind#RESOURCE_CLAIM} or {@link Kind#POD}
 * @param time the time of the first cause
 * @param causes at least one, ordered by time
 */
public record Eviction(Kind kind, ObjectKey object, Instant time, List<EvictionCause> causes) {
    public Eviction {
        causes = List.copyOf(causes);
    }

    /** Returns whether the eviction time has passed. */
    public boolean isDue(Instant now) {
        return !time.isAfter(now);
    }
}
