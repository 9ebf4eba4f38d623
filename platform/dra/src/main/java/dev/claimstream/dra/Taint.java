package dev.claimstream.dra;

import java.time.Instant;
import java.util.Optional;

/** A taint of a device or a node. Only the effects NoSchedule and NoExecute repel; other effects are stored. */
public record Taint(String key, String value, String effect, Optional<Instant> timeAdded) {
    /** Returns whether the taint repels consumers without a matching toleration. */
    public boolean repels() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }

    @Override
    public String toString() {
        return key + (value.isEmpty() ? "" : "=" + value) + ":" + effect;
    }
}
