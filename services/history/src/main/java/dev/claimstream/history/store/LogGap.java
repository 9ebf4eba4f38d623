package dev.claimstream.history.store;

/**
 * Offsets that were deleted before the history folded them.
 *
 * @param first first missing offset
 * @param last last missing offset
 */
public record LogGap(String topic, int partition, long first, long last) {}
