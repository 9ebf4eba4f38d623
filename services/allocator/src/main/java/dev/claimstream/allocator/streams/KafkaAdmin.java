package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.Topics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Reads and changes topics, offsets, transactions and group members through the admin client.
 *
 * <p>Each request blocks for up to a minute while brokers do not respond. Errors are {@link KafkaException}.
 */
final class KafkaAdmin implements AutoCloseable {
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration HANGING_WITHIN = Duration.ofSeconds(20);
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private static final Set<TransactionState> ENDED_STATES =
            Set.of(TransactionState.EMPTY, TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT);

    private final Admin admin;

    KafkaAdmin(KafkaConnection kafka) {
        Properties properties = kafka.properties();
        properties.put("default.api.timeout.ms", Long.toString(WAIT.toMillis()));
        admin = Admin.create(properties);
    }

    /** Describes a topic; empty if it does not exist. */
    Optional<TopicDescription> topic(String name) {
        try {
            return Optional.ofNullable(
                    await(admin.describeTopics(List.of(name)).allTopicNames()).get(name));
        } catch (UnknownTopicOrPartitionException e) {
            return Optional.empty();
        }
    }

    /** The partitions of a topic; empty if it does not exist. */
    List<TopicPartition> partitions(String name) {
        return topic(name).stream()
                .flatMap(topic -> topic.partitions().stream())
                .map(each -> new TopicPartition(name, each.partition()))
                .toList();
    }

