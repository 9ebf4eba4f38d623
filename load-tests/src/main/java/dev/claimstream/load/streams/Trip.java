package dev.claimstream.load.streams;

import dev.claimstream.dra.ResourceClaim;

/** A claim from its record to the record of its release. */
final class Trip {
    final ResourceClaim claim;
    final long dueNanos;
    private volatile long appendMillis;
    private boolean decided;
    private volatile boolean granted;
    private long withdrawnNanos;

    /** @param dueNanos when it was to be sent, on the clock of {@link System#nanoTime} */
    Trip(ResourceClaim claim, long dueNanos) {
        this.claim = claim;
        this.dueNanos = dueNanos;
    }

    void appended(long millis) {
        appendMillis = millis;
    }

    /** The broker's time of its record; 0 where the broker's answer came later than the decision. */
    long appendMillis() {
        return appendMillis;
    }

    /** Takes a decision; whether it is the first on it. */
    boolean decide() {
        boolean isFirst = !decided;
        decided = true;
        return isFirst;
    }

    /** Takes a grant; whether it is the first. */
    boolean grant() {
        boolean isFirst = !granted;
        granted = true;
        return isFirst;
    }

    boolean isGranted() {
        return granted;
    }

    void withdraw(long nanos) {
        withdrawnNanos = nanos;
    }

    /** When it was withdrawn, on the clock of {@link System#nanoTime}. */
    long withdrawnNanos() {
        return withdrawnNanos;
    }
}
