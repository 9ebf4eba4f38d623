package dev.claimstream.kubernetes;

/** The cluster did not answer, or not as it should; it may do so later. */
public final class ClusterFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ClusterFault(String message, Throwable cause) {
        super(message, cause);
    }

    public ClusterFault(String message) {
        super(message);
    }
}
