package dev.claimstream.kafka.broker;

/**
 * The broker in this JVM can no longer serve: its clients get errors until it is closed and started again.
 *
 * @param cause what happened, with place and values
 * @param remedy what to do about it
 */
public record BrokerFault(Kind kind, String cause, String remedy) {
    /** What a program can tell apart. */
    public enum Kind {
        /** The file system of the data folder is full. */
        DISK_FULL,
        /** The data folder cannot be read or written for another reason. */
        FOLDER_FAILED,
        /** The broker gave up for a reason of its own, which it logged. */
        STOPPED
    }

    @Override
    public String toString() {
        return cause + ". " + remedy;
    }
}
