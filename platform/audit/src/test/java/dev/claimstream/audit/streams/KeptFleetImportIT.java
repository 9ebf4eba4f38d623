package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.Checkpoints;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.streams.LogReplay.CellSummary;
import dev.claimstream.audit.streams.LogReplay.ReplayReport;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.selectors.CelSelectors;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The {@link KeptFleetArchive} in the topics of another Kafka: two cells and their router. */
final class KeptFleetImportIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final List<String> TOPICS =
            List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER);

    @TempDir
    private Path data = Path.of("");

    private static List<LogRecord> records(AuditLog source, String topic, int partition) {
        List<LogRecord> all = new ArrayList<>();
        source.forEach(topic, partition, source.begin(topic, partition), source.end(topic, partition), all::add);
        return all;
    }

    /** The import creates the topics of the archive, with as many partitions. */
    private static Topics otherTopics() {
        var others = new TreeMap<>(Topics.shipped().byName());
        TOPICS.forEach(others::remove);
        return new Topics(others);
    }

    @Test
    void topicsOfKeptArchiveAreReplayedAlike() throws Exception {
        try (var broker = EmbeddedBroker.start(BrokerSettings.in(data));
                Admin admin = TopicSetup.admin(KafkaConnection.plain(broker.bootstrap()), TIMEOUT)) {
            var kafka = KafkaConnection.plain(broker.bootstrap());
            var unused = new TopicSetup(admin, TIMEOUT).createMissing(otherTopics());
            try (var registry = EmbeddedRegistry.open(kafka);
                    var server = registry.serve(0);
                    var rest = new RestRegistry(RestRegistry.RegistrySettings.of(server.url()));
                    ArchiveLog archived = KeptFleetArchive.open()) {
                assertThat(new TopicImport(archived, kafka, rest).run()).hasSize(2 * RecordedFleet.CELLS + 2);
                try (var topics = new TopicLog(kafka, registry, "import-test")) {
                    assertEqual(archived, topics);
                }
            }
        }
    }

    private static void assertEqual(ArchiveLog archived, TopicLog topics) {
        for (String topic : TOPICS) {
            assertThat(topics.partitions(topic)).isEqualTo(archived.partitions(topic));
            for (int partition : archived.partitions(topic)) {
                assertThat(records(topics, topic, partition))
                        .usingRecursiveComparison()
                        .isEqualTo(records(archived, topic, partition));
            }
        }
        assertThat(LogVerifier.verify(topics, TimeRange.ALL).findings()).isEmpty();
        ReplayReport report = new LogReplay(topics, new CelSelectors()).run();
        assertThat(report.divergence()).isEmpty();
        assertThat(report.notReplayed()).isEmpty();
        assertThat(report.cells()).extracting(CellSummary::name).containsExactly("cell 0", "cell 1", "router");
        assertThat(Checkpoints.compare(
                                topics,
                                archived.lastCheckpoint(_ -> true, _ -> {}).orElseThrow())
                        .findings())
                .isEmpty();
    }
}
