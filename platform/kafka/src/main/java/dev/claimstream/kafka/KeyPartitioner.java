package dev.claimstream.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.producer.Partitioner;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.jspecify.annotations.Nullable;

/**
 * Partitions records by the node or namespace in their key, as {@code topics.yaml} defines it.
 *
 * <p>So a record and its tombstone have the same partition. In other topics the whole key counts, as by Kafka's default.
 */
public final class KeyPartitioner implements Partitioner {
    /** A partitioner for the sinks of a stream, whose keys are text or its bytes. */
    public static <K, V> StreamPartitioner<K, V> forStreams() {
        return (topic, key, value, count) -> Optional.of(Set.of(partition(topic, textOf(topic, key), count)));
    }

    @Override
    public int partition(
            String topic,
            @Nullable Object key,
            byte @Nullable [] keyBytes,
            @Nullable Object value,
            byte @Nullable [] valueBytes,
            Cluster cluster) {
        return partition(topic, textOf(topic, keyBytes), cluster.partitionCountForTopic(topic));
    }

    private static int partition(String topic, String key, int count) {
        return Topics.shipped()
                .find(topic)
                .map(known -> known.partitionOf(key, count))
                .orElseGet(() -> Topic.partitionOfText(key, count));
    }

    private static String textOf(String topic, @Nullable Object key) {
        return switch (key) {
            case String text -> text;
            case byte[] bytes -> new String(bytes, StandardCharsets.UTF_8);
            case null -> throw new IllegalArgumentException("topic %s: a record without a key".formatted(topic));
            default ->
                throw new IllegalArgumentException("topic %s: a key is text, not %s"
                        .formatted(topic, key.getClass().getName()));
        };
    }

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void close() {}
}
