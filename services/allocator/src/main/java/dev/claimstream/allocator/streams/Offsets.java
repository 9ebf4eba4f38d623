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
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Where topics and groups stand. Every question waits for its answer and is asked again for a while where a broker is silent. */
final class Offsets implements AutoCloseable {
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration CLEARED_WITHIN = Duration.ofSeconds(20);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(100);

    private static final Set<TransactionState> OVER =
            Set.of(TransactionState.EMPTY, TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT);

    private final Admin admin;

    Offsets(KafkaConnection kafka) {
        Properties properties = kafka.properties();
        properties.put("default.api.timeout.ms", Long.toString(WAIT.toMillis()));
        admin = Admin.create(properties);
    }

    /** A topic, if it is there. */
    Optional<TopicDescription> topic(String name) {
        try {
            return Optional.ofNullable(
                    await(admin.describeTopics(List.of(name)).allTopicNames()).get(name));
        } catch (UnknownTopicOrPartitionException e) {
            return Optional.empty();
        }
    }

    /** The partitions of a topic; none where it is not there. */
    List<TopicPartition> partitions(String name) {
        return topic(name).stream()
                .flatMap(topic -> topic.partitions().stream())
                .map(each -> new TopicPartition(name, each.partition()))
                .toList();
    }

    /** The first offset that is still there. */
    long begin(TopicPartition partition) {
        return offset(partition, OffsetSpec.earliest(), IsolationLevel.READ_UNCOMMITTED);
    }

