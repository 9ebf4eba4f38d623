package dev.claimstream.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.claimstream.kafka.broker.BrokerStartException.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedBrokerIT {
    private static final TopicPartition KEPT = new TopicPartition("kept", 0);

    @TempDir
    Path folder;

    @Test
    void dataAndClusterIdSurviveARestartOnOtherPorts() throws Exception {
        String id;
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            id = broker.clusterId();
            write(broker.bootstrap(), 100);
            assertThat(broker.fault()).isNotDone();
        }
        long start = System.nanoTime();
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            System.out.printf("restart on the same folder: %d ms%n", (System.nanoTime() - start) / 1_000_000);
            assertThat(broker.clusterId()).isEqualTo(id);
            assertThat(read(broker.bootstrap(), 100))
                    .isEqualTo(IntStream.range(0, 100).mapToObj(i -> "v" + i).toList());
        }
    }

    @Test
    void itListensWhereItIsTold() throws Exception {
        int port = freePort();
        try (var broker =
                EmbeddedBroker.start(BrokerSettings.in(folder).onPort(port).with("num.io.threads", "3"))) {
            assertThat(broker.bootstrap()).isEqualTo("127.0.0.1:" + port);
            write(broker.bootstrap(), 1);
        }
    }

    @Test
    void aPortInUseIsSaidInOneLine() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral(BrokerSettings.HOST))) {
            assertStartFails(BrokerSettings.in(folder).onPort(taken.getLocalPort()), Kind.PORT_IN_USE)
                    .contains(String.valueOf(taken.getLocalPort()));
        }
    }

    @Test
    void aFolderThatCannotBeMadeIsSaidInOneLine() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertStartFails(BrokerSettings.in(file.resolve("data")), Kind.FOLDER_UNUSABLE)
                .contains(file.toString());
    }

    @Test
    void aFolderThatKafkaWouldTakeForTwoIsRefused() {
        assertStartFails(BrokerSettings.in(folder.resolve("a,b")), Kind.FOLDER_UNUSABLE)
                .contains("comma");
    }

    @Test
    void aFolderOfSomethingElseIsLeftAlone() throws IOException {
        Files.writeString(folder.resolve("thesis.txt"), "");
        assertStartFails(BrokerSettings.in(folder), Kind.FOLDER_FOREIGN).contains("thesis.txt");
        assertThat(folder).isDirectoryContaining(path -> path.endsWith("thesis.txt"));
    }

    @Test
    void aFolderOfANewerKafkaIsRefused() throws IOException {
        EmbeddedBroker.start(BrokerSettings.in(folder)).close();
        Files.writeString(folder.resolve("claimstream-broker.properties"), "kafka.version=99.1.0\n");
        assertStartFails(BrokerSettings.in(folder), Kind.FOLDER_FOREIGN).contains("99.1.0");
    }

    @Test
    void aFolderOfAnotherFormatIsRefused() throws IOException {
        EmbeddedBroker.start(BrokerSettings.in(folder)).close();
        Path meta = folder.resolve("meta.properties");
        Files.writeString(meta, Files.readString(meta).replace("version=1", "version=7"));
        assertStartFails(BrokerSettings.in(folder), Kind.FOLDER_FOREIGN).contains("meta.properties");
    }

    @Test
    void twoBrokersDoNotShareAFolder() throws Exception {
        try (var first = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            assertStartFails(BrokerSettings.in(folder), Kind.FOLDER_IN_USE);
            write(first.bootstrap(), 1);
            assertThat(first.fault()).isNotDone();
        }
    }

    private static AbstractStringAssert<?> assertStartFails(BrokerSettings settings, Kind kind) {
        var thrown = catchThrowableOfType(BrokerStartException.class, () -> EmbeddedBroker.start(settings));
        assertThat(thrown.kind()).isEqualTo(kind);
        assertThat(thrown.getMessage()).doesNotContain("\n").contains(". ");
        return assertThat(thrown.getMessage());
    }

    private static void write(String bootstrap, int count) throws Exception {
        Map<String, Object> connection = Map.of("bootstrap.servers", bootstrap);
        try (var admin = Admin.create(connection);
                var producer = new KafkaProducer<>(connection, new StringSerializer(), new StringSerializer())) {
            admin.createTopics(List.of(new NewTopic(KEPT.topic(), Optional.of(1), Optional.empty())))
                    .all()
                    .get();
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>(KEPT.topic(), "v" + i)).get();
            }
        }
    }

    private static List<String> read(String bootstrap, int count) {
        Map<String, Object> connection = Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest");
        try (var consumer = new KafkaConsumer<>(connection, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(KEPT));
            var values = new ArrayList<String>();
            while (values.size() < count) {
                consumer.poll(Duration.ofSeconds(1)).records(KEPT).stream()
                        .map(ConsumerRecord::value)
                        .forEach(values::add);
            }
            return values;
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.ofLiteral(BrokerSettings.HOST))) {
            return socket.getLocalPort();
        }
    }
}
