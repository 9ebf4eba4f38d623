package dev.claimstream.dra;

import java.time.Instant;
import java.util.Optional;

/** A taint of a device or a node. Only the effects NoSchedule and NoExecute keep something away; others are kept as text. */
public record Taint(String key, String value, String effect, Optional<Instant> timeAdded) {
    /** Whether something that does not tolerate it stays away. */
    public boolean repels() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }

    @Override
    public String toString() {
        return key + (value.isEmpty() ? "" : "=" + value) + ":" + effect;
    }
}