    /** The offset of the next record. */
    long end(TopicPartition partition) {
        return offset(partition, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    }

    /** The end of what is committed. */
    long committedEnd(TopicPartition partition) {
        return offset(partition, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    /**
     * Where a log ends now, once no transaction over it is open up to there: one that is committed may not be seen for a moment, and one that
     * whoever was killed has left is ended by the brokers.
     *
     * @throws TimeoutException where one stays open
     */
    long settledEnd(TopicPartition partition) {
        long end = end(partition);
        return settled(
                () -> committedEnd(partition) >= end ? Optional.of(end) : Optional.empty(),
                "a transaction over %s stays open".formatted(partition));
    }

    /**
     * Transactions that stay open over a partition for ever: they have ended, and the partition has lost the record that says so. Nobody who
     * reads what is committed comes past them. Whoever has one that is open is known to its coordinator from before its first record until
     * after its last, so one that is open before and after the coordinators say that it is not is none of theirs.
     */
    List<ProducerState> hanging(TopicPartition partition) {
        if (committedEnd(partition) >= end(partition)) {
            return List.of();
        }
        Map<Long, ProducerState> before = open(partition);
        Set<Long> known = before.isEmpty() ? Set.of() : ongoing(before.keySet());
        return before.isEmpty()
                ? List.of()
                : open(partition).values().stream()
                        .filter(now -> !known.contains(now.producerId()))
                        .filter(now -> Optional.ofNullable(before.get(now.producerId()))
                                .filter(each -> each.currentTransactionStartOffset()
                                        .equals(now.currentTransactionStartOffset()))
                                .isPresent())
                        .toList();
    }

    /** Those that hang still after a while: a broker that has just come back ends what it had left open. */
    List<ProducerState> hangingStill(TopicPartition partition) {
        List<ProducerState> hanging = hanging(partition);
        for (long waited = 0;
                !hanging.isEmpty() && waited <= CLEARED_WITHIN.toMillis();
                waited += LOOK_AGAIN.toMillis()) {
            LockSupport.parkNanos(LOOK_AGAIN.toNanos());
            hanging = hanging(partition);
        }
        return hanging;
    }

    private Map<Long, ProducerState> open(TopicPartition partition) {
        return await(admin.describeProducers(List.of(partition)).partitionResult(partition)).activeProducers().stream()
                .filter(each -> each.currentTransactionStartOffset().isPresent())
                .collect(Collectors.toMap(ProducerState::producerId, Function.identity()));
    }

    private Set<Long> ongoing(Set<Long> producers) {
        var asked = new ListTransactionsOptions().filterProducerIds(producers);
        return await(admin.listTransactions(asked).all()).stream()
                .filter(each -> !OVER.contains(each.state()))
                .map(TransactionListing::producerId)
                .collect(Collectors.toSet());
    }

    /** Ends what hangs over a partition; what was written in it counts as never said. */
    void endHanging(TopicPartition partition) {
        for (ProducerState each : hanging(partition)) {
            await(admin.abortTransaction(new AbortTransactionSpec(
                            partition,
                            each.producerId(),
                            (short) each.producerEpoch(),
                            each.coordinatorEpoch().orElse(0)))
                    .all());
        }
    }

    /** Asks again for a while, as long as there is no answer. */
    private static <T> T settled(Supplier<Optional<T>> question, String otherwise) {
        for (long waited = 0; waited <= WAIT.toMillis(); waited += LOOK_AGAIN.toMillis()) {
            Optional<T> answer = question.get();
            if (answer.isPresent()) {
                return answer.get();
            }
            pause();
        }
        throw new TimeoutException(otherwise);
    }

    private long offset(TopicPartition partition, OffsetSpec spec, IsolationLevel level) {
        ListOffsetsResult asked = admin.listOffsets(Map.of(partition, spec), new ListOffsetsOptions(level));
        return await(asked.partitionResult(partition)).offset();
    }

    /** The offsets of a group by the transactions that are complete; whoever was killed may have left one open. */
    Map<TopicPartition, Long> ofGroup(String group) {
        Map<TopicPartition, Long> offsets = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        try {
            answered(group, new ListConsumerGroupOffsetsSpec(), false).forEach((partition, offset) -> {
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
     * The offset of a group in a partition, once no transaction over it is open: whoever has one goes on, or the brokers end it.
     *
     * @throws TimeoutException where one stays open
     */
    OptionalLong ofGroup(String group, TopicPartition partition) {
        var asked = new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(partition));
        try {
            return settled(
                    () -> offset(answered(group, asked, true), partition),
                    "a transaction of group %s over %s stays open".formatted(group, partition));
        } catch (GroupIdNotFoundException e) {
            return OptionalLong.empty();
        }
    }

    /** The answer leaves a partition out as long as a transaction over it is open. */
    private static Optional<OptionalLong> offset(
            Map<TopicPartition, OffsetAndMetadata> answer, TopicPartition partition) {
        OffsetAndMetadata offset = answer.get(partition);
        return answer.containsKey(partition)
                ? Optional.of(offset == null ? OptionalLong.empty() : OptionalLong.of(offset.offset()))
                : Optional.empty();
    }

    private Map<TopicPartition, OffsetAndMetadata> answered(
            String group, ListConsumerGroupOffsetsSpec spec, boolean requireStable) {
        var asked = admin.listConsumerGroupOffsets(
                Map.of(group, spec), new ListConsumerGroupOffsetsOptions().requireStable(requireStable));
        return await(asked.partitionsToOffsetAndMetadata(group));
    }

    /** Before the same question is asked again. */
    static void pause() {
        LockSupport.parkNanos(LOOK_AGAIN.toNanos());
        if (Thread.interrupted()) {
            throw new InterruptException("interrupted before the brokers had an answer");
        }
    }

    /**
     * Sets offsets of a group that nobody is in.
     *
     * @throws org.apache.kafka.common.errors.ApiException if somebody is
     */
    void set(String group, Map<TopicPartition, Long> offsets) {
        Map<TopicPartition, OffsetAndMetadata> to =
                new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        offsets.forEach((partition, offset) -> to.put(partition, new OffsetAndMetadata(offset)));
        await(admin.alterConsumerGroupOffsets(group, to).all());
    }

    /** Whether nobody is in a group. */
    boolean isEmpty(String group) {
        try {
            return await(admin.describeConsumerGroups(List.of(group)).all()).values().stream()
                    .map(ConsumerGroupDescription::groupState)
                    .allMatch(state -> state == GroupState.EMPTY || state == GroupState.DEAD);
        } catch (GroupIdNotFoundException e) {
            return true;
        }
    }

    /** Takes the members of this instance out of a group: they are of a process before this one, and fenced if that still lives. */
    void expel(String group, String instance) {
        expel(group, id -> id.startsWith(instance + "-"));
    }

    /** The same for threads that this instance has no more: they would keep what they worked on for as long as a session lasts. */
    void expelBeyond(String group, String instance, int threads) {
        String thread = Pattern.quote(instance + "-") + "[0-9]{1,9}";
        expel(group, id -> id.matches(thread) && Integer.parseInt(id.substring(instance.length() + 1)) > threads);
    }

    private void expel(String group, Predicate<String> isOurs) {
        try {
            List<MemberToRemove> ours = await(
                            admin.describeConsumerGroups(List.of(group)).all())
                    .values()
                    .stream()
                    .flatMap(each -> each.members().stream())
                    .flatMap(member -> member.groupInstanceId().stream())
                    .filter(isOurs)
                    .map(MemberToRemove::new)
                    .toList();
            if (!ours.isEmpty()) {
                await(admin.removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions(ours))
                        .all());
            }
        } catch (GroupIdNotFoundException e) {
            // then nobody is in it
        }
    }

    /** The log of the router. */
    static final TopicPartition ROUTER = new TopicPartition(Topics.ROUTER_IN, 0);

    /** The partition of a cell's log. */
    static TopicPartition log(int cell) {
        return new TopicPartition(Topics.CELLS_IN, cell);
    }

    /** The partition of a cell's ledger; that of the router comes behind the last one. */
    static TopicPartition ledger(int number) {
        return new TopicPartition(Topics.LEDGER, number);
    }

    private static <T> T await(KafkaFuture<T> asked) {
        try {
            return asked.get();
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
