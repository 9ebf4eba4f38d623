package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** What Kafka Streams knows about the cells, under our names. */
final class StreamsMeters implements StateRestoreListener {
    private final Supplier<Optional<KafkaStreams>> streams;
    private final Meters meters;
    private final Map<TopicPartition, Long> toRestore = new ConcurrentHashMap<>();

    StreamsMeters(Meters meters, Supplier<Optional<KafkaStreams>> streams) {
        this.streams = streams;
        this.meters = meters;
        meters.showOne(Meter.CELL_LAG, this::lag);
        meters.showOne(Meter.CELL_RESTORE, this::toRestore);
        meters.showOne(Meter.CELL_TASKS, this::tasks);
        meters.showSum(Meter.CELL_COMMITS, this, each -> each.sum("stream-thread-metrics", "commit-total", Map.of()));
    }

    /** A stream thread has ended by an exception. */
    void failed() {
        meters.count(Meter.CELL_FAILURES);
    }

    long lag() {
        return (long) sum("consumer-fetch-manager-metrics", "records-lag", Map.of("topic", Topics.CELLS_IN));
    }

    long toRestore() {
        return toRestore.values().stream().mapToLong(Long::longValue).sum();
    }

    long tasks() {
        return streams.get().stream()
                .flatMap(each -> each.metadataForLocalThreads().stream())
                .mapToLong(thread -> thread.activeTasks().size())
                .sum();
    }

    private double sum(String group, String name, Map<String, String> tags) {
        return streams.get().stream()
                .flatMap(each -> each.metrics().entrySet().stream())
                .filter(each -> isNamed(each.getKey(), group, name, tags))
                .mapToDouble(each -> value(each.getValue()))
                .filter(Double::isFinite)
                .sum();
    }

    /** Kafka writes dots in the names of topics as underscores in some versions. */
    private static boolean isNamed(MetricName is, String group, String name, Map<String, String> tags) {
        return is.group().equals(group)
                && is.name().equals(name)
                && tags.entrySet().stream()
                        .allMatch(tag -> tag.getValue()
                                .replace('.', '_')
                                .equals(is.tags().getOrDefault(tag.getKey(), "").replace('.', '_')));
    }

    private static double value(Metric metric) {
        return metric.metricValue() instanceof Number number ? number.doubleValue() : 0;
    }

    @Override
    public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
        toRestore.put(partition, Math.max(0, to - from));
    }

    @Override
    public void onBatchRestored(TopicPartition partition, String store, long end, long count) {
        toRestore.computeIfPresent(partition, (each, left) -> Math.max(0, left - count));
    }

    @Override
    public void onRestoreEnd(TopicPartition partition, String store, long total) {
        toRestore.remove(partition);
    }

    @Override
    public void onRestoreSuspended(TopicPartition partition, String store, long total) {
        toRestore.remove(partition);
    }
}
