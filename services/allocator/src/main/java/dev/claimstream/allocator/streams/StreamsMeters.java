package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.Topics;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.TaskMetadata;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** What Kafka Streams knows about the cells and the router, under our names. Several threads tell it how far they have restored. */
final class StreamsMeters implements StateRestoreListener {
    /** What cells and router take. */
    private static final Set<String> INPUTS = Set.of(Topics.CELLS_IN, Topics.ROUTER_IN);

    private final Supplier<Optional<KafkaStreams>> streams;
    private final Meters meters;
    private final Map<TopicPartition, Long> toRestore = new ConcurrentHashMap<>();

    StreamsMeters(Meters meters, Supplier<Optional<KafkaStreams>> streams) {
        this.streams = streams;
        this.meters = meters;
        meters.show(
                Meter.CELL_LAG,
                () -> lags().entrySet().stream()
                        .collect(Collectors.toMap(lag -> List.of(lag.getKey()), Map.Entry::getValue)));
        meters.showOne(Meter.CELL_RESTORE, this::toRestore);
        meters.showOne(Meter.CELL_TASKS, this::tasks);
        meters.showSum(Meter.CELL_COMMITS, this, StreamsMeters::commits);
    }

    /** A stream thread has ended by an exception. */
    void failed() {
        meters.count(Meter.CELL_FAILURES);
    }

    long lag() {
        return lags().values().stream().mapToLong(Long::longValue).sum();
    }

    private SortedMap<String, Long> lags() {
        return streams.get().map(each -> lags(each.metrics().values())).orElseGet(TreeMap::new);
    }

    /** Records that are not taken yet, by topic; a topic that nothing here reads is left out. */
    static SortedMap<String, Long> lags(Collection<? extends Metric> metrics) {
        return metrics.stream()
                .filter(each -> isNamed(each.metricName(), "consumer-fetch-manager-metrics", "records-lag"))
                .filter(each -> INPUTS.contains(topic(each)))
                .collect(Collectors.groupingBy(
                        StreamsMeters::topic, TreeMap::new, Collectors.summingLong(each -> (long) value(each))));
    }

    private static String topic(Metric metric) {
        return metric.metricName().tags().getOrDefault("topic", "");
    }

    long toRestore() {
        return toRestore.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Cells that this process works on. */
    long tasks() {
        return streams.get().stream()
                .flatMap(each -> each.metadataForLocalThreads().stream())
                .flatMap(thread -> thread.activeTasks().stream())
                .filter(StreamsMeters::isCell)
                .count();
    }

    /** Threads of this process that have something to work on. */
    long threads() {
        return streams.get().stream()
                .flatMap(each -> each.metadataForLocalThreads().stream())
                .filter(thread -> !thread.activeTasks().isEmpty())
                .count();
    }

    /** The router is a task as well, with a topic of its own. */
    private static boolean isCell(TaskMetadata task) {
        return task.topicPartitions().stream().anyMatch(each -> each.topic().equals(Topics.CELLS_IN));
    }

    /** How often the stream threads have committed. */
    double commits() {
        return ofThreads("commit-total");
    }

    /** How often the stream threads have asked for records. */
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

    /** What is not known yet is said as no number. */
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
