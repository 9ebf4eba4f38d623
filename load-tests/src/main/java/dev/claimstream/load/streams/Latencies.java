package dev.claimstream.load.streams;

import org.HdrHistogram.Histogram;

/** The latencies of claims: from two starting points to the decision, and from the delete to the release. */
public final class Latencies {
    /** From the time at which the claim was due. */
    private final Histogram sinceDue = new Histogram(3);

    /** From the time at which the broker appended the claim's record, in milliseconds. */
    private final Histogram sinceAppend = new Histogram(3);

    /** From the delete of a claim to the record of its release. */
    private final Histogram sinceDelete = new Histogram(3);

    void decided(long nanosSinceDue, long millisSinceAppend) {
        sinceDue.recordValue(Math.max(0, nanosSinceDue));
        sinceAppend.recordValue(Math.max(0, millisSinceAppend));
    }

    void released(long nanosSinceWithdrawal) {
        sinceDelete.recordValue(Math.max(0, nanosSinceWithdrawal));
    }

    /** Returns the number of decisions. */
    public long count() {
        return sinceDue.getTotalCount();
    }

    /** Returns a percentile of the latency since the claim was due, in milliseconds; 100 is the maximum. */
    public double dueMs(double percentile) {
        return sinceDue.getValueAtPercentile(percentile) / 1e6;
    }

    /** Returns a percentile of the latency since the broker appended the claim, in milliseconds. */
    public long appendMs(double percentile) {
        return sinceAppend.getValueAtPercentile(percentile);
    }

    /** Returns a percentile of the latency from delete to release, in milliseconds. */
    public double releaseMs(double percentile) {
        return sinceDelete.getValueAtPercentile(percentile) / 1e6;
    }
}
