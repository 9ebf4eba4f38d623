package dev.claimstream.cli.output;

import org.jspecify.annotations.Nullable;

/** Ends a command with a message for the user: one line with cause and remedy. */
public final class RunFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isOfComponent;

    public RunFailure(String message) {
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
    public static RunFailure ofComponent(String message, @Nullable Throwable why) {
        return new RunFailure(message, why);
    }

    /** Returns whether a component stopped by itself, for any cause. All other failures state their cause. */
    public boolean isOfComponent() {
        return isOfComponent;
    }
}
