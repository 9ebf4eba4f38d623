package dev.claimstream.allocator.streams;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * Supplies the Kafka clients of a stream whose threads poll briefly only during an open transaction.
 *
 * <p>Kafka Streams commits nothing while it polls, so a thread with an open transaction polls for {@code poll.ms}. A thread without an open
 * transaction has nothing to commit and polls for {@link #IDLE}. A record that arrives ends every poll at once.
 */
final class AdaptivePolling implements KafkaClientSupplier {
    /** Poll timeout of a thread without an open transaction; its timers run late by at most this time. */
    static final Duration IDLE = Duration.ofMillis(200);

    private final ThreadLocal<Boolean> isOpen = ThreadLocal.withInitial(() -> false);
    private final Runnable onTransactionEnd;

    /** @param onTransactionEnd callback after a commit or abort, in the thread of the transaction */
    AdaptivePolling(Runnable onTransactionEnd) {
        this.onTransactionEnd = onTransactionEnd;
    }

    /**
     * Returns the poll timeout of the calling thread.
     *
     * @param asked the timeout that Kafka Streams requests: {@code poll.ms}, or zero if it has other work
     */
    Duration timeout(Duration asked) {
        return asked.isZero() || isOpen.get() ? asked : IDLE;
    }

    /** Records that the calling thread begins a transaction. */
    void markOpen() {
        isOpen.set(true);
    }

    /** Records that the calling thread has ended its transaction. */
    void markEnded() {
        isOpen.set(false);
        onTransactionEnd.run();
    }

    @Override
    public Admin getAdmin(Map<String, Object> config) {
        return Admin.create(config);
    }

    @Override
    public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
        return new TransactionalProducer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
        return new MainConsumer(config);
    }

    @Override
    public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
        return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Tracks whether its thread has an open transaction. If a commit or abort fails, the transaction counts as open. */
    private final class TransactionalProducer extends KafkaProducer<byte[], byte[]> {
        TransactionalProducer(Map<String, Object> config) {
            super(new HashMap<>(config), new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public void beginTransaction() {
            markOpen();
            super.beginTransaction();
        }

        @Override
        public void commitTransaction() {
            super.commitTransaction();
            markEnded();
        }

        @Override
        public void abortTransaction() {
            super.abortTransaction();
            markEnded();
        }
    }

    private final class MainConsumer extends KafkaConsumer<byte[], byte[]> {
        MainConsumer(Map<String, Object> config) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration asked) {
            return super.poll(timeout(asked));
        }
    }
}
