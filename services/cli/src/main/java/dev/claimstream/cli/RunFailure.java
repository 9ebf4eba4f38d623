package dev.claimstream.cli;

import org.jspecify.annotations.Nullable;

/** A run that did not come to an end; the message is one line for the user. */
final class RunFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isOfPart;

    RunFailure(String message) {
        super(message, null, false, false);
        isOfPart = false;
    }

    private RunFailure(String message, @Nullable Throwable why) {
        super(message, why, false, false);
        isOfPart = true;
    }

    /**
     * A part stopped by itself.
     *
     * @param why what was thrown, where that is known
     */
    static RunFailure ofPart(String message, @Nullable Throwable why) {
        return new RunFailure(message, why);
    }

    /** Whether a part stopped by itself, for whatever reason; everything else says what it is. */
    boolean isOfPart() {
        return isOfPart;
    }
}
