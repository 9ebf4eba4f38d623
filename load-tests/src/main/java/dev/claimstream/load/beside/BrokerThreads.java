package dev.claimstream.load.beside;

import java.util.List;
import java.util.Map;

/**
 * Finds the broker's threads of {@code claimstream up} by their names.
 *
 * <p>The kernel keeps 15 characters of a name. Threads of the JVM (collector, compiler) and threads that have ended
 * count as Claimstream's.
 */
final class BrokerThreads {
    private static final List<String> BEGINNINGS = List.of(
            "data-plane-",
            "kafka-1-",
            "kafka-scheduler",
            "kafka-log-clean",
            "broker-",
            "controller-",
            "quorum-controll",
            "raft-",
            "group-coordinat",
            "share-",
            "transaction-log",
            "TxnMarkerSender",
            "AddPartitionsTo",
            "executor-",
            "ExpirationReape",
            "SensorExpiry",
            "PersisterState",
            "persister-state",
            "network-partiti",
            "LogDirFailure",
            "client-metrics");

    private BrokerThreads() {}

    /** Returns the processor time of the broker's threads. */
    static double sum(Map<String, Double> byThread) {
        return byThread.entrySet().stream()
                .filter(each -> BEGINNINGS.stream().anyMatch(each.getKey()::startsWith))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
