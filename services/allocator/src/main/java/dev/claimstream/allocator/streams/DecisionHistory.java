package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.AllocatedDecision;
import dev.claimstream.schemas.AllocationRowRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.RevokedDecision;
import dev.claimstream.schemas.StateRow;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Reads all decisions that this system has made.
 *
 * <p>The source is {@code decisions.v1}. It may have lost its end: then the ledgers and the changelogs of the cells supply later decisions.
 * These may be old, damaged or truncated as well, so they only add decisions, and records that cannot be decoded are skipped.
 */
final class DecisionHistory {
    /** Number of offsets read at the end of a ledger. The highest decision number is among them: only releases have earlier numbers. */
    private static final long LEDGER_TAIL = 10_000;

    /** Key prefix of the rows with allocations. */
    private static final String ALLOCATIONS = "allocation/";

    /** The prefix in changelogs of format 3. The rows are the same. */
    private static final String ALLOCATIONS_BEFORE = "grant/";

    private static final String COUNT = "count";
    private static final String REVOKED = "revoked";

    private final KafkaAdmin offsets;
    private final TopicRangeReader records;
    private final RecordSerde<DecisionRecord> decisions;
    private final RecordSerde<LedgerEvent> ledgers;
    private final RecordSerde<StateRow> rows;
    private final ValueCompressor packing = new ValueCompressor();
    private final Map<String, DecisionRecord> lastByClaim = new LinkedHashMap<>();
    private final Set<String> tombstones = new HashSet<>();
    private final Map<String, DecisionRecord> recovered = new LinkedHashMap<>();
    private final List<DecisionRecord> lost = new ArrayList<>();
    private final SortedMap<Integer, Long> highestByCell = new TreeMap<>();
    private final Map<Integer, ByteBuffer> ledgerEnds = new HashMap<>();

    DecisionHistory(KafkaAdmin offsets, TopicRangeReader records, SchemaRegistry registry) {
        this.offsets = offsets;
        this.records = records;
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        ledgers = AvroSerde.of(LedgerEvent.class, registry);
        rows = AvroSerde.of(StateRow.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
    }

    /**
     * Reads all decisions. It is called once.
     *
     * @param cells number of cells; several cells have a router, with the number after the last cell
     * @throws LogContinuityException if a record in {@code decisions.v1} cannot be decoded
     */
    void read(int cells, Instant now) {
        for (TopicPartition partition : offsets.partitions(Topics.DECISIONS)) {
            records.forEach(partition, offsets.begin(partition), offsets.settledEnd(partition), this::readDecision);
        }
        for (int cell = 0; cell < cells; cell++) {
            readLedger(cell);
            readChangelog(cell, now);
        }
        if (cells > 1) {
            readLedger(cells);
        }
        recovered.values().stream().filter(this::isLost).forEach(lost::add);
        lost.forEach(decision -> lastByClaim.put(decision.getClaimUid(), decision));
    }

    private void readDecision(ConsumerRecord<byte[], byte[]> record) {
        switch (decisions.read(record.topic(), record.value())) {
            case DecodeResult.Value<DecisionRecord>(DecisionRecord decision) -> {
                lastByClaim.put(decision.getClaimUid(), decision);
                tombstones.remove(decision.getClaimUid());
                updateHighest(decision.getCell(), decision.getNumber());
            }
            case DecodeResult.Tombstone<DecisionRecord>() -> {
                String claim = new String(record.key(), StandardCharsets.UTF_8);
                lastByClaim.remove(claim);
                tombstones.add(claim);
            }
            case DecodeResult.Failure<DecisionRecord> failure ->
                throw StateRebuild.unreadable("decision", record, failure);
        }
    }

    /**
     * Whether {@code decisions.v1} has lost a decision. A pending decision is no loss if nothing else is known about its claim: the cell
     * finds the reason again.
     */
    private boolean isLost(DecisionRecord decision) {
        String claim = decision.getClaimUid();
        return !tombstones.contains(claim)
                && Optional.ofNullable(lastByClaim.get(claim))
                        .map(last -> PublishedOutputReader.isLater(decision, last))
                        .orElseGet(() -> hasAllocation(decision));
    }

    /**
     * Whether the claim of a decision holds devices. Revoked devices are held until the writer confirms that the claim does not have them.
     */
    static boolean hasAllocation(DecisionRecord decision) {
        return decision.getAllocated().isPresent() || decision.getRevoked().isPresent();
    }

    /** Reads the end of a ledger. Only the ledger has decisions on deleted claims; their numbers must not be used again. */
    private void readLedger(int number) {
        LedgerEnd end = LedgerEnd.read(KafkaAdmin.ledger(number), LEDGER_TAIL, offsets, records, ledgers);
        end.tail().forEach(event -> event.getDecision().ifPresent(this::recover));
        end.last().ifPresent(event -> ledgerEnds.put(number, event.getHash()));
    }

    private void readChangelog(int cell, Instant now) {
        var partition = new TopicPartition(AllocatorTopology.CHANGELOG, cell);
        if (!offsets.partitions(partition.topic()).contains(partition)) {
            return;
        }
        Map<String, StateRow> last = new LinkedHashMap<>();
        records.forEach(partition, offsets.begin(partition), offsets.settledEnd(partition), record -> {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (isAllocation(key) || key.equals(COUNT)) {
                last.remove(key);
                row(record).ifPresent(row -> last.put(key, row));
            }
        });
        for (StateRow row : last.values()) {
            row.getAllocation().ifPresent(allocationRow -> recover(decision(cell, allocationRow, now)));
            row.getCounters().ifPresent(count -> updateHighest(cell, count.getDecisions()));
        }
    }

    /** Whether the row of a changelog key is an allocation, in this format or the one before. */
    static boolean isAllocation(String key) {
        return key.startsWith(ALLOCATIONS) || key.startsWith(ALLOCATIONS_BEFORE);
    }

    private Optional<StateRow> row(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return Optional.empty();
        }
        try {
            return rows.read(CellRows.SUBJECT, packing.decompress(record.value()))
                            instanceof DecodeResult.Value<StateRow>(StateRow row)
                    ? Optional.of(row)
                    : Optional.empty();
        } catch (IllegalArgumentException e) { // the row is damaged
            return Optional.empty();
        }
    }

