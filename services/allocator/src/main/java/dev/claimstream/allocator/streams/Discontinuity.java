package dev.claimstream.allocator.streams;

/**
 * State, log and offsets do not fit together, so that going on could lose claims or give a device twice. Nothing is changed; the message
 * says what does not fit and what an operator can do.
 */
public final class Discontinuity extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final String REBUILD =
            "; to rebuild from the public topics and our own decisions, stop every allocator and start one with"
                    + " claimstream.allocator.rebuild=true";

    Discontinuity(String message) {
        super(message);
    }

    /** One that a rebuild mends. */
    static Discontinuity rebuildable(String what) {
        return new Discontinuity(what + REBUILD);
    }

    static Discontinuity unreadable(String key, String why) {
        return rebuildable("row %s of the state cannot be read: %s".formatted(key, why));
    }
}
