package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.load.GpuClaims;
import dev.claimstream.load.GpuFleet;
import dev.claimstream.observability.Meters;
import dev.claimstream.schemas.StateHeaderRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.PublicRecord;
import io.micronaut.context.ApplicationContext;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** Broker, registry and allocator in this JVM, configured like {@code claimstream up}, and a source of observations. */
public final class EmbeddedSystem implements AutoCloseable {
    static final String SOURCE = "load";

    private static final String ROWS = "cell-rows";
    private static final TopicPartition CHANGELOG =
            new TopicPartition("claimstream-allocator-" + ROWS + "-changelog", 0);
    private static final String NOTE = "header";
    private static final long NEAR_THE_END = 10_000;
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int OTHER_FORMAT = 99;
    private static final String OTHER = "another";

    private static final Duration ADMIN_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Path folder;
    private final List<EmbeddedBroker> brokers;
    private final EmbeddedRegistry registry;

    /** Starts at the clock, so that a later process on the same folder continues with larger values. */
    private final AtomicLong version = new AtomicLong(micros());

    private EmbeddedSystem(Path folder, List<EmbeddedBroker> brokers, EmbeddedRegistry registry) {
        this.folder = folder;
        this.brokers = List.copyOf(brokers);
        this.registry = registry;
    }

    /** The start mode of the allocator. */
    public enum StartMode {
        /** Resume from the state in the folder. */
        RESUME,
        /** Resume, with a snapshot in the ledger after every input. */
        SNAPSHOTS,
        /** Rebuild the cells' state from the public topics and the decisions. */
        REBUILD
    }

    /** Starts brokers, of which each has every partition, a registry, and topics for the cells. */
    public static EmbeddedSystem start(Path folder, int cells, int brokers) {
        var all = brokers(folder, brokers);
        var kafka = connection(all);
        try (var admin = Admin.create(kafka.properties())) {
            var unused = new TopicSetup(admin, ADMIN_TIMEOUT)
                    .createMissing(Topics.shipped().forCells(cells));
        }
        return new EmbeddedSystem(folder, all, EmbeddedRegistry.open(kafka));
    }

    private static List<EmbeddedBroker> brokers(Path folder, int count) {
        var first =
                EmbeddedBroker.start(BrokerSettings.in(folder.resolve("kafka")).replicated(count));
        List<EmbeddedBroker> all = new ArrayList<>(List.of(first));
        for (int number = 2; number <= count; number++) {
            all.add(EmbeddedBroker.start(BrokerSettings.in(folder.resolve("kafka-" + number))
                    .replicated(count)
                    .joining(first.controllerEndpoint(), number)));
        }
        return all;
    }

    private static KafkaConnection connection(List<EmbeddedBroker> brokers) {
        return KafkaConnection.plain(
                brokers.stream().map(EmbeddedBroker::bootstrap).collect(Collectors.joining(",")));
    }

    /** Returns the clock in microseconds. */
    static long micros() {
        return System.currentTimeMillis() * 1000;
    }

    KafkaConnection kafka() {
        return connection(brokers);
    }

    SchemaRegistry registry() {
        return registry;
    }

    /** Returns a stamp later than all before. */
    Stamp stamp() {
        return new Stamp(SOURCE, 1, version.incrementAndGet());
    }

    /** Starts an allocator and waits until it accepts inputs. */
    public RunningAllocators allocator(StartMode start) {
        return allocators(start, 1, 1);
    }

    /** Starts several allocators with several threads each, and waits until all accept inputs. */
    public RunningAllocators allocators(StartMode start, int instances, int threads) {
        List<ApplicationContext> contexts = new ArrayList<>();
        for (int number = 0; number < instances; number++) {
            contexts.add(context(start, "allocator-" + number, threads));
        }
        var running = new RunningAllocators(contexts);
        await("the start of the allocator", running::isRunning);
        return running;
    }

    private ApplicationContext context(StartMode start, String instance, int threads) {
        Map<String, Object> properties = new TreeMap<>();
        properties.put("claimstream.allocator.rebuild", start == StartMode.REBUILD);
        if (start == StartMode.SNAPSHOTS) {
            properties.put("claimstream.allocator.snapshot-every", 1);
        }
        properties.put("claimstream.allocator.instance", instance);
        properties.put("claimstream.allocator.threads", threads);
        properties.put(
                "claimstream.allocator.state-folder",
                folder.resolve("state").resolve(instance).toString());
        for (Kind kind : new Kind[] {Kind.RESOURCE_SLICE, Kind.RESOURCE_CLAIM}) {
            properties.put("claimstream.allocator.sources." + kind.apiName(), SOURCE);
        }
        var selectors = new CelSelectors();
        return ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .deduceCloudEnvironment(false)
                .properties(properties)
                .singletons(kafka(), registry, selectors)
                .start();
    }

