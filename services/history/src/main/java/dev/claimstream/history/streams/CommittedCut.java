package dev.claimstream.history.streams;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.kafka.KafkaConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Finds the part of the topics of which every ledger event is committed.
 *
 * <p>A cell commits the offset of an input in one transaction with its ledger events. The events of all inputs before that offset are
 * in the ledger once no transaction is open before the end that the ledger has after the offset was read.
 */
final class CommittedCut implements AutoCloseable {
    /** The consumer group of cells and router. */
    private static final String GROUP = "claimstream-allocator";

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private final Admin admin;
    private final KafkaConnection kafka;

    CommittedCut(KafkaConnection kafka, String client) {
        this.kafka = kafka;
        Properties properties = kafka.properties();
        properties.put("client.id", client);
        properties.put("default.api.timeout.ms", Long.toString(ANSWER_WITHIN.toMillis()));
        properties.put("request.timeout.ms", Long.toString(ANSWER_WITHIN.toMillis()));
        admin = Admin.create(properties);
    }

    /** The present cut; empty while a transaction is open that may belong to it, and before the first commit of the cells. */
    Optional<LogFold.Cut> present(AuditLog log) {
        Map<Integer, Long> inputs = committed();
        if (inputs.isEmpty()) {
            return Optional.empty();
        }
        Map<TopicPartition, OffsetSpec> asked = log.partitions(LogVerifier.LEDGER).stream()
                .collect(Collectors.toMap(
                        each -> new TopicPartition(LogVerifier.LEDGER, each), _ -> OffsetSpec.latest()));
        Map<Integer, Long> events = new TreeMap<>();
        for (var each : await(admin.listOffsets(asked).all()).entrySet()) {
            int partition = each.getKey().partition();
            long end = log.end(LogVerifier.LEDGER, partition);
            if (end < each.getValue().offset()) {
                return Optional.empty();
            }
            events.put(partition, end);
        }
        return Optional.of(new LogFold.Cut(inputs, events));
    }

    private Map<Integer, Long> committed() {
        Map<Integer, Long> inputs = new TreeMap<>();
        try {
            Map<TopicPartition, OffsetAndMetadata> offsets =
                    await(admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata());
            offsets.forEach((partition, offset) -> {
                if (offset != null && partition.topic().equals(LogVerifier.INPUTS)) {
                    inputs.put(partition.partition(), offset.offset());
                }
            });
        } catch (GroupIdNotFoundException e) {
            return Map.of(); // no allocator has started yet
        }
        return inputs;
    }

    private <T> T await(KafkaFuture<T> asked) {
        try {
            return asked.get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
        } catch (java.util.concurrent.TimeoutException e) {
            throw new TimeoutException(
                    "no response from Kafka (%s) within %d s".formatted(kafka.bootstrap(), ANSWER_WITHIN.toSeconds()),
                    e);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
