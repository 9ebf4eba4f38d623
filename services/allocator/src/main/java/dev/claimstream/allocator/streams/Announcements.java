package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Decoded;
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
final class Announcements implements AutoCloseable {
    /** Number of ledger offsets that are read, transaction markers included. */
    private static final long LEDGER_TAIL = 1000;

    private static final long FIRST_LOOK = 16;
    private static final long FURTHER = 16;

    private final KafkaConnection kafka;
    private final String clientId;
    private final Offsets offsets;
    private final Records records;
    private final RecordSerde<DecisionRecord> decisions;
    private final RecordSerde<LedgerEvent> ledgers;

    Announcements(KafkaConnection kafka, SchemaRegistry registry, String clientId) {
        this.kafka = kafka;
        this.clientId = clientId;
        offsets = new Offsets(kafka);
        records = new Records(kafka, clientId);
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        ledgers = AvroSerde.of(LedgerEvent.class, registry);
    }

    /**
     * Compares the end of a ledger with {@code decisions.v1}.
     *
     * @param stands whether the claim of a decision exists or holds devices
     * @throws Discontinuity if a partition is missing, or has lost the end of a transaction
     */
    CellLog.Announced of(TopicPartition ledger, Predicate<DecisionRecord> stands) {
        if (!offsets.partitions(ledger.topic()).contains(ledger)) {
            throw new Discontinuity("topic %s has no partition %d, which has what was said before"
                    .formatted(ledger.topic(), ledger.partition()));
        }
        checkEnd(ledger);
        offsets.partitions(Topics.DECISIONS).forEach(this::checkEnd);
        LedgerEnd end = LedgerEnd.read(ledger, LEDGER_TAIL, offsets, records, ledgers);
        return new CellLog.Announced(end.begin(), end.last(), missing(end.tail(), stands));
    }

    private void checkEnd(TopicPartition partition) {
        if (!offsets.hangingStill(partition).isEmpty()) {
            throw Discontinuity.rebuildable(
                    "topic %s, partition %d, has records of a transaction that has ended, and not its end: what stood behind them is lost"
                            .formatted(partition.topic(), partition.partition()));
        }
    }

    private Optional<DecisionRecord> missing(List<LedgerEvent> tail, Predicate<DecisionRecord> stands) {
        Map<String, DecisionRecord> newestFirst = new LinkedHashMap<>();
        tail.reversed()
                .forEach(event -> event.getDecision()
                        .ifPresent(decision -> newestFirst.putIfAbsent(decision.getClaimUid(), decision)));
        int partitions = offsets.partitions(Topics.DECISIONS).size();
        if (partitions == 0) {
            return newestFirst.values().stream().filter(stands).findFirst();
        }
        return newestFirst.values().stream()
                .collect(Collectors.groupingBy(decision ->
                        Topics.shipped().get(Topics.DECISIONS).partitionOf(decision.getClaimUid(), partitions)))
                .entrySet()
                .stream()
                .flatMap(each ->
                        missing(new TopicPartition(Topics.DECISIONS, each.getKey()), each.getValue(), stands).stream())
                .findFirst();
    }

    /**
     * Finds a decision that {@code decisions.v1} has lost, in one partition.
     *
     * <p>A compacted topic may keep no record for a deleted claim. In that case the next older decision is the evidence.
     */
    private Optional<DecisionRecord> missing(
            TopicPartition partition, List<DecisionRecord> newestFirst, Predicate<DecisionRecord> stands) {
        Map<String, Optional<DecisionRecord>> said = said(partition, newestFirst);
        for (DecisionRecord decision : newestFirst) {
            String claim = decision.getClaimUid();
            if (said.containsKey(claim)) {
                return Optional.of(decision)
                        .filter(_ -> said.get(claim).stream().anyMatch(last -> isLater(decision, last)));
            }
            if (stands.test(decision)) {
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
    private Map<String, Optional<DecisionRecord>> said(TopicPartition partition, List<DecisionRecord> newestFirst) {
        Set<String> claims =
                newestFirst.stream().map(DecisionRecord::getClaimUid).collect(Collectors.toSet());
        String newest = newestFirst.getFirst().getClaimUid();
        long begin = offsets.begin(partition);
        long committed = offsets.committedEnd(partition);
        Map<String, Optional<DecisionRecord>> open = open(partition, committed, claims);
        Map<String, Optional<DecisionRecord>> said = new HashMap<>();
        long from = committed;
        for (long back = FIRST_LOOK;
                from > begin && !open.containsKey(newest) && !said.containsKey(newest);
                back *= FURTHER) {
            from = Math.max(begin, committed - back);
            records.each(partition, from, committed, record -> take(record, claims, said));
        }
        said.putAll(open);
        return said;
    }

    private Map<String, Optional<DecisionRecord>> open(TopicPartition partition, long from, Set<String> claims) {
        Map<String, Optional<DecisionRecord>> said = new HashMap<>();
        long end = offsets.end(partition);
        if (from < end) {
            try (var all = Records.withOpen(kafka, clientId + "-open")) {
                all.each(partition, from, end, record -> take(record, claims, said));
            }
        }
        return said;
    }

    private void take(
            ConsumerRecord<byte[], byte[]> record, Set<String> claims, Map<String, Optional<DecisionRecord>> said) {
        String claim = record.key() == null ? "" : new String(record.key(), StandardCharsets.UTF_8);
        if (claims.contains(claim)) {
            switch (decisions.read(record.topic(), record.value())) {
                case Decoded.Value<DecisionRecord>(DecisionRecord decision) -> said.put(claim, Optional.of(decision));
                case Decoded.Tombstone<DecisionRecord>() -> said.put(claim, Optional.empty());
                case Decoded.Bad<DecisionRecord> _ -> {}
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
