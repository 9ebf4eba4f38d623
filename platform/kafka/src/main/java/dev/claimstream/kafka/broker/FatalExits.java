package dev.claimstream.kafka.broker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.utils.Exit;

/**
 * Notifies listeners, instead of ending the JVM, when a broker wants to exit.
 *
 * <p>Kafka has one exit procedure per process, so the affected broker is unknown.
 */
final class FatalExits {
    private static final List<Runnable> LISTENERS = new CopyOnWriteArrayList<>();

    private FatalExits() {}

    /** Adds a listener. */
    static void register(Runnable broker) {
        LISTENERS.add(broker);
        // The procedure returns to the broker's thread, which continues after the exit call; clients get errors then.
        Exit.setHaltProcedure((status, message) -> LISTENERS.forEach(Runnable::run));
        Exit.setExitProcedure((status, message) -> LISTENERS.forEach(Runnable::run));
    }

    /** Removes a listener. The procedures stay, because a thread of a closed broker may still call them. */
    static void unregister(Runnable broker) {
        LISTENERS.remove(broker);
    }
}
