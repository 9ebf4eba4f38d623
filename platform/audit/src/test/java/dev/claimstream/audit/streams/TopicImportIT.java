package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveErasure;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.ForwardingLog;
import dev.claimstream.audit.JoinedLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryServer;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Topics that are restored from an archive: content, offsets and schema ids, and what an import rejects. */
final class TopicImportIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final List<String> TOPICS = List.of(LogVerifier.INPUTS, LogVerifier.LEDGER);

    @TempDir
    private static Path data = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedBroker broker;

    @SuppressWarnings("NullAway.Init")
    private static EmbeddedRegistry registry;

    @SuppressWarnings("NullAway.Init")
    private static RegistryServer server;

    @TempDir
    private Path folder = Path.of("");

    private final AuditLog log =
            new LogWithMarkers(RecordedCell.withoutSnapshots(7, 200).log());

    /** A log whose ledger has transaction markers: one after five records, and four more after twenty. */
    private static final class LogWithMarkers extends ForwardingLog {
        LogWithMarkers(AuditLog log) {
            super(log);
        }

        private static long offset(String topic, long of) {
            return topic.equals(LogVerifier.LEDGER) ? of + of / 5 + 4 * (of / 20) : of;
        }

        @Override
        public long end(String topic, int partition) {
            long end = super.end(topic, partition);
            return end == 0 ? 0 : offset(topic, end - 1) + 2;
        }

        @Override
        public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
            super.forEach(topic, partition, 0, super.end(topic, partition), record -> {
                long offset = offset(topic, record.offset());
                return offset < from
                        || (offset < to
                                && action.test(new LogRecord(
                                        topic, partition, offset, record.timestamp(), record.key(), record.value())));
            });
        }
    }

    @BeforeAll
    static void startBroker() {
        broker = EmbeddedBroker.start(BrokerSettings.in(data));
        createTopics();
        registry = EmbeddedRegistry.open(KafkaConnection.plain(broker.bootstrap()));
        server = registry.serve(0);
    }

    private static void createTopics() {
        try (var admin = admin()) {
            var unused = new TopicSetup(admin, TIMEOUT).createMissing(Topics.shipped());
        }
    }

    private static Admin admin() {
        return TopicSetup.admin(KafkaConnection.plain(broker.bootstrap()), TIMEOUT);
    }

    @AfterAll
    static void stopBroker() {
        server.close();
        registry.close();
        broker.close();
    }

    @BeforeEach
    void archive() throws Exception {
        createTopics();
        try (var admin = admin()) {
            admin.deleteTopics(TOPICS).all().get();
        }
        try (var archiver =
                new Archiver(log, new FolderStore(folder), new SegmentLimits(70, 1 << 20), "0.1", _ -> {})) {
            archiver.run();
        }
    }

    private List<TopicImport.PartitionSummary> restore() {
        try (var archived = new ArchiveLog(folder);
                var rest = new RestRegistry(RestRegistry.RegistrySettings.of(server.url()))) {
            return new TopicImport(archived, KafkaConnection.plain(broker.bootstrap()), rest).run();
        }
    }

    private static TopicLog topics() {
        return new TopicLog(KafkaConnection.plain(broker.bootstrap()), registry, "import-test");
    }

    private static List<LogRecord> records(AuditLog source, String topic) {
        List<LogRecord> all = new ArrayList<>();
        source.forEach(topic, 0, source.begin(topic, 0), source.end(topic, 0), all::add);
        return all;
    }

    @Test
    void restoresRecordsAtTheirOffsets() {
        assertThat(restore()).hasSize(2);
        try (var topics = topics();
                var joined = new JoinedLog(new ArchiveLog(folder), topics())) {
            for (String topic : TOPICS) {
                assertThat(records(topics, topic)).usingRecursiveComparison().isEqualTo(records(log, topic));
                assertThat(topics.end(topic, 0)).isEqualTo(log.end(topic, 0));
            }
            assertThat(LogVerifier.verify(topics, TimeRange.ALL).findings()).isEmpty();
            assertThat(joined.differences()).isEmpty();
            assertThat(new LogReplay(topics, new CelSelectors()).run().cells())
                    .singleElement()
                    .satisfies(cell -> {
                        assertThat(cell.divergence()).isEmpty();
                        assertThat(cell.events()).isPositive();
                    });
        }
        assertThatThrownBy(this::restore)
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("topic cells.in of %s is not empty: partition 0 ends at offset %d"
                        .formatted(broker.bootstrap(), log.end(LogVerifier.INPUTS, 0)))
                .hasMessageContaining("Delete the topic, or name another Kafka");
    }

    @Test
    void restoresLogWithoutItsBegin() throws IOException {
        for (String topic : TOPICS) {
            try (Stream<Path> files = Files.list(folder.resolve(topic + "-0"))) {
                for (Path each : files.sorted().limit(2).toList()) {
                    Files.delete(each); // the first segment, as retention does
                }
            }
        }
        restore();
        try (var topics = topics();
                var archived = new ArchiveLog(folder)) {
            for (String topic : TOPICS) {
                assertThat(records(topics, topic)).usingRecursiveComparison().isEqualTo(records(archived, topic));
                assertThat(topics.begin(topic, 0)).isPositive();
            }
            assertThat(LogVerifier.verify(topics, TimeRange.ALL).findings()).isEmpty();
        }
    }

    @Test
    void rejectsArchiveWithErasedNames() {
        var unused = new ArchiveErasure(new FolderStore(folder)).run(Instant.MAX);
        assertThatThrownBy(this::restore)
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("names were erased in this segment");
        try (var topics = topics()) {
            assertThat(topics.partitions(LogVerifier.LEDGER)).isEmpty();
        }
    }

    @Test
    void rejectsDamagedArchive() throws IOException {
        Path damaged = folder.resolve("ledger.v1-0/00000000000000000000.avro");
        Files.write(damaged, new byte[] {1});
        assertThatThrownBy(this::restore)
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("damaged: " + damaged);
        try (var topics = topics()) {
            assertThat(topics.partitions(LogVerifier.LEDGER)).isEmpty();
        }
    }
}
