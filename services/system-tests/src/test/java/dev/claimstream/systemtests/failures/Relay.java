package dev.claimstream.systemtests.failures;

import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.systemtests.workload.Users;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Copies records from topics of one broker to the same topics of another broker. */
final class Relay implements AutoCloseable {
    /** Time to collect records, so that a transform can reorder them. */
    private static final Duration BATCH_INTERVAL = Duration.ofMillis(20);

    private static final int IDLE_ROUNDS_MIN = 25;

    private final KafkaConnection from;
    private final KafkaConnection to;
    private final List<String> topics;
    private final RecordTransform transform;
    private final Consumer<Throwable> onFailure;
    private final Thread thread;
    private final AtomicInteger idleRounds = new AtomicInteger();
    private volatile boolean isClosed;

    /** Transforms the records between reading and writing. */
    interface RecordTransform {
        /** Returns the records unchanged. */
        RecordTransform IDENTITY = new RecordTransform() {
            @Override
            public List<ConsumerRecord<byte[], byte[]>> transform(List<ConsumerRecord<byte[], byte[]>> heard) {
                return heard;
            }

            @Override
            public boolean isDone() {
                return true;
            }
        };

        /** Returns the records to write now. Called in every round, also with an empty list. */
        List<ConsumerRecord<byte[], byte[]>> transform(List<ConsumerRecord<byte[], byte[]>> heard);

        /** Returns whether no record is left for later rounds. */
        boolean isDone();
    }

    private Relay(
            KafkaConnection from,
            KafkaConnection to,
            List<String> topics,
            RecordTransform transform,
            Consumer<Throwable> onFailure) {
        this.from = from;
        this.to = to;
        this.topics = topics;
        this.transform = transform;
        this.onFailure = onFailure;
        thread = Thread.ofPlatform().name("relay").unstarted(this::run);
    }

    static Relay start(
            KafkaConnection from,
            KafkaConnection to,
            List<String> topics,
            RecordTransform transform,
            Consumer<Throwable> onFailure) {
        var relay = new Relay(from, to, topics, transform, onFailure);
        relay.thread.start();
        return relay;
    }

    private void run() {
        try (var reader = new KafkaConsumer<>(
                        ConsumerSettings.of(from, "relay").properties(),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer());
                var writer = new KafkaProducer<>(
                        ProducerSettings.of(to, "relay").properties(),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            List<TopicPartition> partitions = topics.stream()
                    .flatMap(topic -> reader.partitionsFor(topic).stream())
                    .map(each -> new TopicPartition(each.topic(), each.partition()))
                    .toList();
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            while (!isClosed) {
                copyBatch(reader, writer);
            }
        } catch (KafkaException e) {
            onFailure.accept(e);
        }
    }

    private void copyBatch(KafkaConsumer<byte[], byte[]> reader, KafkaProducer<byte[], byte[]> writer) {
        Users.pause(BATCH_INTERVAL);
        List<ConsumerRecord<byte[], byte[]>> read = new ArrayList<>();
        reader.poll(Duration.ZERO).forEach(read::add);
        List<ConsumerRecord<byte[], byte[]>> written = transform.transform(read);
        written.forEach(record -> {
            var unused = writer.send(
                    new ProducerRecord<>(record.topic(), record.partition(), record.key(), record.value()),
                    (_, failure) -> {
                        if (failure != null) {
                            onFailure.accept(failure);
                        }
                    });
        });
        writer.flush();
        if (read.isEmpty() && transform.isDone()) {
            idleRounds.incrementAndGet();
        } else {
            idleRounds.set(0);
        }
    }

    /** Returns whether all records are copied and none has arrived for a while. */
    boolean isIdle() {
        return idleRounds.get() > IDLE_ROUNDS_MIN;
    }

    @Override
    public void close() {
        isClosed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
