package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.KafkaConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Reads and commits offsets of consumer groups, and reads log end offsets, with a short timeout.
 *
 * <p>The client is created at the first request. Every method throws {@link KafkaException} if the brokers do not respond in time. Safe for
 * many threads.
 */
final class GroupOffsets implements AutoCloseable {
    private final KafkaConnection kafka;
    private final String client;
    private final Duration timeout;
    private Optional<Admin> admin = Optional.empty();
    private boolean isClosed;

    GroupOffsets(KafkaConnection kafka, String client, Duration timeout) {
        this.kafka = kafka;
        this.client = client;
        this.timeout = timeout;
    }

    private synchronized Admin admin() {
        if (isClosed) {
            throw new KafkaException("the client %s is closed".formatted(client));
        }
        if (admin.isEmpty()) {
            Properties properties = kafka.properties();
            properties.put("client.id", client);
            properties.put("default.api.timeout.ms", Long.toString(timeout.toMillis()));
            properties.put("request.timeout.ms", Long.toString(timeout.toMillis()));
            admin = Optional.of(Admin.create(properties));
        }
        return admin.get();
    }

    /** The log end offset of each partition, including open transactions. */
    Map<TopicPartition, Long> ends(Collection<TopicPartition> partitions) {
        var result = admin().listOffsets(
                        partitions.stream().collect(Collectors.toMap(Function.identity(), _ -> OffsetSpec.latest())));
        return await(result.all()).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, end -> offset(end.getValue())));
    }

    private static long offset(ListOffsetsResult.ListOffsetsResultInfo end) {
        return end.offset();
    }

    /** The committed offsets of a group with their metadata; empty if the group does not exist. */
    Map<TopicPartition, OffsetAndMetadata> committed(String group) {
        try {
            return await(admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()).entrySet().stream()
                    .filter(each -> each.getValue() != null)
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        } catch (GroupIdNotFoundException e) {
            return Map.of();
        }
    }

    /** Commits an offset of a group without members. */
    void commit(String group, TopicPartition partition, OffsetAndMetadata offset) {
        await(admin().alterConsumerGroupOffsets(group, Map.of(partition, offset))
                .all());
    }

    private <T> T await(KafkaFuture<T> future) {
        try {
            return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
        } catch (java.util.concurrent.TimeoutException e) {
            throw new TimeoutException(
                    "no response from Kafka (%s) within %s".formatted(kafka.bootstrap(), timeout), e);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        admin.ifPresent(each -> each.close(Duration.ofSeconds(1)));
        admin = Optional.empty();
    }
}
