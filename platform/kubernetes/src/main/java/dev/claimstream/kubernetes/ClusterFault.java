package dev.claimstream.kubernetes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The cluster did not answer, or returned an unusable answer. A later request may succeed. */
public final class ClusterFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;
    private final Duration retryAfter;
    private final boolean isDenied;

    public ClusterFault(String message, Throwable cause) {
        super(message, cause);
        problem = message;
        remedy = "";
        retryAfter = Duration.ZERO;
        isDenied = false;
    }

    public ClusterFault(String message) {
        this(message, Duration.ZERO);
    }

    /** @param pause time that the cluster asks the client to wait before the next request */
    public ClusterFault(String message, Duration pause) {
        super(message);
        problem = message;
        remedy = "";
        this.retryAfter = pause;
        isDenied = false;
    }

    private ClusterFault(String problem, String remedy, @Nullable Throwable cause, boolean isDenied) {
        super(remedy.isEmpty() ? problem : "%s: %s".formatted(problem, remedy), cause);
        this.problem = problem;
        this.remedy = remedy;
        retryAfter = Duration.ZERO;
        this.isDenied = isDenied;
    }

    /** Creates a fault that lasts until an operator follows the remedy. */
    public static ClusterFault withRemedy(String problem, String remedy) {
        return new ClusterFault(problem, remedy, null, false);
    }

    /** Creates a fault that lasts until an operator follows the remedy. */
    public static ClusterFault withRemedy(String problem, String remedy, Throwable cause) {
        return new ClusterFault(problem, remedy, cause, false);
    }

    /** Creates a fault of a response that denies access: HTTP 401 or 403. */
    public static ClusterFault denied(String problem, String remedy) {
        return new ClusterFault(problem, remedy, null, true);
    }

    /** Returns the problem without the remedy. */
    public String problem() {
        return problem;
    }

    /** Returns whether the cluster denied access, which no retry changes. */
    public boolean isDenied() {
        return isDenied;
    }

    /** Returns how long the cluster asks the client to wait; zero if it does not say. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Returns what an operator can do about the fault; empty if that is not known. */
    public String remedy() {
        return remedy;
    }
}
