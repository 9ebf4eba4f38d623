package dev.claimstream.writer;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.CommitPace;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.wire.Decisions;
import dev.claimstream.writer.Lanes.Finished;
import dev.claimstream.writer.streams.Earlier;
import dev.claimstream.writer.streams.Explained;
import dev.claimstream.writer.streams.Outcomes;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
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
@Requires(beans = Commits.class)
public final class Writer {
    private static final Logger LOG = LoggerFactory.getLogger(Writer.class);
    private static final Duration POLL_SOON = Duration.ofMillis(200);
    private static final Duration POLL_BUSY = Duration.ofMillis(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_MS = 500;

    /**
     * Committed outcomes change nothing in the allocator, so they are published in batches: a single record is
     * expensive.
     */
    private static final Duration GATHER = Duration.ofMillis(50);

    private static final int OPEN_MAX = 5000;
    private static final Commits.Outcome SUPERSEDED = new Commits.Outcome(Commits.Result.SUPERSEDED, "");

    private final KafkaConnection kafka;
    private final Lanes<Place> lanes;
    private final Notes notes;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Outcomes outcomes;
    private final RecordSerde<DecisionRecord> decisions;
    private final Explained explained;
    private final InstantSource clock = InstantSource.system();
    private final Meters meters;
    private final Places<TopicPartition> places = new Places<>();
    private final Tenures<TopicPartition> tenures = new Tenures<>();
    private final Backlog<Placed> backlog = new Backlog<>();
    private final Earlier decidedEarlier = new Earlier();
    private final Earlier explainedEarlier = new Earlier();
    private final List<Finished<Place>> unsaid = new ArrayList<>();
    private long unsaidSince;
    private final CommitPace pace = CommitPace.ofHalfSeconds();
    private Map<TopicPartition, Long> committed = Map.of();
    private final Thread thread = new Thread(this::run, "writer");
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean following;
    private volatile boolean standingBy;
    private volatile int open;
    private volatile Optional<String> trouble = Optional.empty();
    private volatile Optional<RuntimeException> failure = Optional.empty();

    Writer(
            Commits commits,
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.writer.instance:writer}") String instance,
            @Value("${claimstream.writer.parallel:32}") int parallel,
            Notes notes,
            Meters meters,
            Health health) {
        this.kafka = kafka;
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        explained = new Explained(registry, notes);
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(kafka, instance)
                        .inGroup("claimstream-writer")
                        .withFetchWait(ConsumerSettings.IDLE)
                        .properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        outcomes = new Outcomes(kafka, registry, instance);
        lanes = new Lanes<>(
                commits, parallel, place -> tenures.lasts(place.partition(), place.tenure()), course(notes, meters));
        this.meters = meters;
        this.notes = notes;
        meters.showOne(Meter.WRITER_OPEN, () -> open);
        health.watch("writer", this::condition);
    }

    private static Lanes.Course course(Notes notes, Meters meters) {
        return new Lanes.Course() {
            @Override
            public void failed(Decision decision, Commits.Outcome outcome) {
                meters.count(Meter.WRITER_RETRIES);
                notes.failed(decision, outcome);
            }

            @Override
            public void ended(Decision decision) {
                notes.ended(decision);
            }
        };
    }

    private record Place(TopicPartition partition, long offset, long tenure) {}

    private record Placed(Place place, Decision decision) {}

    @PostConstruct
    void start() {
        thread.start();
    }

    /** Whether the writer runs; an unavailable broker or cluster does not stop it. */
    public boolean isAlive() {
        return failure.isEmpty();
    }

    /** Whether partitions are assigned and everything that was in them at assignment has been read. */
    public boolean isFollowing() {
        return following;
    }

    /** Returns the fault that stopped the writer. */
    public Optional<RuntimeException> failure() {
        return failure;
    }

    private Health.Condition condition() {
        if (failure.isPresent()) {
            return Health.Condition.over("stopped: " + failure.get());
        }
        Optional<String> why = trouble();
        if (why.isPresent()) {
            return Health.Condition.degraded("%d decisions to go, trying again: %s".formatted(open, why.get()));
        }
        if (standingBy) {
            return Health.Condition.up("stands by: others carry all decisions out");
        }
        return following
                ? Health.Condition.up("carries decisions out, %d to go".formatted(open))
                : Health.Condition.degraded("looks for what was decided before");
    }

