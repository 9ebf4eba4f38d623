package dev.claimstream.load.beside;

import java.util.List;
import java.util.Map;

/**
 * Which threads of {@code claimstream up} are its broker's. The kernel keeps 15 characters of a name. What the JVM does for all (collector,
 * compiler) and what has ended meanwhile counts as ours.
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

    /** What they took of the times by thread. */
    static double sum(Map<String, Double> byThread) {
        return byThread.entrySet().stream()
                .filter(each -> BEGINNINGS.stream().anyMatch(each.getKey()::startsWith))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }
}
