package dev.claimstream.evictions;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Taint;
import java.time.Instant;

/**
 * A NoExecute taint of an allocated device that is not tolerated indefinitely.
 *
 * @param origin the object with the taint, for example {@code DeviceTaintRule broken-gpu}
 * @param when the eviction time: the time of the taint plus {@code tolerationSeconds}
 */
public record Cause(DeviceId device, Taint taint, String origin, Instant when) {
    @Override
    public String toString() {
        return "%s of %s (%s)".formatted(taint, device, origin);
    }
}
