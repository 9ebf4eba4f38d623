package dev.claimstream.console;

import java.util.Optional;

/** The status of the consumer that updates {@link ClusterView}. Thread-safe. */
public interface ConsumerStatus {
    /** Returns whether the consumer runs. */
    boolean isAlive();

    /** Returns whether the consumer has read all records that existed at its start. */
    boolean isCaughtUp();

    /** Returns what currently blocks the consumer; empty if nothing does. The consumer retries by itself. */
    Optional<String> problem();
}
