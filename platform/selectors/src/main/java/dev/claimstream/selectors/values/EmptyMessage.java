package dev.claimstream.selectors.values;

/** {@code google.protobuf.Empty{}}: the only message that stays one; the others become what they hold. */
public enum EmptyMessage {
    VALUE;

    public static final String TYPE = "google.protobuf.Empty";
}
