package dev.claimstream.allocation.cell;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * Something is wrong with a device that is held.
 *
 * @param claims those who hold it, by name
 */
public record Alarm(Sort sort, DeviceId device, List<ObjectKey> claims) {
    public Alarm {
        claims = List.copyOf(claims);
    }

    /** What can be wrong. */
    public enum Sort {
        /** A complete generation of its pool does not have it any more. It stays held until the claim gives it back. */
        DEVICE_LOST("device-lost"),
        /**
         * Several claims hold it: somebody else has given it out as well. Nobody gets it until at most one is left. It begins once
         * everything is listed.
         */
        CONFLICT("conflict"),
        /**
         * It takes more of counters or capacities, alone or with others, than its pool has since that has changed. It stays with its claims,
         * and nothing more of that is given.
         */
        OVERDRAWN("overdrawn");

        private final String text;

        Sort(String text) {
            this.text = text;
        }

        /** The name in records. */
        public String text() {
            return text;
        }
    }
}
