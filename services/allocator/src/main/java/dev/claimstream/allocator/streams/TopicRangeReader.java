package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads ranges of partitions; by default only committed records. Not safe for several threads. */
final class TopicRangeReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    /** The range exists already. A fetch for records behind it would only delay {@link #close}. */
    private static final Duration FETCH_WAIT = Duration.ofMillis(10);

    private final KafkaConsumer<byte[], byte[]> consumer;

    TopicRangeReader(KafkaConnection kafka, String clientId) {
        this(kafka, clientId, IsolationLevel.READ_COMMITTED);
    }

    private TopicRangeReader(KafkaConnection kafka, String clientId, IsolationLevel level) {
        Properties settings = ConsumerSettings.of(kafka, clientId).properties();
        settings.put("isolation.level", level.toString());
        settings.put("fetch.max.wait.ms", Long.toString(FETCH_WAIT.toMillis()));
        consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** A reader that also returns records of open and of aborted transactions. */
    static TopicRangeReader readUncommitted(KafkaConnection kafka, String clientId) {
        return new TopicRangeReader(kafka, clientId, IsolationLevel.READ_UNCOMMITTED);
    }

    /** The first record in a range of offsets, the second offset excluded. */
    Optional<ConsumerRecord<byte[], byte[]>> first(TopicPartition partition, long from, long to) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, from);
        while (consumer.position(partition) < to) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                return record.offset() < to ? Optional.of(record) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** The last record before an offset. */
    Optional<ConsumerRecord<byte[], byte[]>> last(TopicPartition partition, long begin, long to) {
        return last(partition, begin, to, _ -> true);
    }

    /** The last record before an offset that a condition accepts. */
    Optional<ConsumerRecord<byte[], byte[]>> last(
            TopicPartition partition, long begin, long to, Predicate<ConsumerRecord<byte[], byte[]>> condition) {
        for (long back = 16; ; back *= 16) {
            long from = Math.max(begin, to - back);
            var found = new LastRecord(condition);
            forEach(partition, from, to, found);
            if (found.record.isPresent() || from == begin) {
                return found.record;
            }
        }
    }

    private static final class LastRecord implements Consumer<ConsumerRecord<byte[], byte[]>> {
        private final Predicate<ConsumerRecord<byte[], byte[]>> condition;
        private Optional<ConsumerRecord<byte[], byte[]>> record = Optional.empty();

        LastRecord(Predicate<ConsumerRecord<byte[], byte[]>> condition) {
            this.condition = condition;
        }

        @Override
        public void accept(ConsumerRecord<byte[], byte[]> next) {
            if (condition.test(next)) {
                record = Optional.of(next);
            }
        }
    }

    /** Passes each record of a range to a consumer, in order. */
    void forEach(TopicPartition partition, long from, long to, Consumer<ConsumerRecord<byte[], byte[]>> action) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, from);
        while (consumer.position(partition) < to) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (record.offset() < to) {
                    action.accept(record);
                }
            }
        }
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
    }
}
