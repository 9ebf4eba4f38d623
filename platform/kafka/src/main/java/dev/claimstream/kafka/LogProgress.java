package dev.claimstream.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * The end of the log of decisions: the sum of the end offsets of {@code decisions.v1}, which never falls.
 *
 * <p>A log that ends before a position that it once had is an older copy, or has lost records. Safe for use by several
 * threads.
 */
public interface LogProgress extends AutoCloseable {
    /** A log without decisions. */
    LogProgress NONE = new LogProgress() {
        @Override
        public long read() {
            return 0;
        }

        @Override
        public long last() {
            return 0;
        }

        @Override
        public void close() {}
    };

    /**
     * Reads the end from a broker.
     *
     * @throws TopicsException if the broker does not respond
     */
    long read();

    /** Returns the end that was read last, at once, and reads it again in the background. */
    long last();

    @Override
    void close();

    /**
     * Creates the progress of the log of a Kafka cluster.
     *
     * @param timeout timeout per request
     */
    static LogProgress of(KafkaConnection kafka, Duration timeout) {
        return new KafkaLogProgress(TopicSetup.admin(kafka, timeout), timeout);
    }

    /** Asks the brokers. */
    final class KafkaLogProgress implements LogProgress {
        private final Admin admin;
        private final TopicSetup setup;
        private final AtomicBoolean isReading = new AtomicBoolean();
        private volatile Map<TopicPartition, OffsetSpec> partitions = Map.of();
        private volatile long last;

        private KafkaLogProgress(Admin admin, Duration timeout) {
            this.admin = admin;
            this.setup = new TopicSetup(admin, timeout);
        }

        @Override
        public long read() {
            partitions = setup.describe(java.util.List.of(Topics.DECISIONS))
                    .flatMap(topic -> topic.partitions().stream())
                    .collect(Collectors.toMap(
                            each -> new TopicPartition(Topics.DECISIONS, each.partition()), _ -> OffsetSpec.latest()));
            last = sum(setup.await("reading the end of decisions.v1", request()));
            return last;
        }

        @Override
        public long last() {
            if (!partitions.isEmpty() && isReading.compareAndSet(false, true)) {
                var unused = request().whenComplete((ends, failure) -> {
                    if (failure == null) {
                        last = sum(ends);
                    }
                    isReading.set(false);
                });
            }
            return last;
        }

        private KafkaFuture<Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo>> request() {
            return admin.listOffsets(partitions).all();
        }

        private static long sum(Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> ends) {
            return ends.values().stream()
                    .mapToLong(ListOffsetsResult.ListOffsetsResultInfo::offset)
                    .sum();
        }

        @Override
        public void close() {
            admin.close(Duration.ofSeconds(1));
        }
    }
}
