package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Traces;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.wire.DecisionCodec;
import dev.claimstream.writer.PerClaimExecutor.CompletedCommit;
import dev.claimstream.writer.streams.DecisionBacklog;
import dev.claimstream.writer.streams.ExplanationDispatcher;
import dev.claimstream.writer.streams.FaultLog;
import dev.claimstream.writer.streams.OffsetCommitter;
import dev.claimstream.writer.streams.OutcomePublisher;
import dev.claimstream.writer.streams.StoredVersion;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes {@code decisions.v1}, commits each decision, and publishes the outcome to {@code outcomes.v1}.
 *
 * <p>The offset of a decision is committed after its outcome is acknowledged, so delivery is at least once. Of the
 * decisions that were in the topic at the start, only the latest of each claim is committed; the others are superseded.
 * If the cluster supports Events, the writer also consumes {@code explanations.v1}. One thread uses the Kafka consumer;
 * the public methods are safe for use by any thread.
 */
@Context
@Requires(property = "claimstream.writer.enabled", notEquals = "false")
@Requires(beans = DecisionCommitter.class)
public final class Writer {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
    private static final Duration POLL_SOON = Duration.ofMillis(200);
    private static final Duration POLL_BUSY = Duration.ofMillis(5);
    private static final long RETRY_DELAY_MS = 500;
    private static final int IN_FLIGHT_MAX = 5000;
    private static final DecisionCommitter.CommitResult SUPERSEDED =
            new DecisionCommitter.CommitResult(DecisionCommitter.CommitStatus.SUPERSEDED, "");

    private final DecisionCommitter commits;
    private final KafkaConnection kafka;
    private final PerClaimExecutor<DecisionPosition> executor;
    private final EventReporter eventReporter;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final OutcomePublisher outcomes;
    private final RecordSerde<DecisionRecord> decisions;
    private final ExplanationDispatcher explanations;
    private final InstantSource clock = InstantSource.system();
    private final WriterMeters meters;
    private final OffsetTracker<TopicPartition> offsetTracker = new OffsetTracker<>();
    private final AssignmentEpochs<TopicPartition> assignmentEpochs = new AssignmentEpochs<>();
    private final DecisionBacklog<PositionedDecision> backlog = new DecisionBacklog<>();
    private final OutcomeBatch<DecisionPosition> unpublished = new OutcomeBatch<>();
    private final OffsetCommitter offsets;
    private final Thread thread = new Thread(this::run, "writer");
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean caughtUp;
    private volatile boolean standby;
    private volatile int inFlight;
    private final FaultLog fault = new FaultLog(LOG, "decisions cannot be read; retrying");
    private volatile Optional<RuntimeException> failure = Optional.empty();