    private Optional<String> trouble() {
        return trouble.or(() -> KafkaConnection.isOpen(consumer.metrics())
                ? lanes.trouble()
                : Optional.of("no connection to " + kafka.bootstrap()));
    }

    private interface Reading extends AutoCloseable {
        @Override
        void close();
    }

    private void run() {
        try (Reading _ = () -> consumer.close(CloseOptions.timeout(ConsumerSettings.CLOSE_WITHIN));
                outcomes) {
            follow();
            lanes.close();
            finish();
        } catch (WakeupException e) {
            LOG.atDebug().log("the writer stops");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure = Optional.of(e);
            LOG.atError().setCause(e).log("the writer stops");
        } finally {
            lanes.close();
        }
    }

    private void follow() throws InterruptedException {
        consumer.subscribe(
                notes.areTaken() ? List.of(Topics.DECISIONS, Topics.EXPLANATIONS) : List.of(Topics.DECISIONS),
                new Assigned());
        while (closed.getCount() > 0) {
            try {
                step();
                trouble = Optional.empty();
            } catch (WakeupException e) {
                LOG.atDebug().log("the writer is to stop");
            } catch (KafkaException e) {
                if (!(e instanceof RetriableException)) {
                    throw e;
                }
                LOG.atWarn().addKeyValue("why", e.getMessage()).log("the broker does not answer");
                trouble = Optional.of("the broker does not answer: " + e.getMessage());
                pause();
            }
        }
    }

    private void step() throws InterruptedException {
        open = places.openCount();
        if (open >= OPEN_MAX) {
            consumer.pause(consumer.assignment());
        } else {
            consumer.resume(consumer.paused());
        }
        take(consumer.poll(pollWithin()));
        releaseBacklog();
        releaseNotes();
        following = hasNoBacklog() && !consumer.assignment().isEmpty();
        if (!finish()) {
            pause();
        }
    }

    private Duration pollWithin() {
        if (open > 0) {
            return POLL_BUSY;
        }
        boolean isIdle =
                following && explainedEarlier.isRead() && places.positions().equals(committed);
        return isIdle ? ConsumerSettings.IDLE : POLL_SOON;
    }

    private void pause() throws InterruptedException {
        var unused = closed.await(PAUSE_MS, TimeUnit.MILLISECONDS);
    }

    // ---- input

