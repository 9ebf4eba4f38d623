package dev.claimstream.kafka.broker;

import org.jspecify.annotations.Nullable;

/** The broker cannot start. The message is one line with the cause and the remedy. */
public final class BrokerStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final StartFailureKind kind;

    BrokerStartException(StartFailureKind kind, String cause, String remedy, @Nullable Throwable thrown) {
        super(cause + ". " + remedy, thrown);
        this.kind = kind;
    }

    /** The kind of failure, for programs. */
    public StartFailureKind kind() {
        return kind;
    }

    /** The causes that a program can distinguish. */
    public enum StartFailureKind {
        /** Another program listens on the port. */
        PORT_IN_USE,
        /** The folder cannot be created, read or written. */
        FOLDER_UNUSABLE,
        /** Another broker runs on the folder. */
        FOLDER_IN_USE,
        /** The folder contains other data, or data of a newer Kafka. */
        FOLDER_FOREIGN,
        /** Kafka failed for another reason. */
        REFUSED
    }
}
