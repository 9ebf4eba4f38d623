package dev.claimstream.kafka.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.claimstream.kafka.broker.BrokerStartException.StartFailureKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
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
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The embedded broker on new, used, foreign and damaged data folders, and its open transactions. */
class EmbeddedBrokerIT {
    private static final TopicPartition PARTITION = new TopicPartition("kept", 0);
    private static final Duration READABLE_WITHIN = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @Test
    void keepsDataClusterIdAndControllerPortOverRestart() throws Exception {
        BrokerSettings.ControllerEndpoint controller;
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            controller = broker.controllerEndpoint();
            write(broker.bootstrap(), 100);
            assertThat(broker.fault()).isNotDone();
        }
        long start = System.nanoTime();
        try (var broker =
                EmbeddedBroker.start(BrokerSettings.in(folder).withControllerPort(controller.controllerPort()))) {
            System.out.printf("restart on the same folder: %d ms%n", (System.nanoTime() - start) / 1_000_000);
            assertThat(broker.controllerEndpoint()).isEqualTo(controller);
            assertThat(read(broker.bootstrap(), 100))
                    .isEqualTo(IntStream.range(0, 100).mapToObj(i -> "v" + i).toList());
        }
    }

    @Test
    void runsNoTimersOfMeters() throws Exception {
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            write(broker.bootstrap(), 1);
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .anyMatch(name -> name.contains("kafka"))
                    .noneMatch(name -> name.contains("meter-tick"));
        }
    }

    @Test
    void listensOnConfiguredPort() throws Exception {
        int port = freePort();
        try (var broker =
                EmbeddedBroker.start(BrokerSettings.in(folder).onPort(port).with("num.io.threads", "3"))) {
            assertThat(broker.bootstrap()).isEqualTo("127.0.0.1:" + port);
            write(broker.bootstrap(), 1);
        }
    }

    @Test
    void reportsPortInUseInOneLine() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.ofLiteral(BrokerSettings.HOST))) {
            assertStartFails(BrokerSettings.in(folder).onPort(taken.getLocalPort()), StartFailureKind.PORT_IN_USE)
                    .contains(String.valueOf(taken.getLocalPort()));
        }
    }

    @Test
    void reportsFolderThatCannotBeCreated() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertStartFails(BrokerSettings.in(file.resolve("data")), StartFailureKind.FOLDER_UNUSABLE)
                .contains(file.toString());
    }

    @Test
    void rejectsFolderNameWithComma() {
        assertStartFails(BrokerSettings.in(folder.resolve("a,b")), StartFailureKind.FOLDER_UNUSABLE)
                .contains("comma");
    }

    @Test
    void leavesForeignFolderUnchanged() throws IOException {
        Files.writeString(folder.resolve("thesis.txt"), "");
        assertStartFails(BrokerSettings.in(folder), StartFailureKind.FOLDER_FOREIGN)
                .contains("thesis.txt");
        assertThat(folder).isDirectoryContaining(path -> path.endsWith("thesis.txt"));
    }

    @Test
    void formatsFolderWhoseFormattingWasInterrupted() throws IOException {
        Files.createFile(folder.resolve("claimstream-broker.lock"));
        Files.writeString(folder.resolve("bootstrap.checkpoint"), "half");
        Files.writeString(folder.resolve("meta.properties.tmp"), "");
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            assertThat(broker.clusterId()).isNotEmpty();
        }
    }

    @Test
    void keepsDataOfFolderWithoutItsProperties() throws IOException {
        Files.createFile(folder.resolve("claimstream-broker.lock"));
        Path checkpoint = Files.writeString(folder.resolve("bootstrap.checkpoint"), "whole");
        Files.createDirectory(folder.resolve("claims.v1-0"));
        assertStartFails(BrokerSettings.in(folder), StartFailureKind.FOLDER_FOREIGN)
                .contains("it is not empty and does not belong to a broker");
        assertThat(checkpoint).hasContent("whole");
    }

    @Test
    void rejectsFolderOfNewerKafka() throws IOException {
        EmbeddedBroker.start(BrokerSettings.in(folder)).close();
        Files.writeString(folder.resolve("claimstream-broker.properties"), "kafka.version=99.1.0\n");
        assertStartFails(BrokerSettings.in(folder), StartFailureKind.FOLDER_FOREIGN)
                .contains("99.1.0");
    }

    @Test
    void rejectsFolderOfOtherFormat() throws IOException {
        EmbeddedBroker.start(BrokerSettings.in(folder)).close();
        Path meta = folder.resolve("meta.properties");
        Files.writeString(meta, Files.readString(meta).replace("version=1", "version=7"));
        assertStartFails(BrokerSettings.in(folder), StartFailureKind.FOLDER_FOREIGN)
                .contains("meta.properties");
    }

    @Test
    void rejectsFolderInUse() throws Exception {
        try (var first = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            assertStartFails(BrokerSettings.in(folder), StartFailureKind.FOLDER_IN_USE);
            write(first.bootstrap(), 1);
            assertThat(first.fault()).isNotDone();
        }
    }

    @ParameterizedTest(name = "committed before: {0}")
    @ValueSource(booleans = {true, false})
    void endsOpenTransactionByLastKnownState(boolean commits) throws Exception {
        var trusting = BrokerSettings.in(folder).with("transaction.partition.verification.enable", "false");
        try (var broker = EmbeddedBroker.start(trusting)) {
            write(broker.bootstrap(), 1);
            leaveTransactionOpen(broker.bootstrap(), commits);
        }
        Files.delete(folder.resolve(".kafka_cleanshutdown"));
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder))) {
            write(broker.bootstrap(), 1);
            assertThat(read(broker.bootstrap(), commits ? 4 : 2))
                    .isEqualTo(commits ? List.of("v0", "sure", "open", "v0") : List.of("v0", "v0"));
        }
    }

    /**
     * Leaves an open transaction that the coordinator does not know. Its last known state is a commit, or no
     * transaction.
     */
    private static void leaveTransactionOpen(String bootstrap, boolean isCommittedBefore) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "transactional.id", "killed");
        try (var producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
                var admin = Admin.create(settings)) {
            producer.initTransactions();
            if (isCommittedBefore) {
                producer.beginTransaction();
                producer.send(new ProducerRecord<>(PARTITION.topic(), "sure")).get();
                producer.commitTransaction();
            }
            TransactionDescription known = describeTransaction(admin);
            while (known.state()
                    == TransactionState.PREPARE_COMMIT) { // a transaction begins only after the last one has ended
                known = describeTransaction(admin);
            }
            BrokerRequest.send(bootstrap, transactionalRequest(known.producerId(), (short) known.producerEpoch()));
            assertThat(admin.describeProducers(List.of(PARTITION))
                            .partitionResult(PARTITION)
                            .get()
                            .activeProducers())
                    .anyMatch(each -> each.currentTransactionStartOffset().isPresent());
        }
    }

    private static TransactionDescription describeTransaction(Admin admin) throws Exception {
        return admin.describeTransactions(List.of("killed"))
                .description("killed")
                .get();
    }

    /** A produce request as an older client sends it, which registers the partition with the coordinator itself. */
    private static ProduceRequest transactionalRequest(long producerId, short epoch) {
        var records = MemoryRecords.withTransactionalRecords(
                Compression.NONE, producerId, epoch, 0, new SimpleRecord("open".getBytes(StandardCharsets.UTF_8)));
        var topic = new ProduceRequestData.TopicProduceData()
                .setName(PARTITION.topic())
                .setPartitionData(List.of(new ProduceRequestData.PartitionProduceData()
                        .setIndex(PARTITION.partition())
                        .setRecords(records)));
        var topics = new ProduceRequestData.TopicProduceDataCollection();
        topics.add(topic);
        var data = new ProduceRequestData()
                .setTransactionalId("killed")
                .setAcks((short) -1)
                .setTimeoutMs(10_000)
                .setTopicData(topics);
        return ProduceRequest.builder(data, true).build((short) 11);
    }

    private static AbstractStringAssert<?> assertStartFails(BrokerSettings settings, StartFailureKind kind) {
        var thrown = catchThrowableOfType(BrokerStartException.class, () -> EmbeddedBroker.start(settings));
        assertThat(thrown.kind()).isEqualTo(kind);
        assertThat(thrown.getMessage()).doesNotContain("\n").contains(". ");
        return assertThat(thrown.getMessage());
    }

    private static void write(String bootstrap, int count) throws Exception {
        Map<String, Object> connection = Map.of("bootstrap.servers", bootstrap);
        try (var admin = Admin.create(connection);
                var producer = new KafkaProducer<>(connection, new StringSerializer(), new StringSerializer())) {
            if (!admin.listTopics().names().get().contains(PARTITION.topic())) {
                admin.createTopics(List.of(new NewTopic(PARTITION.topic(), Optional.of(1), Optional.empty())))
                        .all()
                        .get();
            }
            for (int i = 0; i < count; i++) {
                producer.send(new ProducerRecord<>(PARTITION.topic(), "v" + i)).get();
            }
        }
    }

    private static List<String> read(String bootstrap, int count) {
        Map<String, Object> connection = Map.of(
                "bootstrap.servers", bootstrap, "auto.offset.reset", "earliest", "isolation.level", "read_committed");
        try (var consumer = new KafkaConsumer<>(connection, new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(PARTITION));
            var values = new ArrayList<String>();
            long limit = System.nanoTime() + READABLE_WITHIN.toNanos();
            while (values.size() < count && System.nanoTime() < limit) {
                consumer.poll(Duration.ofSeconds(1)).records(PARTITION).stream()
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
