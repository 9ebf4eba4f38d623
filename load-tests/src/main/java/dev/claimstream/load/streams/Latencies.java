package dev.claimstream.load.streams;

import org.HdrHistogram.Histogram;

/** How long claims took to their decision, measured in two ways, and from their withdrawal to their release. */
public final class Latencies {
    /** From the moment when the generator meant to send. */
    private final Histogram sinceDue = new Histogram(3);

    /** From the moment when the broker appended the claim's record, which it tells in milliseconds. */
    private final Histogram sinceAppend = new Histogram(3);

    /** From the moment when the generator withdrew a claim to the record of its release. */
    private final Histogram sinceWithdrawal = new Histogram(3);

    void decided(long nanosSinceDue, long millisSinceAppend) {
        sinceDue.recordValue(Math.max(0, nanosSinceDue));
        sinceAppend.recordValue(Math.max(0, millisSinceAppend));
    }

    void released(long nanosSinceWithdrawal) {
        sinceWithdrawal.recordValue(Math.max(0, nanosSinceWithdrawal));
    }

    /** Decisions that were counted. */
    public long count() {
        return sinceDue.getTotalCount();
    }

    /** Milliseconds from when the claim was due, below which this share of claims lies; 100: all of them. */
    public double dueMs(double percentile) {
        return sinceDue.getValueAtPercentile(percentile) / 1e6;
    }

    /** Milliseconds from when the broker had the claim. */
    public long appendMs(double percentile) {
        return sinceAppend.getValueAtPercentile(percentile);
    }

    /** Milliseconds from when the claim was withdrawn to its release. */
    public double releaseMs(double percentile) {
        return sinceWithdrawal.getValueAtPercentile(percentile) / 1e6;
    }
}
