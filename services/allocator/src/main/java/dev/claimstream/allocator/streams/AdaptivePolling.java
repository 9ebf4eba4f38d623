package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.ConsumerSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * Supplies the Kafka clients of a stream whose threads poll briefly only while they have other work.
 *
 * <p>Kafka Streams commits nothing, runs no timer and starts no task while it polls. A thread with an open transaction therefore polls for
 * {@code poll.ms}, and so does a thread with a paused partition, whose task is still restored. Another thread has nothing to commit and
 * polls until its next {@link TaskTimer} is due, for {@link #IDLE} at most. A record that arrives ends every poll at once, and so does
 * {@link #endPolls}. An assignment of partitions ends no poll: see {@link #UNASSIGNED}.
 */
final class AdaptivePolling implements KafkaClientSupplier {
    /** Longest poll of a thread without an open transaction; it joins a rebalance late by at most this time. */
    static final Duration IDLE = Duration.ofSeconds(1);

    /**
     * Longest poll of a thread without a partition, for {@link #UNASSIGNED_FOR} after its start or after it lost its
     * partitions. It starts the tasks that it is assigned late by at most this time.
     */
    static final Duration UNASSIGNED = Duration.ofMillis(50);

    /** Time after which a thread without a partition is idle: another thread or process has the partitions. */
    static final Duration UNASSIGNED_FOR = Duration.ofSeconds(10);

    private final ThreadLocal<Boolean> isOpen = ThreadLocal.withInitial(() -> false);
    private final Set<MainConsumer> consumers = ConcurrentHashMap.newKeySet();
    private final Runnable onTransactionEnd;
    private volatile boolean isEnding;

    /** @param onTransactionEnd callback after a commit or abort, in the thread of the transaction */
    AdaptivePolling(Runnable onTransactionEnd) {
        this.onTransactionEnd = onTransactionEnd;
    }

    /**
     * Returns the poll timeout of the calling thread.
     *
     * @param requested the timeout that Kafka Streams requests: {@code poll.ms}, or zero if it has other work
     * @param partitions the partitions of the thread's consumer
     */
    Duration timeout(Duration requested, ConsumerPartitions partitions) {
        if (requested.isZero() || isOpen.get() || isEnding || partitions == ConsumerPartitions.PAUSED) {
            return requested;
        }
        Duration longest = partitions == ConsumerPartitions.AWAITED ? UNASSIGNED : IDLE;
        Duration untilTimer = TaskTimer.untilNext();
        Duration idle = untilTimer.compareTo(longest) < 0 ? untilTimer : longest;
        return idle.compareTo(requested) < 0 ? requested : idle;
    }

    /** Which partitions a consumer has. Kafka Streams pauses the partitions of a task until its state is restored. */
    enum ConsumerPartitions {
        AWAITED,
        NONE,
        PAUSED,
        ACTIVE
    }

    /**
     * Returns the state of a consumer.
     *
     * @param sinceAssigned time since the consumer had partitions, or since its creation
     */
    static ConsumerPartitions partitions(boolean hasPartitions, boolean hasPaused, Duration sinceAssigned) {
        if (!hasPartitions) {
            return sinceAssigned.compareTo(UNASSIGNED_FOR) < 0 ? ConsumerPartitions.AWAITED : ConsumerPartitions.NONE;
        }
        return hasPaused ? ConsumerPartitions.PAUSED : ConsumerPartitions.ACTIVE;
    }

    /** Ends the open polls, and makes further ones brief, so that the threads stop at once. Any thread may call it. */
    void endPolls() {
        isEnding = true;
        consumers.forEach(MainConsumer::endPoll);
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

        /**
         * Commits. After the timeout of the transaction the broker has aborted it and answers with a state error, on
         * which Kafka Streams ends the process; as fencing, the same makes it take over its tasks again.
         */
        @Override
        public void commitTransaction() {
            try {
                super.commitTransaction();
            } catch (InvalidTxnStateException e) {
                throw new ProducerFencedException("the transaction timed out before its commit: " + e.getMessage());
            }
            markEnded();
        }

        @Override
        public void abortTransaction() {
            super.abortTransaction();
            markEnded();
        }
    }

    /** Whether a consumer polls. A wake-up outside a poll would end another call of its thread, such as a commit. */
    static final class PollState {
        private boolean isOpen;

        synchronized void open() {
            isOpen = true;
        }

        synchronized void close() {
            isOpen = false;
        }

        synchronized void wakeIfOpen(Runnable wakeup) {
            if (isOpen) {
                wakeup.run();
            }
        }
    }

    private final class MainConsumer extends KafkaConsumer<byte[], byte[]> {
        private final PollState pollState = new PollState();
        private long assignedNanos = System.nanoTime();

        MainConsumer(Map<String, Object> config) {
            super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            consumers.add(this);
        }

        @Override
        public ConsumerRecords<byte[], byte[]> poll(Duration requested) {
            pollState.open(); // before the timeout is chosen, which is brief once the polls end
            try {
                return super.poll(timeout(requested, partitions()));
            } catch (WakeupException e) {
                return ConsumerRecords.empty();
            } finally {
                pollState.close();
            }
        }

        private ConsumerPartitions partitions() {
            boolean hasPartitions = !assignment().isEmpty();
            long now = System.nanoTime();
            if (hasPartitions) {
                assignedNanos = now;
            }
            return AdaptivePolling.partitions(
                    hasPartitions, !paused().isEmpty(), Duration.ofNanos(now - assignedNanos));
        }

        void endPoll() {
            pollState.wakeIfOpen(this::wakeup);
        }

        /** Closes without waiting for the end of an open fetch. */
        @Override
        public void close(CloseOptions options) {
            consumers.remove(this);
            super.close(options.timeout().isPresent() ? options : options.withTimeout(ConsumerSettings.CLOSE_WITHIN));
        }
    }
}