    /**
     * Writes the state header with an unknown format into the first cell's changelog. The next allocator rebuilds the
     * state.
     */
    public void changeFormat() {
        StateRow row = stateHeader();
        StateHeaderRecord note = row.getHeader().orElseThrow();
        write(StateRow.newBuilder(row)
                .setHeader(StateHeaderRecord.newBuilder(note)
                        .setFormat(OTHER_FORMAT)
                        .build())
                .build());
    }

    /** Writes a state header of another release, with the known format, into the first cell's changelog. */
    public void changeEngine() {
        StateRow row = stateHeader();
        StateHeaderRecord note = row.getHeader().orElseThrow();
        write(StateRow.newBuilder(row)
                .setHeader(new StateHeaderRecord(
                        note.getFormat(), OTHER, note.getInputTopicId(), note.getLastIgnoredOffset()))
                .build());
    }

    private void write(StateRow note) {
        try (var producer = new KafkaProducer<>(
                ProducerSettings.of(kafka(), "load-note").properties(),
                new StringSerializer(),
                new ByteArraySerializer())) {
            byte[] value = rows().write(ROWS, note);
            var unused = producer.send(new ProducerRecord<>(CHANGELOG.topic(), CHANGELOG.partition(), NOTE, value));
            producer.flush();
        }
    }

    private RecordSerde<StateRow> rows() {
        return AvroSerde.of(StateRow.class, registry);
    }

    /** Reads the last state header, which is near the end of the changelog. */
    private StateRow stateHeader() {
        Optional<byte[]> last = Optional.empty();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka(), "load-note").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.assign(List.of(CHANGELOG));
            long end = Objects.requireNonNull(
                    consumer.endOffsets(List.of(CHANGELOG)).get(CHANGELOG));
            consumer.seek(CHANGELOG, Math.max(0, end - NEAR_THE_END));
            while (consumer.position(CHANGELOG) < end) {
                for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
                    last = NOTE.equals(record.key()) ? Optional.of(record.value()) : last;
                }
            }
        }
        return last.map(value -> rows().read(ROWS, value))
                .flatMap(read -> read instanceof DecodeResult.Value<StateRow>(StateRow row)
                        ? Optional.of(row)
                        : Optional.empty())
                .orElseThrow(() -> new IllegalStateException("the changelog has no note near its end"));
    }

    /** Publishes a fleet. */
    public void publish(GpuFleet fleet) {
        try (var topics = new PublicTopicProducer(kafka(), registry, "load-fleet")) {
            GpuClaims.classes().values().forEach(each -> send(topics, each));
            for (int node = 0; node < fleet.nodes(); node++) {
                send(topics, fleet.node(node));
                fleet.slices(node).forEach(each -> send(topics, each));
            }
            sendToAll(topics, PublicRecord.syncMarker(stamp(), Kind.RESOURCE_SLICE, fleet.nodes()));
            sendToAll(topics, PublicRecord.syncMarker(stamp(), Kind.RESOURCE_CLAIM, 0));
            topics.flush();
        }
    }

    private void send(PublicTopicProducer topics, ClusterObject object) {
        switch (PublicRecord.upsert(stamp(), object)) {
            case PublicRecord.InventoryTopicRecord(var key, var value) -> topics.send(key, value);
            case PublicRecord.ClaimsTopicRecord(var key, var value) -> topics.send(key, value);
        }
    }

    private static void sendToAll(PublicTopicProducer topics, PublicRecord record) {
        switch (record) {
            case PublicRecord.InventoryTopicRecord(var key, var value) -> topics.sendToAll(key, value);
            case PublicRecord.ClaimsTopicRecord(var key, var value) -> topics.sendToAll(key, value);
        }
    }

    /** @throws IllegalStateException if it takes too long */
    static void await(String what, BooleanSupplier reached) {
        Instant limit = Instant.now().plus(PATIENCE);
        while (!reached.getAsBoolean()) {
            if (Instant.now().isAfter(limit)) {
                throw new IllegalStateException("%s: not within %s".formatted(what, PATIENCE));
            }
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
        }
    }

    /** Running allocators. */
    public static final class RunningAllocators implements AutoCloseable {
        private final List<ApplicationContext> contexts;

        private RunningAllocators(List<ApplicationContext> contexts) {
            this.contexts = List.copyOf(contexts);
        }

        /** Returns the durations of the first cell's snapshot hashes since its start. */
        public SnapshotHashes snapshotHashes() {
            return SnapshotHashes.of(contexts.getFirst().getBean(Meters.class).text());
        }

        private boolean isRunning() {
            return contexts.stream().map(each -> each.getBean(Allocator.class)).allMatch(Allocator::isRunning);
        }

        @Override
        public void close() {
            contexts.forEach(ApplicationContext::close);
        }
    }

    @Override
    public void close() {
        registry.close();
        brokers.reversed().forEach(EmbeddedBroker::close);
    }
}
