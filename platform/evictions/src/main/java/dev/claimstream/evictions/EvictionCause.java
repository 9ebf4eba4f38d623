package dev.claimstream.evictions;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Taint;
import java.time.Instant;

/**
 * A NoExecute taint of an allocated device that is not tolerated indefinitely.
 *
 * @param origin the object with the taint, for example {@code DeviceTaintRule broken-gpu}
 * @param time the eviction time: the time of the taint plus {@code tolerationSeconds}
 */
public record EvictionCause(DeviceId device, Taint taint, String origin, Instant time) {
    @Override
    public String toString() {
        return "%s of %s (%s)".formatted(taint, device, origin);
    }
}
