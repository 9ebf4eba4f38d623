package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.BadRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.schemas.StaleMarker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Claimstream needs of a broker: topics, the schema registry, transactions and a stream. Every kind of broker in use passes the same
 * tests.
 */
abstract class BrokerContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @TempDir
    static Path folder;

    @SuppressWarnings("NullAway.Init") // the subclass connects before any test
    private static KafkaConnection connection;

    @SuppressWarnings("NullAway.Init") // the subclass connects before any test
    private static Admin admin;

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final AvroSerde<InventoryRecord> inventory = AvroSerde.of(InventoryRecord.class, registry);
    private final AvroSerde<OutcomeRecord> outcomes = AvroSerde.of(OutcomeRecord.class, registry);
    private final AvroSerde<BadRecord> bads = AvroSerde.of(BadRecord.class, registry);

    /** Connects the tests to a running broker. */
    static void connect(String bootstrap) {
        connection = KafkaConnection.plain(bootstrap);
        admin = Admin.create(connection.properties());
    }

    static void disconnect() {
        admin.close();
    }

    @Test
    void createsMissingTopicsOnceAndChecksOthers() {
        var setup = new TopicSetup(admin, TIMEOUT);
        Topics few = select(Topics.PLACEMENT, Topics.LEDGER);
        assertThat(setup.createMissing(few)).containsExactly(Topics.LEDGER, Topics.PLACEMENT);
        assertThat(setup.createMissing(few)).isEmpty();
        assertThatThrownBy(() -> setup.createMissing(few.withPartitions(Map.of(Topics.LEDGER, 3))))
                .isInstanceOf(TopicsException.class)
                .hasMessageStartingWith("topic ledger.v1 has 1 partitions, not 3: ");
        assertThatThrownBy(() -> setup.createMissing(topicConfiguredLike(Topics.LEDGER, Topics.PLACEMENT)))
                .isInstanceOf(TopicsException.class)
                .hasMessageContaining("topic ledger.v1 has cleanup.policy delete, not compact");
    }

    @Test
    void reportsUnreachableCluster() {
        var nowhere = KafkaConnection.plain("127.0.0.1:9").properties();
        nowhere.put("default.api.timeout.ms", "1000");
        nowhere.put("request.timeout.ms", "500");
        try (var lost = Admin.create(nowhere)) {
            assertThatThrownBy(() -> new TopicSetup(lost, Duration.ofSeconds(3)).createMissing(select(Topics.LEDGER)))
                    .isInstanceOf(TopicsException.class)
                    .hasMessageContaining("Check that Kafka is up");
        }
        assertThatThrownBy(() -> TopicSetup.createMissing(
                        KafkaConnection.plain("127.0.0.1:9"), select(Topics.LEDGER), Duration.ofSeconds(1)))
                .isInstanceOf(TopicsException.class)
                .hasMessageStartingWith("127.0.0.1:9: ")
                .hasMessageContaining("Check that Kafka is up");
    }

    @Test
    void probesEachBroker() {
        var both = KafkaConnection.plain("127.0.0.1:9, " + connection.bootstrap());
        assertThat(BrokerReachability.probe(both, Duration.ofSeconds(2)))
                .isEqualTo(new BrokerReachability(
                        new TreeSet<>(List.of(connection.bootstrap())), new TreeSet<>(List.of("127.0.0.1:9"))));
        assertThat(BrokerReachability.probe(KafkaConnection.plain("host.invalid:9092"), Duration.ofSeconds(2))
                        .unreachable())
                .containsExactly("host.invalid:9092");
    }

    @Test
    void createdTopicsHaveConfigurationOfContract() throws Exception {
        Topics few = select(Topics.CLAIMS, Topics.DECISIONS);
        var unused = new TopicSetup(admin, TIMEOUT).createMissing(few);
        for (Topic topic : few.all()) {
            var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic.name());
            Config config = describe(resource);
            assertThat(topic.config())
                    .isNotEmpty()
                    .allSatisfy((name, value) -> assertThat(
                                    Objects.requireNonNull(config.get(name)).value())
                            .isEqualTo(value));
        }
    }

    /** Returns the configuration of a new topic, which brokers know a moment after its creation. */
    private static Config describe(ConfigResource resource) throws Exception {
        Instant end = Instant.now().plus(TIMEOUT);
        while (true) {
            try {
                return Objects.requireNonNull(
                        admin.describeConfigs(List.of(resource)).all().get().get(resource));
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
                        || Instant.now().isAfter(end)) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    @Test
    void registryRestoresIdsFromTopic() {
        var unused = new TopicSetup(admin, TIMEOUT).createMissing(select(Topics.SCHEMAS));
        Schema narrow =
                SchemaBuilder.record("Pet").fields().requiredString("name").endRecord();
        Schema wide = SchemaBuilder.record("Pet")
                .fields()
                .requiredString("name")
                .optionalInt("age")
                .endRecord();
        int first;
        try (var opened = EmbeddedRegistry.open(connection)) {
            first = opened.register("pet-value", narrow);
            assertThat(opened.register("pet-value", wide)).isEqualTo(first + 1);
        }
        try (var opened = EmbeddedRegistry.open(connection)) {
            assertThat(opened.byId(first + 1)).isEqualTo(wide);
            assertThat(opened.register("pet-value", narrow)).isEqualTo(first);
        }
    }

    @Test
    void readersDoNotSeeAbortedRecords() throws Exception {
        Topic topic = Topics.shipped().get(Topics.EXPLANATIONS);
        var unused = new TopicSetup(admin, TIMEOUT).createMissing(select(Topics.EXPLANATIONS));
        try (var producer = transactional("writer-0")) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic.name(), key("aborted"), new byte[] {0}))
                    .get();
            producer.abortTransaction();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic.name(), key("committed"), new byte[] {1}))
                    .get();
            producer.commitTransaction();
        }
        assertThat(read(topic, 1)).extracting(ConsumerRecord::key).containsExactly(key("committed"));
    }

    @Test
    void secondProducerOfInstanceFencesFirst() throws Exception {
        var unused = new TopicSetup(admin, TIMEOUT).createMissing(select(Topics.CLAIMS));
        try (var first = transactional("fenced-0");
                var second = transactional("fenced-0")) {
            first.initTransactions();
            first.beginTransaction();
            first.send(new ProducerRecord<>(Topics.CLAIMS, key("fenced"), new byte[] {0}))
                    .get();
            second.initTransactions();
            assertThatThrownBy(first::commitTransaction).isInstanceOf(ProducerFencedException.class);
            second.beginTransaction();
            second.send(new ProducerRecord<>(Topics.CLAIMS, key("fenced"), new byte[] {1}))
                    .get();
            second.commitTransaction();
        }
    }

    private static String key(String claim) {
        return RecordKey.of("ResourceClaim", "team", claim).text();
    }

    private static KafkaProducer<String, byte[]> transactional(String id) {
        return new KafkaProducer<>(
                ProducerSettings.of(connection, id).transactional(id).properties(),
                new StringSerializer(),
                new ByteArraySerializer());
    }

    @Test
    void streamForwardsGoodRecordsAndStoresBadOnes() throws Exception {
        Topics topics = select(Topics.INVENTORY, Topics.OUTCOMES, Topics.BAD_RECORDS)
                .withPartitions(Map.of(Topics.OUTCOMES, 3));
        var unused = new TopicSetup(admin, TIMEOUT).createMissing(topics);
        byte[] good = inventory.write(Topics.INVENTORY, stale("Node"));
        send(Topics.INVENTORY, good, "{}".getBytes(StandardCharsets.UTF_8), Arrays.copyOf(good, 9), good);

        try (var streams =
                new KafkaStreams(topology(), withEarliestReset(settings("first").properties()))) {
            long start = System.nanoTime();
            awaitRunning(streams);
            System.out.printf("stream running: %d ms%n", (System.nanoTime() - start) / 1_000_000);
            List<ConsumerRecord<String, byte[]>> seen = read(topics.get(Topics.OUTCOMES), 2);
            System.out.printf("two outcomes read: %d ms%n", (System.nanoTime() - start) / 1_000_000);
            assertThat(seen).allSatisfy(each -> {
                assertThat(outcomes.read(Topics.OUTCOMES, each.value())).isInstanceOf(DecodeResult.Value.class);
                assertThat(each.partition())
                        .isEqualTo(topics.get(Topics.OUTCOMES).partitionOf(each.key(), 3));
            });
            List<ConsumerRecord<String, byte[]>> kept = read(topics.get(Topics.BAD_RECORDS), 2);
            assertThat(kept).extracting(ConsumerRecord::key).containsOnly(Topics.INVENTORY);
            assertThat(kept)
                    .extracting(each ->
                            ((BadRecord) ((DecodeResult.Value<?>) bads.read(Topics.BAD_RECORDS, each.value())).value()))
                    .extracting(BadRecord::getOffset, BadRecord::getReason)
                    .containsExactly(Tuple.tuple(1L, "NoMagicByte"), Tuple.tuple(2L, "Truncated"));
        }
        // the same instance restarts before its session timeout ends
        long start = System.nanoTime();
        try (var again = new KafkaStreams(topology(), settings("first").properties())) {
            awaitRunning(again);
            System.out.printf("stream running again: %d ms%n", (System.nanoTime() - start) / 1_000_000);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
        }
        try (var lost = new KafkaStreams(topology(), settings("lost").properties())) {
            assertThat(awaitState(lost, KafkaStreams.State.ERROR)).isTrue();
        }
    }

    private Topology topology() {
        var topology = new Topology();
        topology.addSource("inventory", new ByteArrayDeserializer(), new ByteArrayDeserializer(), Topics.INVENTORY);
        topology.addProcessor("count", () -> new CountingProcessor(inventory), "inventory");
        topology.addStateStore(
                Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("counts"), Serdes.String(), Serdes.Long()),
                "count");
        topology.addSink(
                "outcomes",
                Topics.OUTCOMES,
                new StringSerializer(),
                outcomes.serializer(),
                KeyPartitioner.forStreams(),
                "count");
        topology.addSink("bad", Topics.BAD_RECORDS, new StringSerializer(), bads.serializer(), "count");
        return topology;
    }

    private static final class CountingProcessor implements Processor<byte[], byte[], String, SpecificRecord> {
        private final AvroSerde<InventoryRecord> serde;
        private ProcessorContext<String, SpecificRecord> context;
        private StreamReader<InventoryRecord> reader;
        private KeyValueStore<String, Long> counts;

        @SuppressWarnings("NullAway.Init") // Kafka calls init first
        CountingProcessor(AvroSerde<InventoryRecord> serde) {
            this.serde = serde;
        }

        @Override
        public void init(ProcessorContext<String, SpecificRecord> processorContext) {
            context = processorContext;
            reader = new StreamReader<>(serde, processorContext, "bad");
            counts = processorContext.getStateStore("counts");
        }

        @Override
        public void process(Record<byte[], byte[]> record) {
            reader.read(record).ifPresent(decoded -> {
                Long before = counts.get("all");
                long number = (before == null ? 0 : before) + 1;
                counts.put("all", number);
                var outcome = new OutcomeRecord("uid-" + number, number, "committed", "", 0L, Instant.EPOCH, "");
                context.forward(new Record<>("uid-" + number, outcome, record.timestamp()), "outcomes");
            });
        }
    }

    private static StreamSettings settings(String name) {
        return StreamSettings.of(
                connection, "test-" + name, name + "-0", folder.resolve("state-" + name), Duration.ofMillis(5));
    }

    /** The test has no committed offsets at its first start. */
    private static Properties withEarliestReset(Properties settings) {
        settings.put("main.consumer.auto.offset.reset", "earliest");
        return settings;
    }

    private static void awaitRunning(KafkaStreams streams) throws InterruptedException {
        assertThat(awaitState(streams, KafkaStreams.State.RUNNING)).isTrue();
    }

    private static boolean awaitState(KafkaStreams streams, KafkaStreams.State expected) throws InterruptedException {
        var reached = new CountDownLatch(1);
        streams.setStateListener((now, before) -> {
            if (now == expected) {
                reached.countDown();
            }
        });
        streams.start();
        return reached.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private static void send(String topic, byte[]... values) throws Exception {
        try (var producer = new KafkaProducer<>(
                ProducerSettings.of(connection, "test").properties(),
                new StringSerializer(),
                new ByteArraySerializer())) {
            for (byte[] value : values) {
                producer.send(new ProducerRecord<>(
                                topic, RecordKey.of("Stale", "w", "Node").text(), value))
                        .get();
            }
        }
    }

    private static List<ConsumerRecord<String, byte[]>> read(Topic topic, int count) {
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(connection, "test").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> all = IntStream.range(0, topic.partitions())
                    .mapToObj(i -> new TopicPartition(topic.name(), i))
                    .toList();
            consumer.assign(all);
            consumer.seekToBeginning(all);
            var seen = new ArrayList<ConsumerRecord<String, byte[]>>();
            Instant end = Instant.now().plus(TIMEOUT);
            while (seen.size() < count && Instant.now().isBefore(end)) {
                consumer.poll(Duration.ofMillis(100)).forEach(seen::add);
            }
            assertThat(seen).hasSize(count);
            return seen;
        }
    }

    private static InventoryRecord stale(String kind) {
        return InventoryRecord.newBuilder()
                .setSource("w")
                .setEpoch(1)
                .setVersion(1)
                .setUid("")
                .setStale(new StaleMarker(kind))
                .build();
    }

    /** The topic {@code name} with the configuration of another topic. */
    private static Topics topicConfiguredLike(String name, String like) {
        Topic other = Topics.shipped().get(like);
        var changed = other.toBuilder().name(name).build();
        return new Topics(new TreeMap<>(Map.of(name, changed)));
    }

    private static Topics select(String... names) {
        var some = new TreeMap<String, Topic>();
        for (String name : names) {
            some.put(name, Topics.shipped().get(name));
        }
        return new Topics(some);
    }
}
