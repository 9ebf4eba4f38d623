package dev.claimstream.simulation;

/**
 * A small change that would bring a pending item closer to an allocation.
 *
 * @param kind what would change
 * @param text the change and its effect, in one line
 * @param devices the number of devices that the change adds, or that have the named attribute
 */
public record NearestChange(ChangeKind kind, String text, long devices) {
    /** What would change. Names are part of the JSON output. */
    public enum ChangeKind {
        /** More devices on one node. */
        MORE_DEVICES,
        /** Another value in a selector or capacity request. */
        OTHER_VALUE,
        /** A toleration of the request. */
        TOLERATION,
        /** A fact rather than a change: how many devices have an attribute that the request reads. */
        FIELD_COUNT
    }
}
