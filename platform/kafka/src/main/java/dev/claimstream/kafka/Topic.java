package dev.claimstream.kafka;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.utils.Utils;

/**
 * A topic as the contracts define it.
 *
 * @param description what it contains, in one sentence
 * @param keyParts parts of its keys, in order; empty: records have no key
 * @param keyNote meaning of the parts, in one line; empty if their names say it
 * @param partitionBy key parts that determine the partition; empty: the producer names the partition
 * @param config all settings of the topic, by Kafka's names
 * @param value full name of the Avro record of its values; empty if values are no Avro records of the contracts
 */
public record Topic(
        String name,
        String description,
        List<String> keyParts,
        String keyNote,
        List<String> partitionBy,
        int partitions,
        SortedMap<String, String> config,
        List<String> writers,
        List<String> readers,
        Optional<String> value) {
    public Topic {
        keyParts = List.copyOf(keyParts);
        partitionBy = List.copyOf(partitionBy);
        config = Collections.unmodifiableSortedMap(new TreeMap<>(config));
        writers = List.copyOf(writers);
        readers = List.copyOf(readers);
        if (partitions < 1) {
            throw new IllegalArgumentException(
                    "topic %s: partitions is %d, a topic has at least one".formatted(name, partitions));
        }
        for (String part : partitionBy) {
            if (!keyParts.contains(part)) {
                throw new IllegalArgumentException("topic %s: partition-by names %s, which is not a part of its key %s"
                        .formatted(name, part, String.join("/", keyParts)));
            }
        }
    }

    /** Returns a builder of a topic with one partition, and without keys, settings, writers and readers. */
    public static TopicBuilder builder(String name) {
        return new TopicBuilder(name);
    }

    /** Returns a builder with the components of this record. */
    public TopicBuilder toBuilder() {
        return builder(name)
                .description(description)
                .keyParts(keyParts)
                .keyNote(keyNote)
                .partitionBy(partitionBy)
                .partitions(partitions)
                .config(config)
                .writers(writers)
                .readers(readers)
                .value(value);
    }

    /** The subject of its values in the schema registry. */
    public String subject() {
        return name + "-value";
    }

    /** The cleanup policy: {@code compact} or {@code delete}. */
    public String cleanup() {
        return config.getOrDefault(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    }

    /** A copy with another number of partitions. */
    public Topic withPartitions(int other) {
        return toBuilder().partitions(other).build();
    }

    /**
     * The partition of a key.
     *
     * @param count number of partitions
     * @throws IllegalArgumentException if the key has other parts than this topic's keys, or the producer must name the partition
     */
    public int partitionOf(String key, int count) {
        return partitionOfText(partitionText(key), count);
    }

    /** The partition by Kafka's default partitioner for this key. */
    static int partitionOfText(String text, int count) {
        return Utils.toPositive(Utils.murmur2(text.getBytes(StandardCharsets.UTF_8))) % count;
    }

    private String partitionText(String key) {
        if (partitionBy.isEmpty()) {
            throw new IllegalArgumentException(
                    "topic %s: the writer names the partition; the record with key %s names none".formatted(name, key));
        }
        List<String> parts = RecordKey.parse(key).parts();
        if (parts.size() != keyParts.size()) {
            throw new IllegalArgumentException(
                    "topic %s: key %s does not have the parts %s".formatted(name, key, String.join("/", keyParts)));
        }
        List<String> deciding = partitionBy.stream()
                .map(part -> parts.get(keyParts.indexOf(part)))
                .toList();
        return deciding.stream().allMatch(String::isEmpty)
                ? key
                : deciding.stream().collect(Collectors.joining("/"));
    }
}
