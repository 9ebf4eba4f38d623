package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads what the cells and the router have published, from the end of each topic.
 *
 * <p>Each cell has its own partition of the ledger. Each decision in the ledger is also in {@code decisions.v1}, to which all cells and the
 * router write.
 *
 * <p>Data loss truncates a partition at its end. So one decision that exists proves that all earlier decisions exist. The search for the
 * newest decision runs backwards, and it ends at once if nothing is lost.
 */
final class PublishedOutputReader implements AutoCloseable {
    /** Number of ledger offsets that are read, transaction markers included. */
    private static final long LEDGER_TAIL = 1000;

    private static final long FIRST_SPAN = 16;
    private static final long SPAN_FACTOR = 16;

    private final KafkaConnection kafka;
    private final String clientId;
    private final KafkaAdmin offsets;
    private final TopicRangeReader records;
    private final RecordSerde<DecisionRecord> decisions;
    private final RecordSerde<LedgerEvent> ledgers;

    PublishedOutputReader(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        this.kafka = kafka;
        this.clientId = clientId;
        offsets = new KafkaAdmin(kafka);
        records = new TopicRangeReader(kafka, clientId);
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        ledgers = AvroSerde.of(LedgerEvent.class, registry);
    }

    /**
     * Compares the end of a ledger with {@code decisions.v1}.
     *
     * @param isRelevant whether the claim of a decision exists or holds devices
     * @throws LogContinuityException if a partition is missing, or has lost the end of a transaction
     */
    CellLog.PublicationStatus read(TopicPartition ledger, Predicate<DecisionRecord> isRelevant) {
        if (!offsets.partitions(ledger.topic()).contains(ledger)) {
            throw new LogContinuityException("topic %s has no partition %d, which contains earlier outputs"
                    .formatted(ledger.topic(), ledger.partition()));
        }
        checkEnd(ledger);
        offsets.partitions(Topics.DECISIONS).forEach(this::checkEnd);
        LedgerEnd end = LedgerEnd.read(ledger, LEDGER_TAIL, offsets, records, ledgers);
        return new CellLog.PublicationStatus(end.begin(), end.last(), missing(end.tail(), isRelevant));
    }

    private void checkEnd(TopicPartition partition) {
        if (!offsets.awaitHanging(partition).isEmpty()) {
            throw LogContinuityException.rebuildable(
                    "topic %s, partition %d, has records of a committed transaction, but not its end: later records are lost"
                            .formatted(partition.topic(), partition.partition()));
        }
    }

    private Optional<DecisionRecord> missing(List<LedgerEvent> tail, Predicate<DecisionRecord> isRelevant) {
        Map<String, DecisionRecord> newestFirst = new LinkedHashMap<>();
        tail.reversed()
                .forEach(event -> event.getDecision()
                        .ifPresent(decision -> newestFirst.putIfAbsent(decision.getClaimUid(), decision)));
        int partitions = offsets.partitions(Topics.DECISIONS).size();
        if (partitions == 0) {
            return newestFirst.values().stream().filter(isRelevant).findFirst();
        }
        return newestFirst.values().stream()
                .collect(Collectors.groupingBy(decision ->
                        Topics.shipped().get(Topics.DECISIONS).partitionOf(decision.getClaimUid(), partitions)))
                .entrySet()
                .stream()
                .flatMap(each ->
                        missing(new TopicPartition(Topics.DECISIONS, each.getKey()), each.getValue(), isRelevant)
                                .stream())
                .findFirst();
    }

    /**
     * Finds a decision that {@code decisions.v1} has lost, in one partition.
     *
     * <p>A compacted topic may keep no record for a deleted claim. In that case the next older decision is the evidence.
     */
    private Optional<DecisionRecord> missing(
            TopicPartition partition, List<DecisionRecord> newestFirst, Predicate<DecisionRecord> isRelevant) {
        Map<String, Optional<DecisionRecord>> latest = latestDecisions(partition, newestFirst);
        for (DecisionRecord decision : newestFirst) {
            String claim = decision.getClaimUid();
            if (latest.containsKey(claim)) {
                return Optional.of(decision)
                        .filter(_ -> latest.get(claim).stream().anyMatch(last -> isLater(decision, last)));
            }
            if (isRelevant.test(decision)) {
                return Optional.of(decision);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the last record for each of these claims; an empty value is a tombstone.
     *
     * <p>The search goes back until it finds the newest decision. Transactions of other cells, and of the calling thread, may be open at
     * the end of the partition. The search does not wait for them: the decision is committed, so a record behind the committed end proves
     * it as well.
     */
    private Map<String, Optional<DecisionRecord>> latestDecisions(
            TopicPartition partition, List<DecisionRecord> newestFirst) {
        Set<String> claims =
                newestFirst.stream().map(DecisionRecord::getClaimUid).collect(Collectors.toSet());
        String newest = newestFirst.getFirst().getClaimUid();
        long begin = offsets.begin(partition);
        long committed = offsets.committedEnd(partition);
        Map<String, Optional<DecisionRecord>> open = uncommittedDecisions(partition, committed, claims);
        Map<String, Optional<DecisionRecord>> latest = new HashMap<>();
        long from = committed;
        for (long back = FIRST_SPAN;
                from > begin && !open.containsKey(newest) && !latest.containsKey(newest);
                back *= SPAN_FACTOR) {
            from = Math.max(begin, committed - back);
            records.forEach(partition, from, committed, record -> collect(record, claims, latest));
        }
        latest.putAll(open);
        return latest;
    }

    private Map<String, Optional<DecisionRecord>> uncommittedDecisions(
            TopicPartition partition, long from, Set<String> claims) {
        Map<String, Optional<DecisionRecord>> latest = new HashMap<>();
        long end = offsets.end(partition);
        if (from < end) {
            try (var all = TopicRangeReader.readUncommitted(kafka, clientId + "-open")) {
                all.forEach(partition, from, end, record -> collect(record, claims, latest));
            }
        }
        return latest;
    }

    private void collect(
            ConsumerRecord<byte[], byte[]> record, Set<String> claims, Map<String, Optional<DecisionRecord>> latest) {
        String claim = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
        if (claims.contains(claim)) {
            switch (decisions.read(record.topic(), record.value())) {
                case DecodeResult.Value<DecisionRecord>(DecisionRecord decision) ->
                    latest.put(claim, Optional.of(decision));
                case DecodeResult.Tombstone<DecisionRecord>() -> latest.put(claim, Optional.empty());
                case DecodeResult.Failure<DecisionRecord> _ -> {}
            }
        }
    }

    /** Whether a decision on a claim is later than another one. Numbers grow; a revocation and a release keep the number. */
    static boolean isLater(DecisionRecord decision, DecisionRecord other) {
        return decision.getNumber() > other.getNumber()
                || (decision.getNumber() == other.getNumber() && stage(decision) > stage(other));
    }

    private static int stage(DecisionRecord decision) {
        if (decision.getReleased()) {
            return 2;
        }
        return decision.getRevoked().isPresent() ? 1 : 0;
    }

    @Override
    public void close() {
        records.close();
        offsets.close();
    }
}
