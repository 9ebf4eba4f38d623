package dev.claimstream.allocator.streams;

import java.util.Optional;

/**
 * State, log and offsets do not fit together, so that going on could lose claims or give a device twice. Nothing is changed; the message
 * says what does not fit and what an operator can do.
 */
public final class Discontinuity extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final String REBUILD =
            "; to rebuild from the public topics and our own decisions, stop every allocator and start one with"
                    + " claimstream.allocator.rebuild=true";

    private final boolean isRebuildable;

    Discontinuity(String message) {
        this(message, false);
    }

    private Discontinuity(String message, boolean isRebuildable) {
        super(message);
        this.isRebuildable = isRebuildable;
    }

    /** One that a rebuild mends. */
    static Discontinuity rebuildable(String what) {
        return new Discontinuity(what + REBUILD, true);
    }

    /** What does not fit, where a rebuild mends it. */
    public Optional<String> rebuildable() {
        String message = String.valueOf(getMessage());
        return isRebuildable
                ? Optional.of(message.substring(0, message.length() - REBUILD.length()))
                : Optional.empty();
    }

    static Discontinuity unreadable(String key, String why) {
        return rebuildable("row %s of the state cannot be read: %s".formatted(key, why));
    }
}
