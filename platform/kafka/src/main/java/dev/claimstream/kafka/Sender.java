package dev.claimstream.kafka;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Sends records without waiting for each of them, several at a time. Whether all of them are kept, {@link #flush} tells. */
public final class Sender implements AutoCloseable {
    /** A flush waits for nothing; without one a record is on its way after so many milliseconds. */
    private static final String LINGER_MS = "5";

    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Exception> lost = new AtomicReference<>();

    public Sender(ProducerSettings settings) {
        Properties properties = settings.properties();
        properties.put("linger.ms", LINGER_MS);
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Sends a record to the partition that its key decides. */
    public void send(String topic, String key, byte[] value) {
        send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value));
    }

    /** Sends a record with a key to a partition that is named. */
    public void send(String topic, int partition, String key, byte[] value) {
        send(new ProducerRecord<>(topic, partition, key.getBytes(StandardCharsets.UTF_8), value));
    }

    /** Says that nothing stands under a key any more. */
    @SuppressWarnings("NullAway") // a record without a value is a tombstone
    public void sendTombstone(String topic, String key) {
        send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), null));
    }

    /**
     * How many partitions a topic has.
     *
     * @throws KafkaException if the broker does not answer
     */
    public int partitions(String topic) {
        return producer.partitionsFor(topic).size();
    }

    /** Sends a record without a key. */
    public void send(String topic, int partition, byte[] value) {
        send(new ProducerRecord<>(topic, partition, null, value));
    }

    private void send(ProducerRecord<byte[], byte[]> record) {
        var unused = producer.send(record, (metadata, failure) -> {
            if (failure != null) {
                lost.compareAndSet(null, failure);
            }
        });
    }

    /**
     * Returns when every record that was sent is kept.
     *
     * @throws KafkaException if one of them is lost, now or at an earlier call
     */
    public void flush() {
        producer.flush();
        Exception failure = lost.get();
        if (failure != null) {
            throw new KafkaException("a record was not kept: " + failure.getMessage(), failure);
        }
    }

    /** Whether a broker is connected; any thread may ask. */
    public boolean isConnected() {
        return KafkaConnection.isOpen(producer.metrics());
    }

    /** Closes at once; what is not kept yet is given up. */
    public void abandon() {
        producer.close(Duration.ZERO);
    }

    @Override
    public void close() {
        producer.close();
    }
}
