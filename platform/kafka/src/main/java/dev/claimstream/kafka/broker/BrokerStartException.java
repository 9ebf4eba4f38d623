package dev.claimstream.kafka.broker;

import org.jspecify.annotations.Nullable;

/** The broker cannot start. The message is one line that says why and what to do. */
public final class BrokerStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;

    BrokerStartException(Kind kind, String cause, String remedy, @Nullable Throwable thrown) {
        super(cause + ". " + remedy, thrown);
        this.kind = kind;
    }

    /** Why it cannot start, for programs. */
    public Kind kind() {
        return kind;
    }

    /** What a program can tell apart. */
    public enum Kind {
        /** Something else listens on the port. */
        PORT_IN_USE,
        /** The folder cannot be made, read or written. */
        FOLDER_UNUSABLE,
        /** Another broker runs on the folder. */
        FOLDER_IN_USE,
        /** The folder holds something else than this broker's data, or data of a newer Kafka. */
        FOLDER_FOREIGN,
        /** Kafka refused for another reason. */
        REFUSED
    }
}
