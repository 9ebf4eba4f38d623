package dev.claimstream.allocator.streams;

import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.Packing;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.GrantRow;
import dev.claimstream.schemas.Granted;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.Revoked;
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
 * What we have decided: by {@code decisions.v1}, and where that may have lost its end by the ends of the ledgers and by what cells hold in
 * their changelogs. These may be old, lost or damaged as well: they count where they know of something later, and what cannot be read there
 * says nothing.
 */
final class OurDecisions {
    /** Among so many events at the end of a ledger the highest number is found; only releases speak of earlier ones. */
    private static final long LEDGER_TAIL = 10_000;

    /** Keys of the rows that it looks at. */
    private static final String GRANTS = "grant/";

    private static final String COUNT = "count";
    private static final String REVOKED = "revoked";

    private final Offsets offsets;
    private final Records records;
    private final RecordSerde<DecisionRecord> decisions;
    private final RecordSerde<LedgerEvent> ledgers;
    private final RecordSerde<StateRow> rows;
    private final Packing packing = new Packing();
    private final Map<String, DecisionRecord> lastByClaim = new LinkedHashMap<>();
    private final Set<String> buried = new HashSet<>();
    private final Map<String, DecisionRecord> remembered = new LinkedHashMap<>();
    private final List<DecisionRecord> lost = new ArrayList<>();
    private final SortedMap<Integer, Long> highestByCell = new TreeMap<>();
    private final Map<Integer, ByteBuffer> ledgerEnds = new HashMap<>();

    OurDecisions(Offsets offsets, Records records, SchemaRegistry registry) {
        this.offsets = offsets;
        this.records = records;
        decisions = AvroSerde.of(DecisionRecord.class, registry);
        ledgers = AvroSerde.of(LedgerEvent.class, registry);
        rows = AvroSerde.of(StateRow.class, registry).withBytesMax(2 * AvroSerde.BYTES_MAX);
    }

    /**
     * Reads all of them, once.
     *
     * @param cells how many there are; several have a router behind the last one
     * @throws Discontinuity if one in {@code decisions.v1} cannot be read
     */
    void read(int cells, Instant now) {
        for (TopicPartition partition : offsets.partitions(Topics.DECISIONS)) {
            records.each(partition, offsets.begin(partition), offsets.settledEnd(partition), this::takeSaid);
        }
        for (int cell = 0; cell < cells; cell++) {
            readLedger(cell);
            readChangelog(cell, now);
        }
        if (cells > 1) {
            readLedger(cells);
        }
        remembered.values().stream().filter(this::isLost).forEach(lost::add);
        lost.forEach(decision -> lastByClaim.put(decision.getClaimUid(), decision));
    }

    private void takeSaid(ConsumerRecord<byte[], byte[]> record) {
        switch (decisions.read(record.topic(), record.value())) {
            case Decoded.Value<DecisionRecord>(DecisionRecord decision) -> {
                lastByClaim.put(decision.getClaimUid(), decision);
                buried.remove(decision.getClaimUid());
                counts(decision.getCell(), decision.getNumber());
            }
            case Decoded.Tombstone<DecisionRecord>() -> {
                String claim = new String(record.key(), StandardCharsets.UTF_8);
                lastByClaim.remove(claim);
                buried.add(claim);
            }
            case Decoded.Bad<DecisionRecord> bad -> throw Rebuilding.unreadable("decision", record, bad);
        }
    }

    /** What gives nothing is no loss where nothing else is known of its claim: why it waits is found out anew. */
    private boolean isLost(DecisionRecord decision) {
        String claim = decision.getClaimUid();
        return !buried.contains(claim)
                && Optional.ofNullable(lastByClaim.get(claim))
                        .map(last -> Announcements.isLater(decision, last))
                        .orElseGet(() -> holds(decision));
    }

    /** What was taken back is held until the writer says that the claim does not have it. */
    static boolean holds(DecisionRecord decision) {
        return decision.getGranted().isPresent() || decision.getRevoked().isPresent();
    }

    /** Decisions on claims that are gone stand there alone, and have had their numbers. */
    private void readLedger(int number) {
        LedgerEnd end = LedgerEnd.read(Offsets.ledger(number), LEDGER_TAIL, offsets, records, ledgers);
        end.tail().forEach(event -> event.getDecision().ifPresent(this::remember));
        end.last().ifPresent(event -> ledgerEnds.put(number, event.getHash()));
    }

    private void readChangelog(int cell, Instant now) {
        var partition = new TopicPartition(AllocatorTopology.CHANGELOG, cell);
        if (!offsets.partitions(partition.topic()).contains(partition)) {
            return;
        }
        Map<String, StateRow> last = new LinkedHashMap<>();
        records.each(partition, offsets.begin(partition), offsets.settledEnd(partition), record -> {
            String key = new String(record.key(), StandardCharsets.UTF_8);
            if (key.startsWith(GRANTS) || key.equals(COUNT)) {
                last.remove(key);
                row(record).ifPresent(row -> last.put(key, row));
            }
        });
        for (StateRow row : last.values()) {
            row.getGrant().ifPresent(grant -> remember(decision(cell, grant, now)));
            row.getCount().ifPresent(count -> counts(cell, count.getDecisions()));
        }
    }

    private Optional<StateRow> row(ConsumerRecord<byte[], byte[]> record) {
        if (record.value() == null) {
            return Optional.empty();
        }
        try {
            return rows.read(CellRows.SUBJECT, packing.unpack(record.value()))
                            instanceof Decoded.Value<StateRow>(StateRow row)
                    ? Optional.of(row)
                    : Optional.empty();
        } catch (IllegalArgumentException e) { // it is damaged
            return Optional.empty();
        }
    }

    private static DecisionRecord decision(int cell, GrantRow grant, Instant now) {
        var given =
                new Granted(grant.getNode(), grant.getAllocation(), grant.getReservedFor(), grant.getClaimVersion());
        var decision = DecisionRecord.newBuilder()
                .setCell(cell)
                .setNumber(grant.getNumber())
                .setAt(now)
                .setClaimUid(grant.getClaimUid())
                .setNamespace(grant.getNamespace())
                .setName(grant.getName())
                .setItem(grant.getItem());
        return grant.getStanding().equals(REVOKED)
                ? decision.setRevoked(new Revoked(given, "it was taken back before a rebuild"))
                        .build()
                : decision.setGranted(given).build();
    }

    private void remember(DecisionRecord decision) {
        counts(decision.getCell(), decision.getNumber());
        remembered.merge(
                decision.getClaimUid(),
                decision,
                (known, other) -> Announcements.isLater(other, known) ? other : known);
    }

    private void counts(int cell, long number) {
        highestByCell.merge(cell, number, Math::max);
    }

    /** The last one on each claim of which there is something to say. */
    Collection<DecisionRecord> last() {
        return Collections.unmodifiableCollection(lastByClaim.values());
    }

    /** Those among them that do not stand in {@code decisions.v1} and should. */
    List<DecisionRecord> lost() {
        return Collections.unmodifiableList(lost);
    }

    /** The highest number of a decision of each cell, and of the router. */
    SortedMap<Integer, Long> highestByCell() {
        return Collections.unmodifiableSortedMap(highestByCell);
    }

    /** The hash of the last event of a ledger; empty where there is none. */
    ByteBuffer ledgerEnd(int number) {
        return ledgerEnds.getOrDefault(number, ByteBuffer.allocate(0));
    }
}
