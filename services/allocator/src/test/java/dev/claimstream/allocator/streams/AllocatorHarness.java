package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.Sender;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Traces;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.OutcomeRecord;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.PublicRecord;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker with the topics, on which tests start and stop allocators and damage logs. */
final class AllocatorHarness implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final List<String> GROUPS = List.of(AllocatorTopology.APPLICATION, Intake.GROUP);

    private final Path folder;
    private final CellSettings settings;
    private SchemaRegistry registry = SchemaRegistry.inMemory();
    private Selectors selectors = new CelSelectors();
    private EmbeddedBroker broker;
    private Optional<TopicConnections> connections = Optional.empty();
    private int threads = 1;
    private StateFormat format = StateFormat.CURRENT;

    private AllocatorHarness(Path folder, EmbeddedBroker broker, CellSettings settings) {
        this.folder = folder;
        this.settings = settings;
        this.broker = broker;
    }

    static AllocatorHarness create(Path folder, Map<String, Integer> partitions, CellSettings settings) {
        var harness = new AllocatorHarness(folder, EmbeddedBroker.start(settings(folder)), settings);
        try (var admin = harness.admin()) {
            new TopicSetup(admin, TIMEOUT).createMissing(Topics.shipped().withPartitions(partitions));
        }
        return harness;
    }

    private static BrokerSettings settings(Path folder) {
        return BrokerSettings.in(folder.resolve("kafka"));
    }

    SchemaRegistry registry() {
        return registry;
    }

    KafkaConnection kafka() {
        return KafkaConnection.plain(broker.bootstrap());
    }

    Admin admin() {
        return Admin.create(kafka().properties());
    }

    /** The clients that tests read topics with. A test polls many times, and a client costs more than what it reads. */
    private record TopicConnections(KafkaAdmin offsets, TopicRangeReader records) implements AutoCloseable {
        @Override
        public void close() {
            records.close();
            offsets.close();
        }
    }

    private TopicConnections connections() {
        TopicConnections open = connections.orElseGet(
                () -> new TopicConnections(new KafkaAdmin(kafka()), new TopicRangeReader(kafka(), "test-reader")));
        connections = Optional.of(open);
        return open;
    }

    /** Closes the clients: they may know logs that are about to change. */
    private void disconnect() {
        connections.ifPresent(TopicConnections::close);
        connections = Optional.empty();
    }

    /** Stops the broker and starts another one on the same port. */
    void restartBroker() {
        int port = port();
        disconnect();
        broker.close();
        broker = EmbeddedBroker.start(settings(folder).onPort(port));
    }

    private int port() {
        return Integer.parseInt(broker.bootstrap().replaceAll(".*:", ""));
    }

    /** Restarts the broker with half of the bytes of a log, including acknowledged records. */
    void truncateToHalf(TopicPartition log) {
        truncateLog(log, file -> Files.size(file) / 2);
    }

    /**
     * Restarts the broker without the last batch of a log. In a transactional log this batch is a transaction marker.
     */
    void removeLastBatch(TopicPartition log) {
        truncateLog(log, file -> Files.size(file) - 1);
    }

    /** Restarts the broker with only the first transaction of a log. */
    void truncateAfterFirstTransaction(TopicPartition log) {
        truncateLog(log, AllocatorHarness::endOfFirstTransaction);
    }

    private static long endOfFirstTransaction(Path file) throws IOException {
        try (var records = FileRecords.open(file.toFile(), false)) {
            for (FileChannelRecordBatch batch : records.batches()) {
                if (batch.isControlBatch()) {
                    return (long) batch.position() + batch.sizeInBytes();
                }
            }
        }
        throw new AssertionError("no transaction has ended in " + file);
    }

    /** Number of bytes that remain of a log file. */
    private interface LogTruncation {
        long remainingBytes(Path file) throws IOException;
    }

    private void truncateLog(TopicPartition log, LogTruncation cut) {
        int port = port();
        disconnect();
        broker.close();
        try (var files = Files.list(folder.resolve("kafka").resolve(log.toString()))) {
            for (Path file : files.toList()) {
                if (file.toString().endsWith(".log")) {
                    truncate(file, cut.remainingBytes(file));
                } else if (file.toString().endsWith("index")) {
                    Files.delete(file); // the broker then recovers the log and rebuilds the index
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        broker = EmbeddedBroker.start(settings(folder).onPort(port));
    }

    private static void truncate(Path file, long bytes) throws IOException {
        try (var records = FileChannel.open(file, StandardOpenOption.WRITE)) {
            records.truncate(bytes);
        }
    }

    static CellSettings settingsWithSliceSource() {
        SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
        sources.put(Kind.RESOURCE_SLICE, new TreeSet<>(List.of(ClusterInputs.SOURCE)));
        return CellSettings.builder().sources(sources).build();
    }

    /** Sets the number of stream threads of allocators that start from now on. */
    AllocatorHarness withThreads(int each) {
        threads = each;
        return this;
    }

    /** Sets the format of the state of allocators that start from now on, as of another version of the program. */
    AllocatorHarness withFormat(StateFormat each) {
        format = each;
        return this;
    }

    /** Sets the selectors of allocators that start from now on. */
    AllocatorHarness withSelectors(Selectors each) {
        selectors = each;
        return this;
    }

    /** Stores schemas in a topic from now on, and serves them to other processes at the returned address. */
    URI serveRegistry() {
        var served = EmbeddedRegistry.open(kafka());
        registry = served;
        return served.serve(0).url();
    }

    final class AllocatorInstance implements AutoCloseable {
        final CompletableFuture<Throwable> failure = new CompletableFuture<>();
        final Meters meters = new Meters();
        final Intake intake;
        final CellStreams cells;

        AllocatorInstance(String instance, Path stateFolder, boolean rebuild) {
            intake = new Intake(
                    kafka(),
                    registry,
                    settings,
                    InstantSource.system(),
                    instance,
                    new IntakeMeters(meters),
                    failure::complete);
            cells = new CellStreams(
                    kafka(),
                    registry,
                    selectors,
                    settings,
                    new CellStreams.RuntimeOptions(instance, stateFolder, threads, rebuild, 5),
                    format,
                    meters,
                    new CellMeters(meters, Traces.off(meters), false, Duration.ZERO),
                    intake::start,
                    failure::complete);
            cells.start();
        }

        AllocatorInstance awaitRunning() {
            await(() -> cells.isRunning() || failure.isDone());
            if (failure.isDone()) {
                throw new AssertionError("it does not run", failure.join());
            }
            return this;
        }

        /** Awaits a failure and returns the message of its {@link LogContinuityException}. */
        String continuityError() {
            await(failure::isDone);
            for (Throwable each = failure.join(); each != null; each = each.getCause()) {
                if (each instanceof LogContinuityException) {
                    return String.valueOf(each.getMessage());
                }
            }
            throw new AssertionError("no plain refusal", failure.join());
        }

        @Override
        public void close() {
            intake.close();
            cells.close();
        }
    }

    AllocatorInstance start(String stateFolder) {
        return new AllocatorInstance("allocator-0", folder.resolve(stateFolder), false);
    }

    AllocatorInstance start(String instance, String stateFolder) {
        return new AllocatorInstance(instance, folder.resolve(stateFolder), false);
    }

    AllocatorInstance rebuild(String stateFolder) {
        return new AllocatorInstance("allocator-0", folder.resolve(stateFolder), true);
    }

    /** Publishes records as a watcher does: records about a whole source go to every partition. */
    void publish(List<PublicRecord> records) {
        try (var topics = new PublicTopicProducer(kafka(), registry, "test")) {
            for (PublicRecord each : records) {
                switch (each) {
                    case PublicRecord.InventoryTopicRecord(var key, var value)
                    when each.isBroadcast() -> topics.sendToAll(key, value);
                    case PublicRecord.ClaimsTopicRecord(var key, var value)
                    when each.isBroadcast() -> topics.sendToAll(key, value);
                    case PublicRecord.InventoryTopicRecord(var key, var value) -> topics.send(key, value);
                    case PublicRecord.ClaimsTopicRecord(var key, var value) -> topics.send(key, value);
                }
            }
            topics.flush();
        }
    }

    /** Publishes a record to one partition. */
    void publish(int partition, PublicRecord record) {
        try (var topics = new PublicTopicProducer(kafka(), registry, "test")) {
            switch (record) {
                case PublicRecord.InventoryTopicRecord(var key, var value) -> topics.send(partition, key, value);
                case PublicRecord.ClaimsTopicRecord(var key, var value) -> topics.send(partition, key, value);
            }
            topics.flush();
        }
    }

    /** Publishes a commit outcome of a decision, as the writer does. */
    void publishOutcome(DecisionRecord decision, String outcome) {
        var value = OutcomeRecord.newBuilder()
                .setClaimUid(decision.getClaimUid())
                .setDecisionNumber(decision.getNumber())
                .setOutcome(outcome)
                .setAt(Instant.now())
                .build();
        try (var sender = new Sender(ProducerSettings.of(kafka(), "test-writer"))) {
            sender.send(
                    Topics.OUTCOMES,
                    decision.getClaimUid(),
                    AvroSerde.of(OutcomeRecord.class, registry).write(Topics.OUTCOMES, value));
            sender.flush();
        }
    }

    /**
     * An open transaction that stops {@code read_committed} consumers at its offset until it is closed. The transaction
     * is then aborted.
     */
    final class ReadBarrier implements AutoCloseable {
        private final KafkaProducer<byte[], byte[]> producer;

        private ReadBarrier(TopicPartition at) {
            Properties properties = ProducerSettings.of(kafka(), "test-barrier")
                    .transactional("test-barrier-" + at)
                    .properties();
            properties.put(
                    "transaction.timeout.ms",
                    Long.toString(TIMEOUT.multipliedBy(3).toMillis()));
            producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
            producer.initTransactions();
            producer.beginTransaction();
            byte[] noise = {0};
            try {
                var unused = producer.send(new ProducerRecord<>(at.topic(), at.partition(), noise, noise))
                        .get();
            } catch (InterruptedException | ExecutionException e) {
                throw new AssertionError("no barrier at " + at, e);
            }
        }

        @Override
        public void close() {
            producer.abortTransaction();
            producer.close();
        }
    }

    /** Stops {@code read_committed} consumers of a partition at its current end. */
    ReadBarrier blockReaders(TopicPartition at) {
        return new ReadBarrier(at);
    }

    List<TopicPartition> partitions(String topic) {
        try (var offsets = new KafkaAdmin(kafka())) {
            return offsets.partitions(topic);
        }
    }

    /** Number of records in these logs, including records that are not readable yet. */
    long recordCount(List<TopicPartition> logs) {
        try (var offsets = new KafkaAdmin(kafka())) {
            return logs.stream().mapToLong(offsets::end).sum();
        }
    }

    /**
     * Waits until the intake has consumed all published records, and the allocator all readable records of this log.
     */
    void awaitConsumed(TopicPartition log) {
        try (var offsets = new KafkaAdmin(kafka());
                var records = new TopicRangeReader(kafka(), "test-taken")) {
            await(() -> RecordValidator.TOPICS.stream().allMatch(topic -> isConsumed(offsets, Intake.GROUP, topic)));
            await(() -> {
                long taken = offsets.committed(AllocatorTopology.APPLICATION).getOrDefault(log, offsets.begin(log));
                return records.first(log, taken, offsets.committedEnd(log)).isEmpty();
            });
        }
    }

    /** Waits until the only cell has consumed all published records. Its outputs are readable then. */
    void awaitConsumed() {
        try (var offsets = new KafkaAdmin(kafka())) {
            await(() -> RecordValidator.TOPICS.stream().allMatch(topic -> isConsumed(offsets, Intake.GROUP, topic)));
            await(() -> isConsumed(offsets, AllocatorTopology.APPLICATION, Topics.CELLS_IN));
        }
    }

    private static boolean isConsumed(KafkaAdmin offsets, String group, String topic) {
        Map<TopicPartition, Long> taken = offsets.committed(group);
        return offsets.partitions(topic).stream().allMatch(each -> taken.getOrDefault(each, 0L) >= offsets.end(each));
    }

    /** The latest decision of each claim, by name. */
    SortedMap<String, DecisionRecord> decisions() {
        var last = new TreeMap<String, DecisionRecord>();
        read(Topics.DECISIONS, DecisionRecord.class).forEach(each -> last.put(each.getName(), each));
        return last;
    }

    /** The latest decision on a claim. */
    DecisionRecord decision(String claim) {
        return Objects.requireNonNull(decisions().get(claim), claim);
    }

    /** All decisions, oldest first in each partition. */
    List<DecisionRecord> allDecisions() {
        return read(Topics.DECISIONS, DecisionRecord.class);
    }

    List<LedgerEvent> ledger() {
        return read(Topics.LEDGER, LedgerEvent.class);
    }

    <T extends SpecificRecord> List<T> read(String topic, Class<T> type) {
        var serde = AvroSerde.of(type, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
        var found = new ArrayList<T>();
        KafkaAdmin offsets = connections().offsets();
        for (TopicPartition each : offsets.partitions(topic)) {
            connections().records().forEach(each, offsets.begin(each), offsets.committedEnd(each), record -> {
                if (serde.read(topic, record.value()) instanceof DecodeResult.Value<T>(T value)) {
                    found.add(value);
                }
            });
        }
        return found;
    }

    /** Currently allocated devices, by claim. */
    SortedMap<String, List<String>> allocatedDevices() {
        var allocated = new TreeMap<String, List<String>>();
        decisions()
                .forEach((name, decision) -> decision.getAllocated()
                        .ifPresent(allocation -> allocated.put(
                                name,
                                allocation.getAllocation().getResults().stream()
                                        .map(each -> each.getDevice().getDevice())
                                        .toList())));
        return allocated;
    }

    void awaitAllocated(int claims) {
        await(() -> allocatedDevices().size() == claims);
    }

    static void await(BooleanSupplier reached) {
        Instant limit = Instant.now().plus(TIMEOUT);
        while (!reached.getAsBoolean()) {
            if (Instant.now().isAfter(limit)) {
                throw new AssertionError("not reached within " + TIMEOUT);
            }
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
        }
    }

    /** Removes the members of all groups. A group keeps a closed static member until its session timeout. */
    void removeMembers() {
        removeMembers("allocator-0");
        try (var offsets = new KafkaAdmin(kafka())) {
            GROUPS.forEach(group -> await(() -> offsets.isEmpty(group)));
        }
    }

    /** Removes the members of one closed allocator, so that the other instances take over at once. */
    void removeMembers(String instance) {
        try (var offsets = new KafkaAdmin(kafka())) {
            GROUPS.forEach(group -> offsets.removeMembers(group, instance));
        }
    }

    void deleteTopic(String name) {
        disconnect();
        try (var admin = admin()) {
            admin.deleteTopics(List.of(name)).all().get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
        await(() -> {
            try (var offsets = new KafkaAdmin(kafka())) {
                return offsets.topic(name).isEmpty();
            }
        });
    }

    void createTopics() {
        createTopics(Map.of());
    }

    void createTopics(Map<String, Integer> partitions) {
        try (var admin = admin()) {
            new TopicSetup(admin, TIMEOUT).createMissing(Topics.shipped().withPartitions(partitions));
        }
    }

    @Override
    public void close() {
        disconnect();
        broker.close();
    }
}
