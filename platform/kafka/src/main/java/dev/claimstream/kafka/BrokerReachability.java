package dev.claimstream.kafka;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Reachable and unreachable brokers of a cluster, as {@code host:port}.
 *
 * @param unreachable unreachable brokers
 */
public record BrokerReachability(SortedSet<String> reachable, SortedSet<String> unreachable) {
    public BrokerReachability {
        reachable = Collections.unmodifiableSortedSet(new TreeSet<>(reachable));
        unreachable = Collections.unmodifiableSortedSet(new TreeSet<>(unreachable));
    }

    /**
     * Connects to each bootstrap address and to each address that a broker advertises: clients must reach both.
     *
     * @param timeout timeout per address
     */
    public static BrokerReachability probe(KafkaConnection kafka, Duration timeout) {
        SortedSet<String> reachable = new TreeSet<>();
        SortedSet<String> unreachable = new TreeSet<>();
        Queue<String> open = new ArrayDeque<>(Arrays.stream(kafka.bootstrap().split(",", -1))
                .map(String::strip)
                .toList());
        while (!open.isEmpty()) {
            String address = open.remove();
            if (!reachable.contains(address) && !unreachable.contains(address)) {
                try {
                    open.addAll(advertisedAddresses(new KafkaConnection(address, kafka.security()), timeout));
                    reachable.add(address);
                } catch (TopicsException e) {
                    unreachable.add(address);
                }
            }
        }
        return new BrokerReachability(reachable, unreachable);
    }

    private static List<String> advertisedAddresses(KafkaConnection one, Duration timeout) {
        try (var admin = TopicSetup.admin(one, timeout)) {
            return new TopicSetup(admin, timeout)
                            .await(
                                    "connecting to " + one.bootstrap(),
                                    admin.describeCluster().nodes())
                            .stream()
                            .map(each -> each.host() + ":" + each.port())
                            .toList();
        }
    }
}
