package dev.claimstream.kafka.broker;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A program with a broker.
 *
 * <p>{@code fill FOLDER} writes until the broker fails, {@code count FOLDER} prints the number of records.
 */
final class FullDiskProgram {
    private static final TopicPartition PARTITION = new TopicPartition("filled", 0);
    private static final int VALUE_BYTES = 100_000;
    private static final int VALUES_MAX = 5_000;

    private FullDiskProgram() {}

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        switch (args[0]) {
            case "fill" -> fill(folder);
            case "count" -> count(folder);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void fill(Path folder) throws Exception {
        var broker = EmbeddedBroker.start(BrokerSettings.in(folder));
        System.out.println("acknowledged=" + countAcknowledged(broker.bootstrap()));
        BrokerFault fault = broker.fault().get(30, TimeUnit.SECONDS);
        System.out.println("kind=" + fault.kind());
        System.out.println("said=" + fault);
        long start = System.nanoTime();
        broker.close();
        System.out.println("close-ms=" + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        System.out.println("alive=yes");
    }

    private static void count(Path folder) throws Exception {
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder));
                var admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            long end = admin.listOffsets(Map.of(PARTITION, OffsetSpec.latest()))
                    .partitionResult(PARTITION)
                    .get()
                    .offset();
            System.out.println("kept=" + end);
        }
    }

    private static int countAcknowledged(String bootstrap) throws InterruptedException, ExecutionException {
        Map<String, Object> connection = Map.of(
                "bootstrap.servers",
                bootstrap,
                "delivery.timeout.ms",
                3000,
                "request.timeout.ms",
                1000,
                "linger.ms",
                0);
        try (var admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.createTopics(List.of(new NewTopic(PARTITION.topic(), Optional.of(1), Optional.empty())))
                    .all()
                    .get();
        }
        int count = 0;
        try (var producer = new KafkaProducer<>(connection, new ByteArraySerializer(), new ByteArraySerializer())) {
            while (count < VALUES_MAX) {
                producer.send(new ProducerRecord<>(PARTITION.topic(), new byte[VALUE_BYTES]))
                        .get();
                count++;
            }
        } catch (ExecutionException e) {
            System.out.println("producer=" + e.getCause());
        }
        return count;
    }
}
