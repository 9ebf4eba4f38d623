package dev.claimstream.cli;

import org.jspecify.annotations.Nullable;

/** Ends a command with a message for the user: one line with cause and remedy. */
final class RunFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isOfComponent;

    RunFailure(String message) {
        super(message, null, false, false);
        isOfComponent = false;
    }

    private RunFailure(String message, @Nullable Throwable why) {
        super(message, why, false, false);
        isOfComponent = true;
    }

    /**
     * Returns the failure of a component that stopped by itself.
     *
     * @param why exception of the component, if known
     */
    static RunFailure ofComponent(String message, @Nullable Throwable why) {
        return new RunFailure(message, why);
    }

    /** Returns whether a component stopped by itself, for any cause. All other failures state their cause. */
    boolean isOfComponent() {
        return isOfComponent;
    }
}
