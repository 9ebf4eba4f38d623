package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Kind;
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
    private static final class Moody implements ClusterWatch {
        private final Map<Kind, WatchListener> listeners = new ConcurrentHashMap<>();
        private volatile boolean silent;
        private volatile boolean forgets;
        private final AtomicInteger pagesOfNodes = new AtomicInteger();
        private volatile boolean endless;

        @Override
        public long list(Kind kind, PageListener listing) {
            listing.onListStart();
            if (silent) {
                throw new ClusterFault("the cluster does not answer");
            }
            if (kind == Kind.DEVICE_CLASS) {
                var gpu = new DeviceClass(ObjectMeta.of("", "gpu", "uid-gpu"), List.of(), List.of(), Optional.empty());
                listing.onPage(List.of(new VersionedObject(gpu, 3)));
                if (forgets) {
                    listing.onListStart();
                    listing.onPage(List.of(new VersionedObject(gpu, 4)));
                }
            }
            while (kind == Kind.NODE && endless) {
                listing.onPage(List.of());
                pagesOfNodes.incrementAndGet();
            }
            return 5;
        }

        @Override
        public Subscription watch(Kind kind, long version, WatchListener listener) {
            listeners.put(kind, listener);
            return () -> {};
        }

        void change(ClusterObject object, long version) {
            Optional.ofNullable(listeners.get(object.kind()))
                    .ifPresent(listener -> listener.onUpsert(new VersionedObject(object, version)));
        }

        void end(Kind kind) {
            Optional.ofNullable(listeners.get(kind)).ifPresent(listener -> listener.onEnd("too old"));
        }
    }

    @TempDir
    Path folder;

    @Test
    void aWatchThatEndsMakesItsKindStaleUntilItIsListedAgain() {
        var cluster = new Moody();
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            cluster.silent = true;
            try (var services = watching(cluster, kafka)) {
                var watcher = services.getBean(ClusterWatcher.class);
                var meters = services.getBean(Meters.class);
                String isFresh = "claimstream_watcher_fresh{kind=\"%s\"} ".formatted(Kind.DEVICE_CLASS.apiName());
                Awaiting.until("silence is told", () -> told(kafka).equals(List.of("stale")));
                assertThat(meters.text()).contains(isFresh + "0.0");
                cluster.silent = false;
                Awaiting.until("fresh", watcher::isFresh);
                assertThat(meters.text())
                        .contains(
                                isFresh + "1.0",
                                "claimstream_watcher_lag_changes{kind=\"%s\"} 0.0".formatted(Kind.POD.apiName()));
                cluster.end(Kind.DEVICE_CLASS);
                Awaiting.until(
                        "listed again",
                        () -> told(kafka).equals(List.of("stale", "seen", "listed", "stale", "seen", "listed")));
                Awaiting.until("fresh again", watcher::isFresh);
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
    void itEndsInTheMiddleOfAList() {
        var cluster = new Moody();
        cluster.endless = true;
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            try (var services = watching(cluster, withTopics(broker))) {
                Awaiting.until("it lists", () -> cluster.pagesOfNodes.get() > 0);
                assertThat(services.getBean(ClusterWatcher.class).isFresh()).isFalse();
            }
        }
    }

    @Test
    void aHeartbeatOfANodeIsNotToldAgain() {
        var cluster = new Moody();
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            try (var services = watching(cluster, kafka)) {
                Awaiting.until("fresh", services.getBean(ClusterWatcher.class)::isFresh);
                var ready = new Node(ObjectMeta.of("", "a", "uid-a"), List.of(), false, true);
                var notReady = new Node(ObjectMeta.of("", "a", "uid-a"), List.of(), false, false);
                cluster.change(ready, 6);
                cluster.change(ready, 7);
                cluster.change(notReady, 8);
                cluster.change(notReady, 9);
                cluster.change(ready, 10);
                Awaiting.until(
                        "the last change is told", () -> versionsOfNodes(kafka).contains(10L));
                assertThat(versionsOfNodes(kafka)).containsExactly(6L, 8L, 10L);
                saysThatItHasNoBroker(services, broker);
            }
        }
    }

    /** Objects of the pages before the restart may be deleted by then: the sync marker must not cover them. */
    @Test
    void aListThatBeginsAnewIsOfAnotherEpoch() {
        var cluster = new Moody();
        cluster.forgets = true;
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(folder.resolve("broker")))) {
            KafkaConnection kafka = withTopics(broker);
            try (var services = watching(cluster, kafka)) {
                Awaiting.until("fresh", services.getBean(ClusterWatcher.class)::isFresh);
                assertThat(told(kafka)).containsExactly("seen", "seen", "listed");
                List<Long> epochs =
                        records(kafka).stream().map(InventoryRecord::getEpoch).toList();
                assertThat(epochs.get(1)).isGreaterThan(epochs.get(0)).isEqualTo(epochs.get(2));
            }
        }
    }

    private static void saysThatItHasNoBroker(ApplicationContext services, EmbeddedBroker broker) {
        broker.close();
        String sentence =
                "\"degraded\",\"sentence\":\"follows 9 kinds, 0 changes to go and cannot tell them: no connection to "
                        + broker.bootstrap();
        Awaiting.until(
                sentence, () -> services.getBean(Health.class).report().json().contains(sentence));
    }

    private static KafkaConnection withTopics(EmbeddedBroker broker) {
        var kafka = KafkaConnection.plain(broker.bootstrap());
        try (var admin = Admin.create(kafka.properties())) {
            new TopicSetup(admin, Duration.ofSeconds(20)).createMissing(Topics.shipped());
        }
        return kafka;
    }

    private static ApplicationContext watching(ClusterWatch cluster, KafkaConnection kafka) {
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

    private static List<String> told(KafkaConnection kafka) {
        return records(kafka).stream()
                .map(each ->
                        each.getStale().isPresent() ? "stale" : each.getListed().isPresent() ? "listed" : "seen")
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
