package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.StateRow;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds the cells if their states have a format that this program does not read, newer or older.
 *
 * <p>It waits until every allocator that reads the former format has stopped, so that a rolling change ends with the
 * rebuild. A format is not a loss: before the rebuild it checks that log and ledger match the state. Not thread-safe,
 * except for {@link #waitingReason}.
 */
final class StateFormatUpgrade {
    private static final Logger LOG = LoggerFactory.getLogger(StateFormatUpgrade.class);
    private static final Duration RETRY_AFTER = Duration.ofSeconds(10);
    private static final Duration RETRY_AFTER_MAX = Duration.ofHours(1);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final CellLog log;
    private final StateFormat format;
    private final String instance;
    private final Runnable rebuild;
    private final InstantSource clock;
    private volatile Optional<String> waitingReason = Optional.empty();
    private Instant retryAt = Instant.MIN;

    /** Pauses after another allocator has begun a rebuild. They become long enough for one of them to end it. */
    private final RetryPolicy retries = RetryPolicy.withoutJitter(RETRY_AFTER, RETRY_AFTER_MAX);

    /**
     * @param instance name of this process; group members of this name belong to an earlier process
     * @param rebuild rebuilds all cells from the public topics and the recorded decisions
     */
    StateFormatUpgrade(
            KafkaConnection kafka,
            SchemaRegistry registry,
            CellLog log,
            StateFormat format,
            String instance,
            Runnable rebuild,
            InstantSource clock) {
        this.kafka = kafka;
        this.registry = registry;
        this.log = log;
        this.format = format;
        this.instance = instance;
        this.rebuild = rebuild;
        this.clock = clock;
    }

    /** Returns what it waits for; empty if it does not wait. */
    Optional<String> waitingReason() {
        return waitingReason;
    }

    /**
     * Rebuilds the cells if it is necessary and possible now.
     *
     * @return false if other allocators have to stop first, or if another allocator rebuilds the cells
     * @throws LogContinuityException if a state of another format does not match its log or its ledger
     */
    boolean isComplete() {
        try (var offsets = new KafkaAdmin(kafka);
                var records = new TopicRangeReader(kafka, instance + "-format")) {
            SortedMap<Integer, StateHeader> others = unreadable(offsets, records, offsets::committedEnd);
            if (others.isEmpty()) {
                waitingReason = Optional.empty();
                return true;
            }
            String formats = "the state has format %d, and this program reads formats %d to %d"
                    .formatted(others.values().iterator().next().format(), format.oldestRead(), format.written());
            if (hasOtherMembers(offsets)) {
                report("%s: waiting until every allocator of the other version has stopped; then it is rebuilt"
                        .formatted(formats));
                return false;
            }
            if (clock.instant().isBefore(retryAt)) {
                report(formats + ": waiting for the rebuild by another allocator");
                return false;
            }
            report(formats + ": rebuilding it from the log");
            return isRebuilt(offsets, records);
        }
    }

    private void report(String reason) {
        if (!waitingReason.equals(Optional.of(reason))) {
            LOG.atInfo().addKeyValue("why", reason).log("the state has another format");
        }
        waitingReason = Optional.of(reason);
    }

    /** Checks log and ledger, and rebuilds. No allocator runs: so header and ledger do not change between the two reads. */
    private boolean isRebuilt(KafkaAdmin offsets, TopicRangeReader records) {
        try {
            SortedMap<Integer, StateHeader> others = unreadable(offsets, records, offsets::settledEnd);
            others.forEach((cell, header) ->
                    LogContinuityCheck.ofCell(cell, log).checkOtherFormat(log.position(KafkaAdmin.log(cell)), header));
            if (!others.isEmpty()) {
                rebuild.run();
            }
            waitingReason = Optional.empty();
            return true;
        } catch (LogContinuityException e) {
            if (!hasOtherMembers(offsets)) {
                throw e;
            }
            LOG.atInfo().addKeyValue("why", e.getMessage()).log("another allocator has started meanwhile");
        } catch (KafkaException e) {
            if (!isFenced(e)) {
                throw e;
            }
            Duration pause = retries.next();
            retryAt = clock.instant().plus(pause);
            LOG.atInfo()
                    .addKeyValue("why", e.getMessage())
                    .addKeyValue("retryAfter", pause)
                    .log("another allocator rebuilds the state, or the rebuild timed out");
        }
        return false;
    }

    /** Whether another producer has taken over the transaction, or it timed out. A failed send has this cause. */
    private static boolean isFenced(Throwable failure) {
        return failure instanceof ProducerFencedException
                || failure instanceof InvalidProducerEpochException
                || failure instanceof InvalidTxnStateException
                || (failure.getCause() != null && isFenced(failure.getCause()));
    }

    private boolean hasOtherMembers(KafkaAdmin offsets) {
        boolean isFree = true;
        for (String group : List.of(AllocatorTopology.APPLICATION, Intake.GROUP)) {
            offsets.removeMembers(group, instance);
            isFree &= offsets.isEmpty(group);
        }
        return !isFree;
    }

    /** The headers of the states that this program does not read, by cell; without those that a rebuild replaces already. */
    private SortedMap<Integer, StateHeader> unreadable(
            KafkaAdmin offsets, TopicRangeReader records, ToLongFunction<TopicPartition> end) {
        RecordSerde<StateRow> rows = AvroSerde.of(StateRow.class, registry);
        List<TopicPartition> changelogs = offsets.partitions(AllocatorTopology.CHANGELOG);
        SortedMap<Integer, StateHeader> found = new TreeMap<>();
        for (TopicPartition cell : offsets.partitions(Topics.CELLS_IN)) {
            var changelog = new TopicPartition(AllocatorTopology.CHANGELOG, cell.partition());
            if (changelogs.contains(changelog)) {
                records.last(changelog, offsets.begin(changelog), end.applyAsLong(changelog), CellRows::isHeader)
                        .flatMap(record -> header(rows, record.value()))
                        .filter(header -> !format.reads(header.format()))
                        .filter(_ -> !isReplaced(cell, offsets.committed(AllocatorTopology.APPLICATION, cell)))
                        .ifPresent(header -> found.put(cell.partition(), header));
            }
        }
        return found;
    }

    private boolean isReplaced(TopicPartition cell, OptionalLong committed) {
        return committed.isPresent() && log.isRebuild(cell, committed.getAsLong());
    }

    private static Optional<StateHeader> header(RecordSerde<StateRow> rows, byte[] value) {
        return rows.read(CellRows.SUBJECT, value) instanceof DecodeResult.Value<StateRow>(StateRow row)
                ? Optional.of(StateHeader.from(row))
                : Optional.empty(); // a damaged header is reported when a cell takes over the state
    }
}
