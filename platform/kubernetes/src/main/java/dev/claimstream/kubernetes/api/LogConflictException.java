package dev.claimstream.kubernetes.api;

/** Another decision log serves the cluster. The message names that log and says what the operator can do. */
public final class LogConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LogConflictException(String message) {
        super(message);
    }
}
