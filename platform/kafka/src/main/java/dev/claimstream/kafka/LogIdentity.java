package dev.claimstream.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What tells the log of decisions from that of another Kafka.
 *
 * @param id of the Kafka cluster, which has one log
 * @param hasDecisions whether anything was ever decided in it
 */
public record LogIdentity(String id, boolean hasDecisions) {
    private static final String WHAT = "asking the broker which log it has";

    /**
     * Asks a broker.
     *
     * @param timeout for each request
     * @throws TopicsException if it does not answer
     */
    public static LogIdentity read(KafkaConnection kafka, Duration timeout) {
        try (var admin = Admin.create(kafka.properties())) {
            String id = get(admin.describeCluster().clusterId(), timeout);
            return new LogIdentity(id, hasDecisions(admin, timeout));
        } catch (ExecutionException e) {
            throw TopicsException.unanswered(WHAT, e.getCause());
        } catch (TimeoutException e) {
            throw TopicsException.unanswered(WHAT, e);
        } catch (InterruptedException e) {
            throw TopicsException.interrupted(WHAT, e);
        }
    }

    private static boolean hasDecisions(Admin admin, Duration timeout)
            throws ExecutionException, TimeoutException, InterruptedException {
        List<TopicPartitionInfo> partitions = new ArrayList<>();
        try {
            get(admin.describeTopics(List.of(Topics.DECISIONS)).allTopicNames(), timeout)
                    .values()
                    .forEach(topic -> partitions.addAll(topic.partitions()));
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
        Map<TopicPartition, OffsetSpec> ends = partitions.stream()
                .collect(Collectors.toMap(
                        each -> new TopicPartition(Topics.DECISIONS, each.partition()), _ -> OffsetSpec.latest()));
        return get(admin.listOffsets(ends).all(), timeout).values().stream().anyMatch(each -> each.offset() > 0);
    }

    private static <T> T get(KafkaFuture<T> future, Duration timeout)
            throws ExecutionException, TimeoutException, InterruptedException {
        return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
