package dev.claimstream.audit;

/**
 * Offsets of a partition whose records a log has lost.
 *
 * @param from first offset
 * @param to offset after the last one
 */
public record OffsetGap(long from, long to) {
    public OffsetGap {
        if (from >= to) {
            throw new IllegalArgumentException("a gap from %d to %d has no offset".formatted(from, to));
        }
    }
}
