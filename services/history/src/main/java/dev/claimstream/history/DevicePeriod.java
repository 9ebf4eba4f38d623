package dev.claimstream.history;

import java.util.Map;

/**
 * The time in which a slice publishes a device. Times are microseconds since 1970.
 *
 * @param sliceUid the slice that has published it last
 * @param endMicros 0 while it is published
 * @param product its product by its attributes; empty if they do not name it
 */
public record DevicePeriod(
        String driver,
        String pool,
        String device,
        String node,
        boolean shareable,
        Map<String, String> capacity,
        String sliceUid,
        long beginMicros,
        long endMicros,
        String product) {
    public DevicePeriod {
        capacity = Map.copyOf(capacity);
    }

    /** The device as text: driver/pool/name. */
    public String deviceKey() {
        return driver + "/" + pool + "/" + device;
    }

    DevicePeriod ended(long atMicros) {
        return new DevicePeriod(
                driver, pool, device, node, shareable, capacity, sliceUid, beginMicros, atMicros, product);
    }
}
