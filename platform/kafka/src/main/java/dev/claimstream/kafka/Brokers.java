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
 * @param silent unreachable brokers
 */
public record Brokers(SortedSet<String> answering, SortedSet<String> silent) {
    public Brokers {
        answering = Collections.unmodifiableSortedSet(new TreeSet<>(answering));
        silent = Collections.unmodifiableSortedSet(new TreeSet<>(silent));
    }

    /**
     * Connects to each bootstrap address and to each address that a broker advertises: clients must reach both.
     *
     * @param timeout timeout per address
     */
    public static Brokers ask(KafkaConnection kafka, Duration timeout) {
        SortedSet<String> answering = new TreeSet<>();
        SortedSet<String> silent = new TreeSet<>();
        Queue<String> open = new ArrayDeque<>(Arrays.stream(kafka.bootstrap().split(",", -1))
                .map(String::strip)
                .toList());
        while (!open.isEmpty()) {
            String address = open.remove();
            if (!answering.contains(address) && !silent.contains(address)) {
                try {
                    open.addAll(named(new KafkaConnection(address, kafka.security()), timeout));
                    answering.add(address);
                } catch (TopicsException e) {
                    silent.add(address);
                }
            }
        }
        return new Brokers(answering, silent);
    }

    private static List<String> named(KafkaConnection one, Duration timeout) {
        try (var admin = TopicSetup.admin(one, timeout)) {
            return new TopicSetup(admin, timeout)
                    .await("asking " + one.bootstrap(), admin.describeCluster().nodes()).stream()
                            .map(each -> each.host() + ":" + each.port())
                            .toList();
        }
    }
}
