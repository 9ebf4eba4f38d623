package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.AllocatedDecision;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.PendingDecision;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.RevokedDecision;
import dev.claimstream.wire.RouterInputCodec;
import dev.claimstream.wire.SettingsCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rebuilds the state of all cells from the public topics and the recorded decisions.
 *
 * <p>One transaction writes the new offsets of both consumer groups and, to the log of each cell, in this order:
 * <ol>
 *   <li>a rebuild input, which resets the cell; a replay can start here,
 *   <li>settings with a source that never syncs, so that the cell allocates nothing,
 *   <li>the existing allocations,
 *   <li>the records of the public topics,
 *   <li>the configured settings, after which the cell may allocate again.
 * </ol>
 *
 * <p>It also publishes decisions again that {@code decisions.v1} has lost.
 *
 * <p>With several cells the router is rebuilt too, and steps 4 and 5 go through its log. Before step 4 the router gets the last placement
 * of each node and then the Nodes, so that a pool of several nodes goes to the cell of these nodes.
 *
 * <p>No other allocator may run: if a group has a member, the transaction fails and nothing changes.
 */
final class StateRebuild {
    private static final Logger LOG = LoggerFactory.getLogger(StateRebuild.class);

    /** A source that never syncs: while it is required, nothing is allocated. */
    private static final String GATE = "rebuild";

    /** Topics that cells and router write in transactions, which may hang after data loss. */
    private static final List<String> TRANSACTIONAL_TOPICS = List.of(
            Topics.CELLS_IN,
            Topics.ROUTER_IN,
            Topics.DECISIONS,
            Topics.EXPLANATIONS,
            Topics.COMPARISONS,
            Topics.LEDGER,
            Topics.PLACEMENT,
            AllocatorTopology.CHANGELOG);

    /** A killed process stays a member until its session times out. */
    private static final Duration MEMBERS_LEAVE_WITHIN = Duration.ofSeconds(20);

    private final KafkaConnection kafka;
    private final String instance;
    private final InstantSource clock;
    private final CellSettings settings;
    private final RecordValidator validator;
    private final RecordSerde<PlacementRecord> placements;
    private final SchemaRegistry registry;

    /** @param instance name of this process; group members of this name belong to an earlier process */
    StateRebuild(
            KafkaConnection kafka,
            SchemaRegistry registry,
            CellSettings settings,
            String instance,
            InstantSource clock) {
        this.instance = instance;
        this.kafka = kafka;
        this.registry = registry;
        this.clock = clock;
        this.settings = settings;
        validator = new RecordValidator(registry, clock);
        placements = AvroSerde.of(PlacementRecord.class, registry);
    }

    /**
     * What a rebuild has written.
     *
     * @param cells number of cells
     * @param allocations allocations that were restored
     * @param records records of the public topics
     * @param orphans allocations that were released because their claim no longer exists
     * @param republished lost decisions that were published again
     */
    record RebuildSummary(int cells, long allocations, long records, long orphans, long republished) {}

    /**
     * Runs the rebuild.
     *
     * @throws LogContinuityException if another allocator runs
     */
    RebuildSummary run() {
        Instant start = clock.instant();
        try (var offsets = new KafkaAdmin(kafka);
                var records = new TopicRangeReader(kafka, "rebuild");
                var log = new RebuildTransaction(kafka, registry)) {
            awaitEmptyGroups(offsets);
            RebuildSummary summary = new RebuildRun(offsets, records, log).run();
            LOG.atInfo()
                    .addKeyValue("cells", summary.cells())
                    .addKeyValue("allocations", summary.allocations())
                    .addKeyValue("records", summary.records())
                    .addKeyValue("orphans", summary.orphans())
                    .addKeyValue("republished", summary.republished())
                    .addKeyValue(
                            "millis", Duration.between(start, clock.instant()).toMillis())
                    .log("observations replayed into the cells");
            return summary;
        }
    }

