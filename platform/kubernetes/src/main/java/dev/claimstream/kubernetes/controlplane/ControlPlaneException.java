package dev.claimstream.kubernetes.controlplane;

/** A control plane cannot be started, or one of its parts not be reached. The message says why, and what to do. */
public final class ControlPlaneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ControlPlaneException(String message) {
        super(message);
    }

    ControlPlaneException(String message, Throwable cause) {
        super(message, cause);
    }
}
