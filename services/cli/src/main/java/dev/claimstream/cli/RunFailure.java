package dev.claimstream.cli;

/** A run that did not come to an end; the message is one line for the user. */
final class RunFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RunFailure(String message) {
        super(message, null, false, false);
    }
}
