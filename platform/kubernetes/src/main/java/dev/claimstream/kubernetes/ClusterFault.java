package dev.claimstream.kubernetes;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The cluster did not answer, or not as it should; it may do so later. */
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

    /** @param pause that the cluster asks for before it is asked again */
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

    /** One that is known to end once somebody does something. */
    public static ClusterFault with(String what, String remedy) {
        return new ClusterFault(what, remedy, null);
    }

    /** One that is known to end once somebody does something. */
    public static ClusterFault with(String what, String remedy, Throwable cause) {
        return new ClusterFault(what, remedy, cause);
    }

    /** What happened, without the remedy. */
    public String what() {
        return what;
    }

    /** How long the cluster asks to be left alone with it; zero where it did not say. */
    public Duration pause() {
        return pause;
    }

    /** What to do about it; empty where that is not known. */
    public String remedy() {
        return remedy;
    }
}
