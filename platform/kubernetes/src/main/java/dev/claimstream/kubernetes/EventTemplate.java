package dev.claimstream.kubernetes;

/**
 * The constant fields of a Kubernetes Event, by its {@code reason}.
 *
 * <p>The section "Events" of {@code services/writer/README.md} has the same table.
 */
public enum EventTemplate {
    /** A pod or claim is pending. The reason is the code of the pending reason. */
    PENDING("", "Allocate"),
    /** The driver of an allocated device does not publish the device any more. */
    DEVICE_LOST("DeviceLost", "Monitor"),
    /** A decision cannot be committed. */
    NOT_WRITTEN("NotWritten", "Commit");

    /** {@code reportingController} of every Event. */
    public static final String REPORTING_CONTROLLER = "claimstream.dev/writer";

    /** {@code type} of every Event. */
    public static final String TYPE = "Warning";

    private final String reason;
    private final String action;

    EventTemplate(String reason, String action) {
        this.reason = reason;
        this.action = action;
    }

    /** Returns the template of Events with this {@code reason}: {@link #PENDING} unless another template has the reason. */
    public static EventTemplate of(String reason) {
        for (EventTemplate each : values()) {
            if (each.reason.equals(reason)) {
                return each;
            }
        }
        return PENDING;
    }

    /** Returns the {@code reason}; empty for {@link #PENDING}, which has many reasons. */
    public String reason() {
        return reason;
    }

    /** Returns the {@code action}: what Claimstream does or fails to do. */
    public String action() {
        return action;
    }
}
