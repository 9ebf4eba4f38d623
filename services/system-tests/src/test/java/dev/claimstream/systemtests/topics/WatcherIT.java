package dev.claimstream.systemtests.topics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.systemtests.process.FastPoll;
import dev.claimstream.watcher.ClusterWatcher;
import io.micronaut.context.ApplicationContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the watcher on a cluster whose watches end and whose lists fail. */
final class WatcherIT {
    private static final SchemaRegistry REGISTRY = SchemaRegistry.inMemory();

    /** A cluster with one device class and a fault for each test. */
    private static final class FaultyClusterWatch implements ClusterWatch {
        private final Map<Kind, WatchListener> listeners = new ConcurrentHashMap<>();
        private volatile boolean isSilent;
        private volatile boolean restartsList;
        private final AtomicInteger pagesOfNodes = new AtomicInteger();
        private volatile boolean isEndless;
        private volatile Optional<String> identity = Optional.empty();

        @Override
        public long list(Kind kind, PageListener listing) {
            listing.onListStart();
            if (isSilent) {
                throw new ClusterFault("the cluster does not respond");
            }
            if (kind == Kind.DEVICE_CLASS) {
                var gpu = new DeviceClass(ObjectMeta.of("", "gpu", "uid-gpu"), List.of(), List.of(), Optional.empty());
                listing.onPage(List.of(new VersionedObject(gpu, 3)), 5);
                if (restartsList) {
                    listing.onListStart();
                    listing.onPage(List.of(new VersionedObject(gpu, 4)), 5);
                }
            }
            if (kind == Kind.NAMESPACE) {
                identity.map(uid -> new Namespace(ObjectMeta.of("", "kube-system", uid)))
                        .ifPresent(each -> listing.onPage(List.of(new VersionedObject(each, 1)), 5));
            }
            while (kind == Kind.NODE && isEndless) {
                listing.onPage(List.of(), 5);
                pagesOfNodes.incrementAndGet();
            }
            return 5;
        }

        @Override
        public Optional<String> identity() {
            return identity;
        }

        @Override
        public Subscription watch(Kind kind, long version, WatchListener listener) {
            listeners.put(kind, listener);
            return () -> {};
        }

        void sendChange(ClusterObject object, long version) {
            Optional.ofNullable(listeners.get(object.kind()))
                    .ifPresent(listener -> listener.onUpsert(new VersionedObject(object, version)));
        }

        void endWatch(Kind kind) {
            Optional.ofNullable(listeners.get(kind)).ifPresent(listener -> listener.onEnd("too old"));
        }
    }

    @TempDir
    Path folder;