    private final class Assigned implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            partitions.forEach(tenures::begin);
            standingBy = of(Topics.DECISIONS, consumer.assignment()).isEmpty();
            decidedEarlier.add(of(Topics.DECISIONS, partitions), consumer);
            explainAgain(of(Topics.EXPLANATIONS, consumer.assignment()));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            partitions.forEach(tenures::end);
            decidedEarlier.remove(partitions);
            explainedEarlier.remove(partitions);
            partitions.forEach(places::forget);
        }
    }

    private static List<TopicPartition> of(String topic, Collection<TopicPartition> partitions) {
        return partitions.stream().filter(each -> each.topic().equals(topic)).toList();
    }

    /** Reads explanations from the beginning: an explanation of an earlier process is valid until it is replaced. */
    private void explainAgain(List<TopicPartition> partitions) {
        notes.begin();
        explainedEarlier.add(partitions, consumer);
        if (!partitions.isEmpty()) { // an empty collection would mean all partitions, those of decisions too
            consumer.seekToBeginning(partitions);
        }
    }

    private void take(ConsumerRecords<byte[], byte[]> records) throws InterruptedException {
        for (TopicPartition partition : records.partitions()) {
            for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
                if (!take(new Place(partition, record.offset(), tenures.now(partition)), record)) {
                    consumer.seek(partition, record.offset());
                    pause();
                    break;
                }
            }
        }
    }

    /** Processes a record; false if the schema registry did not respond, so that the record must be read again. */
    private boolean take(Place place, ConsumerRecord<byte[], byte[]> record) {
        try {
            if (record.topic().equals(Topics.EXPLANATIONS)) {
                explained.take(record);
                places.begin(place.partition(), place.offset());
                end(place);
            } else {
                decided(place, record, decisions.read(record.topic(), record.value()));
            }
            return true;
        } catch (RegistryException e) {
            LOG.atWarn().addKeyValue("why", e.getMessage()).log("the registry does not answer");
            return false;
        }
    }

    private void decided(Place place, ConsumerRecord<byte[], byte[]> record, Decoded<DecisionRecord> decoded) {
        places.begin(place.partition(), place.offset());
        switch (decoded) {
            case Decoded.Value<DecisionRecord>(DecisionRecord value) -> take(new Placed(place, Decisions.from(value)));
            case Decoded.Tombstone<DecisionRecord>() -> end(place); // the claim is deleted: nothing to commit
            case Decoded.Bad<DecisionRecord>(var reason, String message) ->
                throw new IllegalStateException(
                        "%s at offset %d: %s: %s".formatted(record.topic(), record.offset(), reason.code(), message));
        }
    }

    private void take(Placed placed) {
        if (hasNoBacklog()) {
            lanes.add(placed.place(), placed.decision());
        } else {
            backlog.add(placed.decision().claimUid(), placed)
                    .ifPresent(old -> unsaid.add(new Finished<>(old.place(), old.decision(), SUPERSEDED)));
        }
    }

    private boolean hasNoBacklog() {
        return decidedEarlier.isRead();
    }

    private void releaseBacklog() {
        if (!hasNoBacklog()) {
            decidedEarlier.look(consumer);
            if (hasNoBacklog()) {
                backlog.take().forEach(each -> lanes.add(each.place(), each.decision()));
            }
        }
    }

    private void releaseNotes() {
        if (!explainedEarlier.isRead()) {
            explainedEarlier.look(consumer);
        }
        if (explainedEarlier.isRead()) {
            notes.go();
        }
    }

    // ---- output

    /** Publishes outcomes and commits offsets; false if the outcomes must be published again. */
    private boolean finish() {
        if (unsaid.isEmpty()) {
            unsaidSince = System.nanoTime();
        }
        unsaid.addAll(lanes.takeFinished());
        if (isTimeToSay()) {
            List<Outcomes.Said> said = unsaid.stream()
                    .filter(each -> !(each.decision().verdict() instanceof Decision.Verdict.Waits))
                    .map(this::said)
                    .toList();
            if (!outcomes.say(said)) {
                return false;
            }
            unsaid.forEach(this::end);
            unsaid.clear();
        }
        remember();
        return true;
    }

    private boolean isTimeToSay() {
        return !unsaid.isEmpty()
                && (closed.getCount() == 0
                        || System.nanoTime() - unsaidSince >= GATHER.toNanos()
                        || unsaid.stream().anyMatch(each -> each.outcome().result() != Commits.Result.COMMITTED));
    }

    private Outcomes.Said said(Finished<Place> finished) {
        return new Outcomes.Said(
                finished.decision().claimUid(),
                finished.decision().number(),
                finished.outcome().text(),
                finished.outcome().message(),
                finished.outcome().claimVersion(),
                clock.instant());
    }

    private void end(Finished<Place> finished) {
        end(finished.place());
        meters.count(Meter.WRITER_DECISIONS, finished.outcome().text());
    }

    private void end(Place place) {
        places.end(place.partition(), place.offset());
    }

    private void remember() {
        Map<TopicPartition, Long> positions = places.positions();
        boolean isOver = closed.getCount() == 0;
        if (!positions.equals(committed) && (isOver || pace.take())) {
            Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
            positions.forEach((partition, offset) -> offsets.put(partition, new OffsetAndMetadata(offset)));
            if (isOver) {
                rememberAtLast(offsets);
            } else {
                consumer.commitAsync(offsets, null);
            }
            committed = positions;
        }
    }

    /**
     * Commits the last offsets. If another writer has the partitions already, it repeats the decisions, which is
     * idempotent.
     */
    private void rememberAtLast(Map<TopicPartition, OffsetAndMetadata> offsets) {
        try {
            consumer.commitSync(offsets, TIMEOUT);
        } catch (CommitFailedException | RebalanceInProgressException e) {
            LOG.atDebug().addKeyValue("why", e.getMessage()).log("another writer goes on");
        }
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
