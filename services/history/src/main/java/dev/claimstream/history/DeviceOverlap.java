package dev.claimstream.history;

/**
 * Two claims that hold a device at the same time beyond its sharing. It never happens if Claimstream keeps its promise.
 *
 * @param claim the claim that got the device last, as namespace/name
 * @param other the claim that had it, as namespace/name
 * @param atMicros begin of the overlap in microseconds since 1970
 * @param reason the rule that is violated
 */
public record DeviceOverlap(
        String driver, String pool, String device, String claim, String other, long atMicros, String reason) {}
