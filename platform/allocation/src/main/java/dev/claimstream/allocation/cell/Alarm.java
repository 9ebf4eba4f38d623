package dev.claimstream.allocation.cell;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * An alarm of an allocated device.
 *
 * @param claims the claims that have the device
 */
public record Alarm(AlarmType type, DeviceId device, List<ObjectKey> claims) {
    public Alarm {
        claims = List.copyOf(claims);
    }

    /** The kinds of alarm. Names are part of row keys. */
    public enum AlarmType {
        /**
         * A complete pool generation does not contain the device any more. It stays allocated until the claim releases
         * it.
         */
        DEVICE_LOST("device-lost"),
        /**
         * Several claims have the device, because another allocator allocated it as well.
         *
         * <p>The device is not allocated until at most one claim is left. Raised only when all sources have synced.
         */
        CONFLICT("conflict"),
        /**
         * The device alone or with others uses more counters or capacity than its pool has, after the pool changed.
         *
         * <p>Its claims keep it, and no more of that counter or capacity is allocated.
         */
        OVERDRAWN("overdrawn");

        private final String text;

        AlarmType(String text) {
            this.text = text;
        }

        /** The name in records. */
        public String text() {
            return text;
        }
    }
}