    /** Its lists would withdraw every claim of the first cluster. */
    @Test
    void watcherOfAnotherClusterPublishesNothing() {
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            var first = new FaultyClusterWatch();
            first.identity = Optional.of("uid-1");
            for (int starts = 0; starts < 2; starts++) { // the second one finds its own cluster
                try (var services = startServices(first, kafka)) {
                    FastPoll.until("fresh", services.getBean(ClusterWatcher.class)::isFresh);
                }
            }
            List<String> published = recordKinds(kafka);
            var other = new FaultyClusterWatch();
            other.identity = Optional.of("uid-2");
            try (var services = startServices(other, kafka)) {
                var watcher = services.getBean(ClusterWatcher.class);
                FastPoll.until("it stops", () -> !watcher.isAlive());
                assertThat(watcher.failureText())
                        .hasValueSatisfying(why -> assertThat(why)
                                .startsWith(
                                        "Kafka has the objects of another cluster (uid of kube-system uid-1), and this watcher watches cluster uid-2")
                                .contains("use another Kafka"));
                assertThat(services.getBean(Health.class).report().isLive()).isFalse();
            }
            assertThat(recordKinds(kafka)).isEqualTo(published);
        }
    }

    @Test
    void marksKindStaleUntilRelisted() {
        var cluster = new FaultyClusterWatch();
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            cluster.isSilent = true;
            try (var services = startServices(cluster, kafka)) {
                var watcher = services.getBean(ClusterWatcher.class);
                var meters = services.getBean(Meters.class);
                String isFresh = "claimstream_watcher_synced{kind=\"%s\"} ".formatted(Kind.DEVICE_CLASS.apiName());
                FastPoll.until("silence is told", () -> recordKinds(kafka).equals(List.of("stale")));
                assertThat(meters.text()).contains(isFresh + "0.0");
                cluster.isSilent = false;
                FastPoll.until("fresh", watcher::isFresh);
                assertThat(meters.text())
                        .contains(
                                isFresh + "1.0",
                                "claimstream_watcher_lag_changes{kind=\"%s\"} 0.0".formatted(Kind.POD.apiName()));
                cluster.endWatch(Kind.DEVICE_CLASS);
                FastPoll.until(
                        "listed again",
                        () -> recordKinds(kafka)
                                .equals(List.of("stale", "upserted", "synced", "stale", "upserted", "synced")));
                FastPoll.until("fresh again", watcher::isFresh);
                List<Long> epochs = epochs(kafka);
                assertThat(epochs).isSorted();
                assertThat(epochs.get(2)).as("of the list that is old now").isEqualTo(epochs.get(1));
                assertThat(epochs.stream().distinct()).hasSize(3);
                assertThat(watcher.isAlive()).isTrue();
            }
        }
    }

    /** A list of a large cluster takes longer than the termination grace period. */
    @Test
    @Timeout(60)
    void stopsDuringList() {
        var cluster = new FaultyClusterWatch();
        cluster.isEndless = true;
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            try (var services = startServices(cluster, withTopics(broker))) {
                FastPoll.until("it lists", () -> cluster.pagesOfNodes.get() > 0);
                assertThat(services.getBean(ClusterWatcher.class).isFresh()).isFalse();
            }
        }
    }

    @Test
    void publishesNoRecordForNodeHeartbeat() {
        var cluster = new FaultyClusterWatch();
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            try (var services = startServices(cluster, kafka)) {
                FastPoll.until("fresh", services.getBean(ClusterWatcher.class)::isFresh);
                var ready = new Node(ObjectMeta.of("", "a", "uid-a"), List.of(), false, true);
                var notReady = new Node(ObjectMeta.of("", "a", "uid-a"), List.of(), false, false);
                cluster.sendChange(ready, 6);
                cluster.sendChange(ready, 7);
                cluster.sendChange(notReady, 8);
                cluster.sendChange(notReady, 9);
                cluster.sendChange(ready, 10);
                FastPoll.until(
                        "the last change is told", () -> versionsOfNodes(kafka).contains(10L));
                assertThat(versionsOfNodes(kafka)).containsExactly(6L, 8L, 10L);
                assertReportsMissingBroker(services, broker);
            }
        }
    }

    /** Objects of the pages before the restart may be deleted by then: the sync marker must not cover them. */
    @Test
    void usesNewEpochForRestartedList() {
        var cluster = new FaultyClusterWatch();
        cluster.restartsList = true;
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            try (var services = startServices(cluster, kafka)) {
                FastPoll.until("fresh", services.getBean(ClusterWatcher.class)::isFresh);
                assertThat(recordKinds(kafka)).containsExactly("upserted", "upserted", "synced");
                List<Long> epochs =
                        records(kafka).stream().map(InventoryRecord::getEpoch).toList();
                assertThat(epochs.get(1)).isGreaterThan(epochs.get(0)).isEqualTo(epochs.get(2));
            }
        }
    }

    private static void assertReportsMissingBroker(ApplicationContext services, EmbeddedBroker broker) {
        broker.close();
        String sentence =
                "\"degraded\",\"sentence\":\"watching 9 kinds, 0 changes not published; cannot publish: no connection to "
                        + broker.bootstrap();
        FastPoll.until(
                sentence, () -> services.getBean(Health.class).report().json().contains(sentence));
    }

    private static KafkaConnection withTopics(EmbeddedBroker broker) {
        var kafka = KafkaConnection.plain(broker.bootstrap());
        try (var admin = Admin.create(kafka.properties())) {
            new TopicSetup(admin, Duration.ofSeconds(20)).createMissing(Topics.shipped());
        }
        return kafka;
    }

    private static ApplicationContext startServices(ClusterWatch cluster, KafkaConnection kafka) {
        return ApplicationContext.builder()
                .banner(false)
                .deduceEnvironment(false)
                .properties(Map.of("claimstream.allocator.enabled", "false"))
                .singletons(kafka, REGISTRY, cluster)
                .start();
    }

    private static List<Long> versionsOfNodes(KafkaConnection kafka) {
        return records(kafka, "Node").stream()
                .filter(each -> each.getNode().isPresent())
                .map(InventoryRecord::getVersion)
                .toList();
    }

    private static List<String> recordKinds(KafkaConnection kafka) {
        return records(kafka).stream()
                .map(each ->
                        each.getStale().isPresent() ? "stale" : each.getSynced().isPresent() ? "synced" : "upserted")
                .toList();
    }

    /** Returns the epochs of the stale and sync markers. */
    private static List<Long> epochs(KafkaConnection kafka) {
        return records(kafka).stream()
                .filter(each -> each.getDeviceClass().isEmpty())
                .map(InventoryRecord::getEpoch)
                .toList();
    }

    /** Returns all records of device classes. */
    private static List<InventoryRecord> records(KafkaConnection kafka) {
        return records(kafka, "DeviceClass");
    }

    private static List<InventoryRecord> records(KafkaConnection kafka, String kind) {
        List<InventoryRecord> records = new ArrayList<>();
        var serde = AvroSerde.of(InventoryRecord.class, REGISTRY).deserializer();
        try (var consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, "reader").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            var partition = List.of(new TopicPartition(Topics.INVENTORY, 0));
            consumer.assign(partition);
            consumer.seekToBeginning(partition);
            long end = consumer.endOffsets(partition).values().iterator().next();
            while (consumer.position(partition.getFirst()) < end) {
                consumer.poll(Duration.ofMillis(50)).forEach(record -> {
                    if (record.key().contains(kind)) {
                        records.add(serde.deserialize(record.topic(), record.value()));
                    }
                });
            }
        }
        return records;
    }
}
