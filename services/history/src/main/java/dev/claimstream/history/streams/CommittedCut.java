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

    /** Calls after which offsets and ends are read again, in case the topic was created again. */
    private static final int TRIES_MAX = 60;

    private final Admin admin;
    private final KafkaConnection kafka;
    private LogFold.Cut target = new LogFold.Cut(Map.of(), Map.of());
    private int tries;

    CommittedCut(KafkaConnection kafka, String client) {
        this.kafka = kafka;
        Properties properties = kafka.properties();
        properties.put("client.id", client);
        properties.put("default.api.timeout.ms", Long.toString(ANSWER_WITHIN.toMillis()));
        properties.put("request.timeout.ms", Long.toString(ANSWER_WITHIN.toMillis()));
        admin = Admin.create(properties);
    }

    /**
     * The next cut; empty while a transaction is open that may belong to it, and before the first commit of the cells.
     *
     * <p>Offsets and ends that were read stay until all transactions before the ends have ended. Under load a new end
     * would always have an open transaction before it.
     */
    Optional<LogFold.Cut> present(AuditLog log) {
        if (tries == 0 || target.inputs().isEmpty()) {
            Map<Integer, Long> inputs = committed();
            target = new LogFold.Cut(inputs, inputs.isEmpty() ? Map.of() : ends(log));
            tries = TRIES_MAX;
        }
        tries--;
        if (target.inputs().isEmpty()) {
            return Optional.empty();
        }
        Map<Integer, Long> events = new TreeMap<>();
        for (Map.Entry<Integer, Long> each : target.events().entrySet()) {
            long end = log.end(LogVerifier.LEDGER, each.getKey());
            if (end < each.getValue()) {
                return Optional.empty();
            }
            events.put(each.getKey(), end);
        }
        tries = 0;
        return Optional.of(new LogFold.Cut(target.inputs(), events));
    }

    /** The offsets after the last records of the ledger, also of open transactions. */
    private Map<Integer, Long> ends(AuditLog log) {
        Map<TopicPartition, OffsetSpec> specs = log.partitions(LogVerifier.LEDGER).stream()
                .collect(Collectors.toMap(
                        each -> new TopicPartition(LogVerifier.LEDGER, each), _ -> OffsetSpec.latest()));
        Map<Integer, Long> ends = new TreeMap<>();
        await(admin.listOffsets(specs).all())
                .forEach((partition, end) -> ends.put(partition.partition(), end.offset()));
        return ends;
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

    private <T> T await(KafkaFuture<T> future) {
        try {
            return future.get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
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
