package dev.claimstream.kafka.broker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.utils.Exit;

/**
 * What happens in this JVM when a broker wants to end its process: the brokers here are told, and the JVM lives. Kafka has one such
 * place per process, so it cannot be said which broker it was.
 */
final class FatalExits {
    private static final List<Runnable> TOLD = new CopyOnWriteArrayList<>();

    private FatalExits() {}

    /** Tells this one from now on. */
    static void tell(Runnable broker) {
        TOLD.add(broker);
        // The broker's thread goes on after it: Kafka's own code stands behind a return, and clients then get errors.
        Exit.setHaltProcedure((status, message) -> TOLD.forEach(Runnable::run));
        Exit.setExitProcedure((status, message) -> TOLD.forEach(Runnable::run));
    }

    /** Tells it no more. The procedures stay: a thread of a closed broker may still be on its way to them. */
    static void forget(Runnable broker) {
        TOLD.remove(broker);
    }
}
