package dev.claimstream.selectors.values;

/** {@code google.protobuf.Empty{}}: the only message that remains a message; the others are converted to their content. */
public enum EmptyMessage {
    VALUE;

    public static final String TYPE = "google.protobuf.Empty";
}
