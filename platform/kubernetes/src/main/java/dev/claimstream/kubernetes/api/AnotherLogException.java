package dev.claimstream.kubernetes.api;

/** Another decision log serves the cluster. The message names that log and says what the operator can do. */
public final class AnotherLogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AnotherLogException(String message) {
        super(message);
    }
}
