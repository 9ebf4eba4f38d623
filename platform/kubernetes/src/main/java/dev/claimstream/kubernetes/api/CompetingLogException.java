package dev.claimstream.kubernetes.api;

/** Another decision log serves the cluster. The message names that log and says what the operator can do. */
public final class CompetingLogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CompetingLogException(String message) {
        super(message);
    }
}
