package dev.claimstream.kubernetes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The cluster did not answer, or returned an unusable answer. A later request may succeed. */
public final class ClusterFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String remedy;
    private final Duration pause;

    public ClusterFault(String message, Throwable cause) {
        super(message, cause);
        what = message;
        remedy = "";
        pause = Duration.ZERO;
    }

    public ClusterFault(String message) {
        this(message, Duration.ZERO);
    }

    /** @param pause time that the cluster asks the client to wait before the next request */
    public ClusterFault(String message, Duration pause) {
        super(message);
        what = message;
        remedy = "";
        this.pause = pause;
    }

    private ClusterFault(String what, String remedy, @Nullable Throwable cause) {
        super(remedy.isEmpty() ? what : "%s: %s".formatted(what, remedy), cause);
        this.what = what;
        this.remedy = remedy;
        pause = Duration.ZERO;
    }

    /** Creates a fault that lasts until an operator follows the remedy. */
    public static ClusterFault with(String what, String remedy) {
        return new ClusterFault(what, remedy, null);
    }

    /** Creates a fault that lasts until an operator follows the remedy. */
    public static ClusterFault with(String what, String remedy, Throwable cause) {
        return new ClusterFault(what, remedy, cause);
    }

    /** Returns the problem without the remedy. */
    public String what() {
        return what;
    }

    /** Returns how long the cluster asks the client to wait; zero if it does not say. */
    public Duration pause() {
        return pause;
    }

    /** Returns what an operator can do about the fault; empty if that is not known. */
    public String remedy() {
        return remedy;
    }
}