    private void awaitEmptyGroups(KafkaAdmin offsets) {
        Instant limit = clock.instant().plus(MEMBERS_LEAVE_WITHIN);
        for (String group : List.of(AllocatorTopology.APPLICATION, Intake.GROUP)) {
            offsets.removeMembers(group, instance);
            while (!offsets.isEmpty(group)) {
                if (clock.instant().isAfter(limit)) {
                    throw LogContinuityException.hasMembers(group);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            boolean unused = new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new org.apache.kafka.common.errors.InterruptException(e);
        }
    }

    /** One run with its clients. */
    private final class RebuildRun {
        private final KafkaAdmin offsets;
        private final TopicRangeReader records;
        private final RebuildTransaction log;
        private final DecisionHistory history;
        private final Map<String, String> uidByClaim = new LinkedHashMap<>();
        private final int cells;
        private long replayed;

        RebuildRun(KafkaAdmin offsets, TopicRangeReader records, RebuildTransaction log) {
            this.offsets = offsets;
            this.records = records;
            this.log = log;
            history = new DecisionHistory(offsets, records, registry);
            cells = offsets.partitions(Topics.CELLS_IN).size();
        }

        RebuildSummary run() {
            log.begin();
            TRANSACTIONAL_TOPICS.forEach(topic -> offsets.partitions(topic).forEach(offsets::endHanging));
            history.read(cells, clock.instant());
            Map<String, PlacementRecord> placements = hasRouter() ? readPlacements() : Map.of();
            Map<TopicPartition, Long> from = resetAll();
            long allocations = restoreAllocations();
            placements.values().forEach(placement -> log.sendToRouter(RouterInputCodec.to(placement, clock.instant())));
            if (hasRouter()) {
                replayNodes();
            }
            Map<TopicPartition, Long> publicTo = replayPublicTopics();
            long orphans = releaseOrphans();
            long republished = republishLost();
            send(input().setSettings(SettingsCodec.to(settings)).build());
            log.commit(Map.of(AllocatorTopology.APPLICATION, from, Intake.GROUP, publicTo));
            return new RebuildSummary(cells, allocations, replayed, orphans, republished);
        }

        private boolean hasRouter() {
            return cells > 1;
        }

        /** Sends an input to the router, or to the only cell. */
        private void send(CellInputRecord input) {
            if (hasRouter()) {
                log.sendToRouter(RouterInputCodec.to(input));
            } else {
                log.send(0, input);
            }
        }

        /** Resets the cells and the router; returns the offsets from which they read. Until the last settings they allocate nothing. */
        private Map<TopicPartition, Long> resetAll() {
            Map<TopicPartition, Long> from = new LinkedHashMap<>();
            CellInputRecord closed =
                    input().setSettings(SettingsCodec.to(gatedSettings())).build();
            for (int cell = 0; cell < cells; cell++) {
                from.put(KafkaAdmin.log(cell), log.sendAndWait(cell, resetInput(cell)));
                log.send(cell, closed);
            }
            if (hasRouter()) {
                from.put(KafkaAdmin.ROUTER, log.sendToRouterAndWait(RouterInputCodec.to(resetInput(cells))));
                log.sendToRouter(RouterInputCodec.to(closed));
            }
            return from;
        }

        /** Reads the last placement of each node. */
        private Map<String, PlacementRecord> readPlacements() {
            Map<String, PlacementRecord> placementsByNode = new LinkedHashMap<>();
            for (TopicPartition partition : offsets.partitions(Topics.PLACEMENT)) {
                records.forEach(partition, offsets.begin(partition), offsets.settledEnd(partition), record -> {
                    switch (placements.read(record.topic(), record.value())) {
                        case DecodeResult.Value<PlacementRecord>(PlacementRecord placement) ->
                            placementsByNode.put(placement.getNode(), placement);
                        case DecodeResult.Tombstone<PlacementRecord>() -> {}
                        case DecodeResult.Failure<PlacementRecord> failure ->
                            throw unreadable("placement", record, failure);
                    }
                });
            }
            return placementsByNode;
        }

        /** The input that resets a cell, or the router after the last cell. Its ledger continues from its last hash. */
        private CellInputRecord resetInput(int cell) {
            return input().setRebuild(new Rebuild(history.ledgerEnd(cell))).build();
        }

        private long restoreAllocations() {
            history.highestByCell().forEach((cell, number) -> restoreDecision(numberMarker(cell, number)));
            List<DecisionRecord> allocations = history.latest().stream()
                    .filter(DecisionHistory::hasAllocation)
                    .toList();
            allocations.forEach(this::restoreDecision);
            return allocations.size();
        }

        /** Sends a decision to its cell, and to the router, which tracks all allocations. */
        private void restoreDecision(DecisionRecord decision) {
            if (decision.getCell() < cells) {
                log.send(decision.getCell(), restoredInput(decision));
            }
            if (hasRouter()) {
                log.sendToRouter(RouterInputCodec.to(restoredInput(decision)));
            }
        }

        private void replayNodes() {
            List<TopicPartition> partitions = offsets.partitions(Topics.INVENTORY);
            for (TopicPartition partition : partitions) {
                records.forEach(partition, offsets.begin(partition), offsets.committedEnd(partition), record -> {
                    if (validator.validate(record, partitions.size())
                                    instanceof RecordValidator.ValidationResult.Accepted(CellInputRecord input)
                            && input.getInventory()
                                    .flatMap(InventoryRecord::getNode)
                                    .isPresent()) {
                        send(input);
                    }
                });
            }
        }

        private Map<TopicPartition, Long> replayPublicTopics() {
            Map<TopicPartition, Long> to = new LinkedHashMap<>();
            for (String topic : RecordValidator.TOPICS) {
                List<TopicPartition> partitions = offsets.partitions(topic);
                for (TopicPartition partition : partitions) {
                    long end = offsets.committedEnd(partition);
                    to.put(partition, end);
                    records.forEach(
                            partition, offsets.begin(partition), end, record -> replay(record, partitions.size()));
                }
            }
            return to;
        }

        /** Replays a valid record. The intake has put all other records into {@code bad-records.v1}. */
        private void replay(ConsumerRecord<byte[], byte[]> record, int partitions) {
            if (validator.validate(record, partitions)
                    instanceof RecordValidator.ValidationResult.Accepted(CellInputRecord input)) {
                send(input);
                input.getClaims().ifPresent(this::indexClaim);
                replayed++;
            }
        }

        private void indexClaim(ClaimsRecord record) {
            record.getClaim().ifPresent(claim -> {
                var meta = claim.getMeta();
                uidByClaim.put(meta.getNamespace() + "/" + meta.getName(), meta.getUid());
            });
            record.getDeleted()
                    .filter(deleted -> deleted.getKind().equals(Kind.RESOURCE_CLAIM.apiName()))
                    .ifPresent(deleted -> uidByClaim.remove(deleted.getNamespace() + "/" + deleted.getName()));
        }

        /** Publishes lost decisions again, so that the writer commits them. */
        private long republishLost() {
            List<DecisionRecord> lost = history.lost().stream()
                    .filter(each -> !isClaimDeleted(each))
                    .toList();
            lost.forEach(log::sendDecision);
            return lost.size();
        }

        private boolean isClaimDeleted(DecisionRecord decision) {
            return !decision.getClaimUid().equals(uidByClaim.get(decision.getNamespace() + "/" + decision.getName()));
        }

        /** Releases the allocations of claims that no longer exist, and deletes the records of such claims without an allocation. */
        private long releaseOrphans() {
            List<DecisionRecord> deleted =
                    history.latest().stream().filter(this::isClaimDeleted).toList();
            deleted.stream()
                    .filter(each -> !DecisionHistory.hasAllocation(each))
                    .forEach(each -> log.sendTombstone(each.getClaimUid()));
            List<DecisionRecord> orphans =
                    deleted.stream().filter(DecisionHistory::hasAllocation).toList();
            orphans.forEach(each -> log.send(
                    each.getCell(),
                    restoredInput(DecisionRecord.newBuilder(each)
                            .setAllocated((AllocatedDecision) null)
                            .setRevoked((RevokedDecision) null)
                            .setReleased(true)
                            .build())));
            return orphans.size();
        }
    }

    private CellSettings gatedSettings() {
        var sources = new TreeMap<Kind, SortedSet<String>>(settings.sources());
        var required = new TreeSet<>(sources.getOrDefault(Kind.RESOURCE_CLAIM, new TreeSet<>()));
        required.add(GATE);
        sources.put(Kind.RESOURCE_CLAIM, required);
        return settings.toBuilder().sources(sources).build();
    }

    static LogContinuityException unreadable(
            String what, ConsumerRecord<byte[], byte[]> record, DecodeResult.Failure<?> failure) {
        return new LogContinuityException(
                "claimstream.allocator.rebuild: the %s at offset %d of %s partition %d cannot be read: %s"
                        .formatted(what, record.offset(), record.topic(), record.partition(), failure.message()));
    }

    /** A pending decision without a claim: it only raises the last decision number of a cell. */
    private DecisionRecord numberMarker(int cell, long number) {
        return DecisionRecord.newBuilder()
                .setCell(cell)
                .setNumber(number)
                .setAt(clock.instant())
                .setClaimUid("")
                .setNamespace("")
                .setName("")
                .setItem(new ItemIdRecord("claim", "", ""))
                .setPending(new PendingDecision(Reason.SourcesNotSynced.name(), "decision numbers continue from here"))
                .build();
    }

    private CellInputRecord restoredInput(DecisionRecord decision) {
        return input().setRestoredDecision(decision).build();
    }

    private CellInputRecord.Builder input() {
        return CellInputRecord.newBuilder().setAt(clock.instant());
    }
}
