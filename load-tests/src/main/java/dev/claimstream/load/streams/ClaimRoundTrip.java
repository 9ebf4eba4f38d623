package dev.claimstream.load.streams;

import dev.claimstream.dra.ResourceClaim;

/** A claim from its record to the record of its release. */
final class ClaimRoundTrip {
    final ResourceClaim claim;
    final long dueNanos;
    private volatile long appendMillis;
    private boolean decided;
    private volatile boolean allocated;
    private long deletedNanos;

    /** @param dueNanos due time, on the clock of {@link System#nanoTime} */
    ClaimRoundTrip(ResourceClaim claim, long dueNanos) {
        this.claim = claim;
        this.dueNanos = dueNanos;
    }

    void appended(long millis) {
        appendMillis = millis;
    }

    /** Returns the broker's time of the record; 0 if the acknowledgement came after the decision. */
    long appendMillis() {
        return appendMillis;
    }

    /** Records a decision and returns whether it is the first. */
    boolean decide() {
        boolean isFirst = !decided;
        decided = true;
        return isFirst;
    }

    /** Records an allocation and returns whether it is the first. */
    boolean allocate() {
        boolean isFirst = !allocated;
        allocated = true;
        return isFirst;
    }

    boolean isAllocated() {
        return allocated;
    }

    void delete(long nanos) {
        deletedNanos = nanos;
    }

    /** Returns the time of the delete, on the clock of {@link System#nanoTime}. */
    long deletedNanos() {
        return deletedNanos;
    }
}