    /** The first available offset. */
    long begin(TopicPartition partition) {
        return offset(partition, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    }

    /** The log end offset. */
    long end(TopicPartition partition) {
        return offset(partition, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    }

    /** The last stable offset: all transactions before it have ended. */
    long committedEnd(TopicPartition partition) {
        return offset(partition, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    /**
     * Returns the present log end offset after all transactions before it have ended.
     *
     * <p>A commit becomes visible after a moment. The brokers end the transaction of a producer that was killed.
     *
     * @throws TimeoutException if a transaction stays open
     */
    long settledEnd(TopicPartition partition) {
        long end = end(partition);
        return retry(
                () -> committedEnd(partition) >= end ? Optional.of(end) : Optional.empty(),
                "a transaction on %s stays open".formatted(partition));
    }

    /**
     * Finds hanging transactions: they have ended, but the partition has lost the record that ends them.
     *
     * <p>Consumers of committed records never get past a hanging transaction. A coordinator knows an ongoing transaction from before its
     * first record until after its last one. So a transaction hangs if the partition reports it as open before and after the coordinators
     * report that it is not ongoing.
     */
    List<ProducerState> hanging(TopicPartition partition) {
        if (committedEnd(partition) >= end(partition)) {
            return List.of();
        }
        Map<Long, ProducerState> before = openTransactions(partition);
        Set<Long> known = before.isEmpty() ? Set.of() : ongoingProducers(before.keySet());
        return before.isEmpty()
                ? List.of()
                : openTransactions(partition).values().stream()
                        .filter(now -> !known.contains(now.producerId()))
                        .filter(now -> Optional.ofNullable(before.get(now.producerId()))
                                .filter(each -> each.currentTransactionStartOffset()
                                        .equals(now.currentTransactionStartOffset()))
                                .isPresent())
                        .toList();
    }

    /** Returns transactions that still hang after a while. A broker that has just restarted ends the transactions that it had left open. */
    List<ProducerState> awaitHanging(TopicPartition partition) {
        List<ProducerState> hanging = hanging(partition);
        for (long waited = 0;
                !hanging.isEmpty() && waited <= HANGING_WITHIN.toMillis();
                waited += RETRY_AFTER.toMillis()) {
            LockSupport.parkNanos(RETRY_AFTER.toNanos());
            hanging = hanging(partition);
        }
        return hanging;
    }

    private Map<Long, ProducerState> openTransactions(TopicPartition partition) {
        return await(admin.describeProducers(List.of(partition)).partitionResult(partition)).activeProducers().stream()
                .filter(each -> each.currentTransactionStartOffset().isPresent())
                .collect(Collectors.toMap(ProducerState::producerId, Function.identity()));
    }

    private Set<Long> ongoingProducers(Set<Long> producers) {
        var options = new ListTransactionsOptions().filterProducerIds(producers);
        return await(admin.listTransactions(options).all()).stream()
                .filter(each -> !ENDED_STATES.contains(each.state()))
                .map(TransactionListing::producerId)
                .collect(Collectors.toSet());
    }

    /**
     * Aborts the hanging transactions of a partition. Their records count as never written.
     *
     * @throws LogContinuityException if Kafka denies it: a secured Kafka lets only an administrator abort transactions
     */
    void endHanging(TopicPartition partition) {
        for (ProducerState each : hanging(partition)) {
            try {
                await(admin.abortTransaction(new AbortTransactionSpec(
                                partition,
                                each.producerId(),
                                (short) each.producerEpoch(),
                                each.coordinatorEpoch().orElse(0)))
                        .all());
            } catch (ClusterAuthorizationException e) {
                throw new LogContinuityException(
                        "%s has a hanging transaction, which this user may not abort: abort it as an administrator with kafka-transactions --bootstrap-server HOST:PORT abort --topic %s --partition %d --start-offset %d"
                                .formatted(
                                        partition,
                                        partition.topic(),
                                        partition.partition(),
                                        each.currentTransactionStartOffset().orElse(0)));
            }
        }
    }

    /**
     * Repeats a request until it has a result.
     *
     * @throws TimeoutException after a minute
     */
    private static <T> T retry(Supplier<Optional<T>> request, String otherwise) {
        for (long delay = 0; delay <= WAIT.toMillis(); delay += RETRY_AFTER.toMillis()) {
            Optional<T> answer = request.get();
            if (answer.isPresent()) {
                return answer.get();
            }
            pause();
        }
        throw new TimeoutException(otherwise);
    }

    private long offset(TopicPartition partition, OffsetSpec spec, IsolationLevel level) {
        ListOffsetsResult result = admin.listOffsets(Map.of(partition, spec), new ListOffsetsOptions(level));
        return await(result.partitionResult(partition)).offset();
    }

    /** The committed offsets of a group, without offsets in open transactions; empty if the group does not exist. */
    Map<TopicPartition, Long> committed(String group) {
        Map<TopicPartition, Long> offsets = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        try {
            listGroupOffsets(group, new ListConsumerGroupOffsetsSpec(), false).forEach((partition, offset) -> {
                if (offset != null) {
                    offsets.put(partition, offset.offset());
                }
            });
        } catch (GroupIdNotFoundException e) {
            return Map.of();
        }
        return offsets;
    }

    /**
     * The committed offset of a group, after all transactions over it have ended.
     *
     * <p>The producer ends its transaction, or the brokers do so after its timeout.
     *
     * @throws TimeoutException if a transaction stays open
     */
    OptionalLong committed(String group, TopicPartition partition) {
        var spec = new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(partition));
        try {
            return retry(
                    () -> offset(listGroupOffsets(group, spec, true), partition),
                    "a transaction of group %s on %s stays open".formatted(group, partition));
        } catch (GroupIdNotFoundException e) {
            return OptionalLong.empty();
        }
    }

    /** Parses the response, which omits a partition while a transaction over it is open. */
    private static Optional<OptionalLong> offset(
            Map<TopicPartition, OffsetAndMetadata> answer, TopicPartition partition) {
        OffsetAndMetadata offset = answer.get(partition);
        return answer.containsKey(partition)
                ? Optional.of(offset == null ? OptionalLong.empty() : OptionalLong.of(offset.offset()))
                : Optional.empty();
    }

    private Map<TopicPartition, OffsetAndMetadata> listGroupOffsets(
            String group, ListConsumerGroupOffsetsSpec spec, boolean requireStable) {
        var result = admin.listConsumerGroupOffsets(
                Map.of(group, spec), new ListConsumerGroupOffsetsOptions().requireStable(requireStable));
        return await(result.partitionsToOffsetAndMetadata(group));
    }

    /** Waits before the next attempt. */
    static void pause() {
        LockSupport.parkNanos(RETRY_AFTER.toNanos());
        if (Thread.interrupted()) {
            throw new InterruptException("interrupted while waiting for Kafka");
        }
    }

    /**
     * Sets committed offsets of a group without members.
     *
     * @throws org.apache.kafka.common.errors.ApiException if the group has members
     */
    void set(String group, Map<TopicPartition, Long> offsets) {
        Map<TopicPartition, OffsetAndMetadata> to =
                new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        offsets.forEach((partition, offset) -> to.put(partition, new OffsetAndMetadata(offset)));
        await(admin.alterConsumerGroupOffsets(group, to).all());
    }

    /** Whether a group has no members. */
    boolean isEmpty(String group) {
        try {
            return await(admin.describeConsumerGroups(List.of(group)).all()).values().stream()
                    .map(ConsumerGroupDescription::groupState)
                    .allMatch(state -> state == GroupState.EMPTY || state == GroupState.DEAD);
        } catch (GroupIdNotFoundException e) {
            return true;
        }
    }

    /** Removes the members of this instance from a group. They belong to an earlier process, which is fenced if it still runs. */
    void removeMembers(String group, String instance) {
        removeMembers(group, id -> id.startsWith(instance + "-"));
    }

    /** Removes members for threads that this instance no longer has. They would keep their partitions until their session times out. */
    void removeMembersBeyond(String group, String instance, int threads) {
        String thread = Pattern.quote(instance + "-") + "[0-9]{1,9}";
        removeMembers(
                group, id -> id.matches(thread) && Integer.parseInt(id.substring(instance.length() + 1)) > threads);
    }

    private void removeMembers(String group, Predicate<String> isMember) {
        try {
            List<MemberToRemove> members = await(
                            admin.describeConsumerGroups(List.of(group)).all())
                    .values()
                    .stream()
                    .flatMap(each -> each.members().stream())
                    .flatMap(member -> member.groupInstanceId().stream())
                    .filter(isMember)
                    .map(MemberToRemove::new)
                    .toList();
            if (!members.isEmpty()) {
                await(admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions(members))
                        .all());
            }
        } catch (GroupIdNotFoundException e) {
            // the group does not exist, so it has no members
        }
    }

    /** The log of the router. */
    static final TopicPartition ROUTER = new TopicPartition(Topics.ROUTER_IN, 0);

    static TopicPartition log(int cell) {
        return new TopicPartition(Topics.CELLS_IN, cell);
    }

    /** The partition with the ledger of a cell; the router has the partition after the last cell. */
    static TopicPartition ledger(int number) {
        return new TopicPartition(Topics.LEDGER, number);
    }

    private static <T> T await(KafkaFuture<T> future) {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    @Override
    public void close() {
        admin.close(Duration.ofSeconds(1));
    }
}
