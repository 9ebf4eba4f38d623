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

/**
 * Sends records asynchronously in batches; {@link #flush} reports whether the broker has acknowledged all of them. Safe for many threads.
 */
public final class Sender implements AutoCloseable {
    /** Maximum delay in milliseconds without a flush. A flush sends at once. */
    private static final String LINGER_MS = "5";

    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable SendFailure> sendFailure = new AtomicReference<>();

    public Sender(ProducerSettings settings) {
        this(settings.properties());
    }

    Sender(Properties properties) {
        properties.put("linger.ms", LINGER_MS);
        producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Sends a record to the partition of its key. */
    public void send(String topic, String key, byte[] value) {
        send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), value));
    }

    /** Sends a record with a key to the given partition. */
    public void send(String topic, int partition, String key, byte[] value) {
        send(new ProducerRecord<>(topic, partition, key.getBytes(StandardCharsets.UTF_8), value));
    }

    /** Sends a tombstone to the partition of its key. */
    @SuppressWarnings("NullAway") // a record without a value is a tombstone
    public void sendTombstone(String topic, String key) {
        send(new ProducerRecord<>(topic, key.getBytes(StandardCharsets.UTF_8), null));
    }

    /**
     * The number of partitions of a topic.
     *
     * @throws KafkaException if the broker does not respond
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
                sendFailure.compareAndSet(null, SendFailure.of(record, failure));
            }
        });
    }

    /**
     * Waits until the broker has acknowledged all records.
     *
     * @throws KafkaException if a record was lost, since the last call or earlier; the message names its topic and size
     */
    public void flush() {
        producer.flush();
        SendFailure failure = sendFailure.get();
        if (failure != null) {
            throw new KafkaException(failure.text(), failure.cause());
        }
    }

    /** Whether a broker is connected. Safe for any thread. */
    public boolean isConnected() {
        return KafkaConnection.isOpen(producer.metrics());
    }

    /** Closes at once; records without acknowledgement may be lost. */
    public void abandon() {
        producer.close(Duration.ZERO);
    }

    @Override
    public void close() {
        producer.close();
    }
}