    private static DecisionRecord decision(int cell, AllocationRowRecord row, Instant now) {
        var allocated =
                new AllocatedDecision(row.getNode(), row.getAllocation(), row.getReservedFor(), row.getClaimVersion());
        var decision = DecisionRecord.newBuilder()
                .setCell(cell)
                .setNumber(row.getNumber())
                .setAt(now)
                .setClaimUid(row.getClaimUid())
                .setNamespace(row.getNamespace())
                .setName(row.getName())
                .setItem(row.getItem());
        return row.getCommitState().equals(REVOKED)
                ? decision.setRevoked(new RevokedDecision(allocated, "it was revoked before a rebuild"))
                        .build()
                : decision.setAllocated(allocated).build();
    }

    private void recover(DecisionRecord decision) {
        updateHighest(decision.getCell(), decision.getNumber());
        recovered.merge(
                decision.getClaimUid(),
                decision,
                (last, other) -> PublishedOutputReader.isLater(other, last) ? other : last);
    }

    private void updateHighest(int cell, long number) {
        highestByCell.merge(cell, number, Math::max);
    }

    /** The last decision on each claim, without claims that ended with a tombstone. */
    Collection<DecisionRecord> latest() {
        return Collections.unmodifiableCollection(lastByClaim.values());
    }

    /** The decisions among them that {@code decisions.v1} has lost. */
    List<DecisionRecord> lost() {
        return Collections.unmodifiableList(lost);
    }

    /** The highest decision number of each cell and of the router. */
    SortedMap<Integer, Long> highestByCell() {
        return Collections.unmodifiableSortedMap(highestByCell);
    }

    /** The hash of the last event of a ledger; empty if it has no event. */
    ByteBuffer ledgerEnd(int number) {
        return ledgerEnds.getOrDefault(number, ByteBuffer.allocate(0));
    }
}
