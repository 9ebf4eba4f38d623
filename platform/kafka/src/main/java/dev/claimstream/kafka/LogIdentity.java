package dev.claimstream.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Identifies the log of decisions, to detect that another Kafka cluster is used.
 *
 * @param id id of the Kafka cluster, which has one log
 * @param hasServed whether a writer of the log has ever reported an outcome. Decisions alone do not show that: an allocator can decide
 *     before the first writer of a new log starts
 */
public record LogIdentity(String id, boolean hasServed) {
    private static final String WHAT = "reading the log identity from Kafka";

    /**
     * Reads the identity from a broker.
     *
     * @param timeout timeout per request
     * @throws TopicsException if the broker does not respond
     */
    public static LogIdentity read(KafkaConnection kafka, Duration timeout) {
        try (var admin = TopicSetup.admin(kafka, timeout)) {
            var setup = new TopicSetup(admin, timeout);
            String id = setup.await(WHAT, admin.describeCluster().clusterId());
            Map<TopicPartition, OffsetSpec> ends = setup.describe(List.of(Topics.OUTCOMES))
                    .flatMap(topic -> topic.partitions().stream())
                    .collect(Collectors.toMap(
                            each -> new TopicPartition(Topics.OUTCOMES, each.partition()), _ -> OffsetSpec.latest()));
            boolean hasServed = setup.await(WHAT, admin.listOffsets(ends).all()).values().stream()
                    .anyMatch(each -> each.offset() > 0);
            return new LogIdentity(id, hasServed);
        } catch (TopicsException e) {
            throw AuthorizationFault.isCauseOf(e) ? e.with(kafka) : e;
        }
    }
}
