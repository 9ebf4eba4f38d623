package dev.claimstream.kafka.broker;

/**
 * A fault of the embedded broker. Clients get errors until the broker is closed and started again.
 *
 * @param cause what has failed, with place and values
 * @param remedy what to do
 */
public record BrokerFault(BrokerFaultKind kind, String cause, String remedy) {
    /** The kind of fault, for programs. */
    public enum BrokerFaultKind {
        /** The file system of the data folder is full. */
        DISK_FULL,
        /** The data folder cannot be read or written for another reason. */
        FOLDER_FAILED,
        /** The broker stopped by itself; its log has the cause. */
        STOPPED
    }

    @Override
    public String toString() {
        return cause + ". " + remedy;
    }
}
