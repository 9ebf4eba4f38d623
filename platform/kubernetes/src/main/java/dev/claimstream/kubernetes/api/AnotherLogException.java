package dev.claimstream.kubernetes.api;

/** Another log of decisions serves the cluster. The message says which, and what can be done. */
public final class AnotherLogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AnotherLogException(String message) {
        super(message);
    }
}
