package dev.claimstream.observability;

/** The observability server cannot listen at the configured address. The message has address, cause and remedy. */
public final class ObservabilityException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ObservabilityException(String address, int port, Throwable cause) {
        super(
                "cannot listen on %s port %d for /health and /metrics: %s; change claimstream.observability.host or port"
                        .formatted(address, port, cause.getMessage()),
                cause);
    }
}
