package dev.claimstream.kubernetes;

import org.jspecify.annotations.Nullable;

/** The cluster did not answer, or not as it should; it may do so later. */
public final class ClusterFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String what;
    private final String remedy;

    public ClusterFault(String message, Throwable cause) {
        super(message, cause);
        what = message;
        remedy = "";
    }

    public ClusterFault(String message) {
        super(message);
        what = message;
        remedy = "";
    }

    private ClusterFault(String what, String remedy, @Nullable Throwable cause) {
        super("%s: %s".formatted(what, remedy), cause);
        this.what = what;
        this.remedy = remedy;
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

    /** What to do about it; empty where that is not known. */
    public String remedy() {
        return remedy;
    }
}
