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
 * Kafka clients of a stream whose threads poll briefly only while they have an open transaction.
 *
 * <p>Kafka Streams commits nothing while it polls, so a thread with an open transaction polls for {@code poll.ms}. A thread without one
 * has nothing to commit and polls for {@link #IDLE}. A record that arrives ends every poll at once.
 */
final class AdaptivePolling implements KafkaClientSupplier {
    /** How long a thread without an open transaction waits for records; its timers run as late as that. */
    static final Duration IDLE = Duration.ofMillis(200);

    private final ThreadLocal<Boolean> isOpen = ThreadLocal.withInitial(() -> false);
    private final Runnable whenEnded;

    /** @param whenEnded runs in the thread that has committed or aborted its transaction */
    AdaptivePolling(Runnable whenEnded) {
        this.whenEnded = whenEnded;
    }

    /**
     * Returns how long the calling thread polls.
     *
     * @param asked what Kafka Streams asks for: {@code poll.ms}, or zero where it has other work
     */
    Duration timeout(Duration asked) {
        return asked.isZero() || isOpen.get() ? asked : IDLE;
    }

    /** The calling thread begins a transaction. */
    void begins() {
        isOpen.set(true);
    }

    /** The calling thread has ended its transaction. */
    void ends() {
        isOpen.set(false);
        whenEnded.run();
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

    /** Knows whether its thread has an open transaction. A transaction whose end fails counts as open. */
    private final class TransactionalProducer extends KafkaProducer<byte[], byte[]> {
        TransactionalProducer(Map<String, Object> config) {
            super(new HashMap<>(config), new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public void beginTransaction() {
            begins();
            super.beginTransaction();
        }

        @Override
        public void commitTransaction() {
            super.commitTransaction();
            ends();
        }

        @Override
        public void abortTransaction() {
            super.abortTransaction();
            ends();
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
