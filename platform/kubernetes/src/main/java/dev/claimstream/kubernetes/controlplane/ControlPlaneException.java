package dev.claimstream.kubernetes.controlplane;

/** A control plane does not start, or one of its components is not reachable. The message contains the remedy. */
public final class ControlPlaneException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ControlPlaneException(String message) {
        super(message);
    }

    ControlPlaneException(String message, Throwable cause) {
        super(message, cause);
    }
}