    Writer(
            DecisionCommitter commits,
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.writer.instance:writer}") String instance,
            @Value("${claimstream.writer.parallel:32}") int parallel,
            EventReporter eventReporter,
            Optional<GateTimeoutTimer> gateTimeout,
            Meters meters,
            Traces traces,
            Health health) {
        this.commits = commits;
        this.kafka = kafka;
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        explanations = new ExplanationDispatcher(
                registry,
                Stream.concat(Stream.of(eventReporter), gateTimeout.map(GateTimeoutTimer::gateTimeout).stream())
                        .toList());
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, instance)
                        .inGroup(StoredVersion.GROUP)
                        .withFetchWait(ConsumerSettings.IDLE)
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        offsets = new OffsetCommitter(consumer, commits::knownVersion);
        outcomes = new OutcomePublisher(kafka, registry, instance);
        this.meters = new WriterMeters(meters, traces, () -> inFlight);
        executor = new PerClaimExecutor<>(
                commits,
                parallel,
                position -> assignmentEpochs.isCurrent(position.partition(), position.epoch()),
                this.meters.listener(eventReporter));
        this.eventReporter = eventReporter;
        health.register("writer", this::condition);
    }

    /**
     * @param at timestamp of the input that led to the decision
     * @param readAt when the decision was read
     */
    private record DecisionPosition(TopicPartition partition, long offset, long epoch, Instant at, Instant readAt) {}

    private record PositionedDecision(DecisionPosition position, Decision decision) {}

    @PostConstruct
    void start() {
        thread.start();
    }

    /** Whether the writer runs; an unavailable broker or cluster does not stop it. */
    public boolean isAlive() {
        return failure.isEmpty();
    }

    /** Whether partitions are assigned and everything that was in them at assignment has been read. */
    public boolean isCaughtUp() {
        return caughtUp;
    }

    /** Returns the fault that stopped the writer. */
    public Optional<RuntimeException> failure() {
        return failure;
    }

    private Health.Condition condition() {
        if (failure.isPresent()) {
            return Health.Condition.terminal("stopped: " + failure.get());
        }
        Optional<String> reason = problem();
        if (reason.isPresent()) {
            return Health.Condition.degraded(
                    "%d decisions not committed, retrying: %s".formatted(inFlight, reason.get()));
        }
        if (standby) {
            return Health.Condition.up("standby");
        }
        return caughtUp
                ? Health.Condition.up("active, %d decisions not committed".formatted(inFlight))
                : Health.Condition.degraded("reading earlier decisions");
    }

    private Optional<String> problem() {
        return fault.current()
                .or(outcomes::problem)
                .or(() -> KafkaConnection.isOpen(consumer.metrics())
                        ? executor.retryReason()
                        : Optional.of("no connection to " + kafka.bootstrap()));
    }

    private interface ConsumerCloser extends AutoCloseable {
        @Override
        void close();
    }

    private void run() {
        try (ConsumerCloser _ = this::leaveGroup;
                outcomes) {
            consume();
            executor.close();
            publishOutcomes();
        } catch (WakeupException e) {
            LOG.atDebug().log("the writer stops");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure = Optional.of(e);
            LOG.atError().setCause(e).log("the writer stops");
        } finally {
            executor.close();
        }
    }

    /**
     * Leaves the group, so that another writer takes over at once. A static member would stay until its session
     * expires. Everything that was begun is committed by then.
     */
    private void leaveGroup() {
        consumer.close(CloseOptions.timeout(ConsumerSettings.CLOSE_WITHIN)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    }

    private void consume() throws InterruptedException {
        consumer.subscribe(
                eventReporter.isEnabled() ? List.of(Topics.DECISIONS, Topics.EXPLANATIONS) : List.of(Topics.DECISIONS),
                new DecisionRebalanceListener());
        while (closed.getCount() > 0) {
            try {
                step();
                fault.clear();
            } catch (WakeupException e) {
                LOG.atDebug().log("the writer is asked to stop");
            } catch (KafkaException e) {
                if (!(e instanceof RetriableException) && !AuthorizationFault.isCauseOf(e)) {
                    throw e;
                }
                fault.report(AuthorizationFault.text(e, kafka).orElse("no response from Kafka: " + e.getMessage()));
                pause();
            }
        }
    }

    private void step() throws InterruptedException {
        inFlight = offsetTracker.inFlightCount();
        if (inFlight >= IN_FLIGHT_MAX) {
            consumer.pause(consumer.assignment());
        } else {
            consumer.resume(consumer.paused());
        }
        accept(consumer.poll(pollWithin()));
        backlog.release(consumer).forEach(each -> executor.add(each.position(), each.decision()));
        explanations.updateRestore(consumer);
        caughtUp = backlog.isComplete() && !consumer.assignment().isEmpty();
        if (!publishOutcomes()) {
            pause();
        }
    }

    private Duration pollWithin() {
        if (inFlight > 0) {
            return POLL_BUSY;
        }
        boolean isIdle = caughtUp && explanations.isRestored() && offsets.isCommitted(offsetTracker.positions());
        return isIdle ? ConsumerSettings.IDLE : POLL_SOON;
    }

    private void pause() throws InterruptedException {
        var unused = closed.await(RETRY_DELAY_MS, TimeUnit.MILLISECONDS);
    }

    // ---- input

    private final class DecisionRebalanceListener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            partitions.forEach(assignmentEpochs::begin);
            standby = of(Topics.DECISIONS, consumer.assignment()).isEmpty();
            backlog.add(of(Topics.DECISIONS, partitions), consumer);
            explanations.restore(of(Topics.EXPLANATIONS, consumer.assignment()), consumer);
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            partitions.forEach(assignmentEpochs::end);
            backlog.remove(partitions);
            explanations.remove(partitions);
            partitions.forEach(offsetTracker::forget);
        }
    }

    private static List<TopicPartition> of(String topic, Collection<TopicPartition> partitions) {
        return partitions.stream().filter(each -> each.topic().equals(topic)).toList();
    }

    private void accept(ConsumerRecords<byte[], byte[]> records) throws InterruptedException {
        for (TopicPartition partition : records.partitions()) {
            for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
                var position = new DecisionPosition(
                        partition,
                        record.offset(),
                        assignmentEpochs.epoch(partition),
                        Instant.ofEpochMilli(record.timestamp()),
                        clock.instant());
                if (!accept(position, record)) {
                    consumer.seek(partition, record.offset());
                    pause();
                    break;
                }
            }
        }
    }

    /** Processes a record; false if the schema registry did not respond, so that the record must be read again. */
    private boolean accept(DecisionPosition position, ConsumerRecord<byte[], byte[]> record) {
        try {
            if (record.topic().equals(Topics.EXPLANATIONS)) {
                explanations.accept(record);
                offsetTracker.begin(position.partition(), position.offset());
                end(position);
            } else {
                onDecision(position, record, decisions.read(record.topic(), record.value()));
            }
            return true;
        } catch (RegistryException e) {
            LOG.atWarn().addKeyValue("why", e.getMessage()).log("no response from the schema registry; retrying");
            return false;
        }
    }

    private void onDecision(
            DecisionPosition position, ConsumerRecord<byte[], byte[]> record, DecodeResult<DecisionRecord> decoded) {
        offsetTracker.begin(position.partition(), position.offset());
        switch (decoded) {
            case DecodeResult.Value<DecisionRecord>(DecisionRecord value) ->
                accept(new PositionedDecision(position, DecisionCodec.from(value)));
            case DecodeResult.Tombstone<DecisionRecord>() -> end(position); // the claim is deleted: nothing to commit
            case DecodeResult.Failure<DecisionRecord>(var reason, String message) ->
                throw new IllegalStateException(
                        "%s at offset %d: %s: %s".formatted(record.topic(), record.offset(), reason.code(), message));
        }
    }

    private void accept(PositionedDecision positioned) {
        if (backlog.isComplete()) {
            executor.add(positioned.position(), positioned.decision());
        } else {
            backlog.add(positioned.decision().claimUid(), positioned)
                    .ifPresent(
                            old -> unpublished.add(new CompletedCommit<>(old.position(), old.decision(), SUPERSEDED)));
        }
    }

    // ---- output

    /**
     * Publishes outcomes and commits offsets, if the committer can report; false if the outcomes must be published again.
     */
    private boolean publishOutcomes() {
        boolean isClosing = closed.getCount() == 0;
        unpublished.addAll(executor.drainCompleted());
        if (!commits.canReport()) {
            return true;
        }
        if (unpublished.isDue(isClosing)) {
            if (!outcomes.publish(unpublished.reports(clock.instant()))) {
                return false;
            }
            unpublished.drainTo(this::end);
        }
        if (isClosing) {
            offsets.commitLast(offsetTracker.positions());
        } else {
            offsets.commit(offsetTracker.positions());
        }
        return true;
    }

    private void end(CompletedCommit<DecisionPosition> finished) {
        DecisionPosition position = finished.position();
        meters.recordEnd(finished, position.at(), position.readAt(), clock.instant());
        end(position);
    }

    private void end(DecisionPosition position) {
        offsetTracker.end(position.partition(), position.offset());
    }

    @PreDestroy
    void stop() {
        closed.countDown();
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
