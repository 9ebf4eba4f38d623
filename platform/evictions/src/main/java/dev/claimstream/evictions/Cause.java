package dev.claimstream.evictions;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Taint;
import java.time.Instant;

/**
 * A taint of an allocated device that is not tolerated for ever.
 *
 * @param origin the object that has it, for example {@code DeviceTaintRule broken-gpu}
 * @param when the taint's time and the seconds for which it is tolerated
 */
public record Cause(DeviceId device, Taint taint, String origin, Instant when) {
    @Override
    public String toString() {
        return "%s of %s (%s)".formatted(taint, device, origin);
    }
}
