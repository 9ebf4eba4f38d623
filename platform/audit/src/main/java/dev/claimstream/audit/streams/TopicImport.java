package dev.claimstream.audit.streams;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.TopicsException;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RestRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Restores the topics of an archive in a Kafka without them, with the same keys, times, offsets and schema ids.
 *
 * <p>The topics keep everything: a retention by time would delete their old records at once. They are for readers: services that decide
 * need topics that are not archived.
 */
public final class TopicImport {
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);
    private static final String FOREVER = "-1";

    private final ArchiveLog archive;
    private final KafkaConnection kafka;
    private final RestRegistry registry;

    public TopicImport(ArchiveLog archive, KafkaConnection kafka, RestRegistry registry) {
        this.archive = archive;
        this.kafka = kafka;
        this.registry = registry;
    }

    /**
     * What was restored of one partition.
     *
     * @param records number of records
     * @param begin offset of the first record
     * @param end offset after the last one, as in the archive
     */
    public record PartitionSummary(String topic, int partition, long records, long begin, long end) {}

    /**
     * Restores the topics. Not idempotent: a run that failed leaves topics that are not empty.
     *
     * @throws AuditException if the archive is damaged, has a gap or erased names, a topic is not empty, the registry
     *     has other schemas, or Kafka does not respond
     */
    public List<PartitionSummary> run() {
        archive.problems().stream().findFirst().ifPresent(problem -> {
            throw new AuditException(problem);
        });
        archive.erasedSegment().ifPresent(segment -> {
            throw new AuditException(
                    "%s: names were erased in this segment, and in a topic its events would look changed: import a copy of the archive with names, or read this one with --archive"
                            .formatted(segment));
        });
        List<String> topics = List.of(LogVerifier.INPUTS, LogVerifier.ROUTER_INPUTS, LogVerifier.LEDGER).stream()
                .filter(topic -> !archive.partitions(topic).isEmpty())
                .toList();
        try (Admin admin = TopicSetup.admin(kafka, RESPONSE_TIMEOUT)) {
            var setup = new TopicSetup(admin, RESPONSE_TIMEOUT);
            topics.forEach(topic -> prepare(admin, setup, topic));
            topics.forEach(this::restoreSchemas);
            List<PartitionSummary> restored = new ArrayList<>();
            try (var writer = new PartitionWriter(kafka, admin, setup)) {
                topics.forEach(topic -> archive.partitions(topic)
                        .forEach(partition -> restored.add(writer.write(archive, topic, partition))));
            }
            return restored;
        } catch (TopicsException e) {
            throw new AuditException("%s: %s".formatted(kafka.bootstrap(), e.getMessage()), e);
        }
    }

    /** Creates a topic, or requires that it is empty; it then keeps everything. */
    private void prepare(Admin admin, TopicSetup setup, String topic) {
        int partitions = archive.partitions(topic).last() + 1;
        Optional<TopicDescription> existing = existing(admin, setup, topic);
        if (existing.isEmpty()) {
            Map<String, String> config =
                    new HashMap<>(Topics.shipped().get(topic).config());
            config.put(TopicConfig.RETENTION_MS_CONFIG, FOREVER);
            var created = new NewTopic(topic, Optional.of(partitions), Optional.empty()).configs(config);
            setup.await(
                    "creating topic " + topic,
                    admin.createTopics(List.of(created)).all());
            return;
        }
        if (existing.get().partitions().size() != partitions) {
            throw new AuditException(
                    "topic %s of %s has %d partitions, and the archive has %d: delete the topic, or name another Kafka"
                            .formatted(
                                    topic,
                                    kafka.bootstrap(),
                                    existing.get().partitions().size(),
                                    partitions));
        }
        requireEmpty(admin, setup, topic, partitions);
        var resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        var keep =
                new AlterConfigOp(new ConfigEntry(TopicConfig.RETENTION_MS_CONFIG, FOREVER), AlterConfigOp.OpType.SET);
        setup.await(
                "setting the retention of topic " + topic,
                admin.incrementalAlterConfigs(Map.of(resource, List.of(keep))).all());
    }

    private static Optional<TopicDescription> existing(Admin admin, TopicSetup setup, String topic) {
        try {
            return Optional.ofNullable(setup.await(
                            "describing topic " + topic,
                            admin.describeTopics(List.of(topic)).allTopicNames())
                    .get(topic));
        } catch (TopicsException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private void requireEmpty(Admin admin, TopicSetup setup, String topic, int partitions) {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        IntStream.range(0, partitions).forEach(each -> specs.put(new TopicPartition(topic, each), OffsetSpec.latest()));
        setup.await(
                        "reading the ends of topic " + topic,
                        admin.listOffsets(specs).all())
                .forEach((partition, end) -> {
                    if (end.offset() > 0) {
                        throw new AuditException(
                                "topic %s of %s is not empty: partition %d ends at offset %d. Delete the topic, or name another Kafka: an import needs the same offsets."
                                        .formatted(topic, kafka.bootstrap(), partition.partition(), end.offset()));
                    }
                });
    }

    private void restoreSchemas(String topic) {
        archive.schemas(topic).forEach((id, schema) -> {
            try {
                registry.restore(topic + "-value", id, schema);
            } catch (RegistryException e) {
                throw new AuditException(
                        "schema id %d of topic %s cannot be registered with its id: %s. Name an empty registry that takes ids (mode IMPORT), such as that of claimstream up."
                                .formatted(id, topic, e.getMessage()),
                        e);
            }
        });
    }
}
