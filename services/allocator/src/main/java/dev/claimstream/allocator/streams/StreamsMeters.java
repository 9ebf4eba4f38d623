package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Meters;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.TaskMetadata;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** Publishes numbers of Kafka Streams about the cells and the router. Several threads report restored records to it. */
final class StreamsMeters implements StateRestoreListener {
    private static final Set<String> INPUTS = Set.of(Topics.CELLS_IN, Topics.ROUTER_IN);

    private final Supplier<Optional<KafkaStreams>> streams;
    private final Meters meters;
    private final Map<TopicPartition, Long> toRestore = new ConcurrentHashMap<>();

    StreamsMeters(Meters meters, Supplier<Optional<KafkaStreams>> streams, InputLag lag) {
        this.streams = streams;
        this.meters = meters;
        meters.show(AllocatorMeter.CELL_LAG, lag::rows);
        meters.showOne(AllocatorMeter.CELL_RESTORE, this::toRestore);
        meters.showOne(AllocatorMeter.CELL_TASKS, this::tasks);
        meters.create(AllocatorMeter.CELL_FAILURES);
        meters.showSum(AllocatorMeter.CELL_COMMITS, this, StreamsMeters::commits);
    }

    /** Counts a stream thread that ended with an exception. */
    void countFailure() {
        meters.count(AllocatorMeter.CELL_FAILURES);
    }

    /** The input partitions of the cells and the router that this process has. */
    static Set<TopicPartition> inputs(KafkaStreams streams) {
        return streams.metadataForLocalThreads().stream()
                .flatMap(thread -> thread.activeTasks().stream())
                .flatMap(task -> task.topicPartitions().stream())
                .filter(each -> INPUTS.contains(each.topic()))
                .collect(Collectors.toSet());
    }

    long toRestore() {
        return toRestore.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The number of cells that this process has. */
    long tasks() {
        return streams.get().stream()
                .flatMap(each -> each.metadataForLocalThreads().stream())
                .flatMap(thread -> thread.activeTasks().stream())
                .filter(StreamsMeters::isCell)
                .count();
    }

    /** The number of stream threads with at least one task. */
    long threads() {
        return streams.get().stream()
                .flatMap(each -> each.metadataForLocalThreads().stream())
                .filter(thread -> !thread.activeTasks().isEmpty())
                .count();
    }

    /** Whether a task is a cell. The router is a task as well, with another topic. */
    private static boolean isCell(TaskMetadata task) {
        return task.topicPartitions().stream().anyMatch(each -> each.topic().equals(Topics.CELLS_IN));
    }

    /** Number of commits of the stream threads. */
    double commits() {
        return ofThreads("commit-total");
    }

    /** Number of polls of the stream threads. */
    long polls() {
        return (long) ofThreads("poll-total");
    }

    private double ofThreads(String name) {
        return streams.get().stream()
                .flatMap(each -> each.metrics().values().stream())
                .filter(each -> isNamed(each.metricName(), "stream-thread-metrics", name))
                .mapToDouble(StreamsMeters::value)
                .sum();
    }

    private static boolean isNamed(MetricName is, String group, String name) {
        return is.group().equals(group) && is.name().equals(name);
    }

    /** The value of a metric; 0 while Kafka reports no finite number. */
    private static double value(Metric metric) {
        return metric.metricValue() instanceof Number number && Double.isFinite(number.doubleValue())
                ? number.doubleValue()
                : 0;
    }

    @Override
    public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
        toRestore.put(partition, Math.max(0, to - from));
    }

    @Override
    public void onBatchRestored(TopicPartition partition, String store, long end, long count) {
        toRestore.computeIfPresent(partition, (each, remaining) -> Math.max(0, remaining - count));
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
