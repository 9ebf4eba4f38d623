package dev.claimstream.evictions;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.time.Instant;
import java.util.List;

/**
 * A claim that loses its pods, or a pod that is deleted. The claim itself stays until its last pod is gone.
 *
 * @param kind {@link Kind#RESOURCE_CLAIM} or {@link Kind#POD}
 * @param when the time of the first cause
 * @param causes at least one, the earliest first
 */
public record Eviction(Kind kind, ObjectKey object, Instant when, List<Cause> causes) {
    public Eviction {
        causes = List.copyOf(causes);
    }

    /** Whether the time has come. */
    public boolean isDue(Instant now) {
        return !when.isAfter(now);
    }
}
