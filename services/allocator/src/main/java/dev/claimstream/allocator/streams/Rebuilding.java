package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Decoded;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInput;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.Granted;
import dev.claimstream.schemas.InventoryRecord;
import dev.claimstream.schemas.ItemId;
import dev.claimstream.schemas.PlacementRecord;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.Revoked;
import dev.claimstream.schemas.Waits;
import dev.claimstream.wire.RouterWire;
import dev.claimstream.wire.SettingsWire;
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
final class Rebuilding {
    private static final Logger LOG = LoggerFactory.getLogger(Rebuilding.class);

    /** A source that never syncs: while it is required, nothing is allocated. */
    private static final String GATE = "rebuild";

    /** Topics that cells and router write in transactions, which may hang after data loss. */
    private static final List<String> WRITTEN = List.of(
            Topics.CELLS_IN,
            Topics.ROUTER_IN,
            Topics.DECISIONS,
            Topics.EXPLANATIONS,
            Topics.LEDGER,
            Topics.PLACEMENT,
            AllocatorTopology.CHANGELOG);

    /** A killed process stays a member until its session times out. */
    private static final Duration OTHERS_LEAVE_WITHIN = Duration.ofSeconds(20);

    private final KafkaConnection kafka;
    private final String instance;
    private final InstantSource clock;
    private final Settings settings;
    private final Door door;
    private final RecordSerde<PlacementRecord> placements;
    private final SchemaRegistry registry;

    /** @param instance name of this process; group members of this name belong to an earlier process */
    Rebuilding(
            KafkaConnection kafka, SchemaRegistry registry, Settings settings, String instance, InstantSource clock) {
        this.instance = instance;
        this.kafka = kafka;
        this.registry = registry;
        this.clock = clock;
        this.settings = settings;
        door = new Door(registry, clock);
        placements = AvroSerde.of(PlacementRecord.class, registry);
    }

    /**
     * What a rebuild has written.
     *
     * @param cells number of cells
     * @param grants allocations that were restored
     * @param records records of the public topics
     * @param orphans allocations that were released because their claim no longer exists
     * @param saidAgain lost decisions that were published again
     */
    record Told(int cells, long grants, long records, long orphans, long saidAgain) {}

    /**
     * Runs the rebuild.
     *
     * @throws Discontinuity if another allocator runs
     */
    Told run() {
        Instant start = clock.instant();
        try (var offsets = new Offsets(kafka);
                var records = new Records(kafka, "rebuild");
                var log = new RebuildLog(kafka, registry)) {
            awaitAlone(offsets);
            Told told = new Run(offsets, records, log).run();
            LOG.atInfo()
                    .addKeyValue("cells", told.cells())
                    .addKeyValue("grants", told.grants())
                    .addKeyValue("records", told.records())
                    .addKeyValue("orphans", told.orphans())
                    .addKeyValue("saidAgain", told.saidAgain())
                    .addKeyValue(
                            "millis", Duration.between(start, clock.instant()).toMillis())
                    .log("the cells are told their world anew");
            return told;
        }
    }

    private void awaitAlone(Offsets offsets) {
        Instant limit = clock.instant().plus(OTHERS_LEAVE_WITHIN);
        for (String group : List.of(AllocatorTopology.APPLICATION, Intake.GROUP)) {
            offsets.expel(group, instance);
            while (!offsets.isEmpty(group)) {
                if (clock.instant().isAfter(limit)) {
                    throw new Discontinuity(
                            "claimstream.allocator.rebuild: group %s has members: stop every other allocator first"
                                    .formatted(group));
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
    private final class Run {
        private final Offsets offsets;
        private final Records records;
        private final RebuildLog log;
        private final OurDecisions ours;
        private final Map<String, String> uidByClaim = new LinkedHashMap<>();
        private final int cells;
        private long told;

        Run(Offsets offsets, Records records, RebuildLog log) {
            this.offsets = offsets;
            this.records = records;
            this.log = log;
            ours = new OurDecisions(offsets, records, registry);
            cells = offsets.partitions(Topics.CELLS_IN).size();
        }

        Told run() {
            log.begin();
            WRITTEN.forEach(topic -> offsets.partitions(topic).forEach(offsets::endHanging));
            ours.read(cells, clock.instant());
            Map<String, PlacementRecord> places = hasRouter() ? readPlacements() : Map.of();
            Map<TopicPartition, Long> from = forgetAll();
            long grants = tellGrants();
            places.values().forEach(place -> log.sendToRouter(RouterWire.to(place, clock.instant())));
            if (hasRouter()) {
                tellNodes();
            }
            Map<TopicPartition, Long> publicTo = tellPublic();
            long orphans = releaseOrphans();
            long saidAgain = sayLostAgain();
            tellWorld(input().setSettings(SettingsWire.to(settings)).build());
            log.commit(Map.of(AllocatorTopology.APPLICATION, from, Intake.GROUP, publicTo));
            return new Told(cells, grants, told, orphans, saidAgain);
        }

        private boolean hasRouter() {
            return cells > 1;
        }

        /** Sends an input to the router, or to the only cell. */
        private void tellWorld(CellInput input) {
            if (hasRouter()) {
                log.sendToRouter(RouterWire.to(input));
            } else {
                log.send(0, input);
            }
        }

        /** Resets the cells and the router; returns the offsets from which they read. Until the last settings they allocate nothing. */
        private Map<TopicPartition, Long> forgetAll() {
            Map<TopicPartition, Long> from = new LinkedHashMap<>();
            CellInput closed = input().setSettings(SettingsWire.to(gated())).build();
            for (int cell = 0; cell < cells; cell++) {
                from.put(Offsets.log(cell), log.sendAndWait(cell, forget(cell)));
                log.send(cell, closed);
            }
            if (hasRouter()) {
                from.put(Offsets.ROUTER, log.sendToRouterAndWait(RouterWire.to(forget(cells))));
                log.sendToRouter(RouterWire.to(closed));
            }
            return from;
        }

        /** Reads the last placement of each node. */
        private Map<String, PlacementRecord> readPlacements() {
            Map<String, PlacementRecord> places = new LinkedHashMap<>();
            for (TopicPartition partition : offsets.partitions(Topics.PLACEMENT)) {
                records.each(partition, offsets.begin(partition), offsets.settledEnd(partition), record -> {
                    switch (placements.read(record.topic(), record.value())) {
                        case Decoded.Value<PlacementRecord>(PlacementRecord place) ->
                            places.put(place.getNode(), place);
                        case Decoded.Tombstone<PlacementRecord>() -> {}
                        case Decoded.Bad<PlacementRecord> bad -> throw unreadable("placement", record, bad);
                    }
                });
            }
            return places;
        }

        /** The input that resets a cell, or the router after the last cell. Its ledger continues from its last hash. */
        private CellInput forget(int cell) {
            return input().setRebuild(new Rebuild(ours.ledgerEnd(cell))).build();
        }

        private long tellGrants() {
            ours.highestByCell().forEach((cell, number) -> tellAnswer(counted(cell, number)));
            List<DecisionRecord> grants =
                    ours.last().stream().filter(OurDecisions::holds).toList();
            grants.forEach(this::tellAnswer);
            return grants.size();
        }

        /** Sends a decision to its cell, and to the router, which tracks all allocations. */
        private void tellAnswer(DecisionRecord answer) {
            if (answer.getCell() < cells) {
                log.send(answer.getCell(), restored(answer));
            }
            if (hasRouter()) {
                log.sendToRouter(RouterWire.to(restored(answer)));
            }
        }

        private void tellNodes() {
            List<TopicPartition> partitions = offsets.partitions(Topics.INVENTORY);
            for (TopicPartition partition : partitions) {
                records.each(partition, offsets.begin(partition), offsets.committedEnd(partition), record -> {
                    if (door.take(record, partitions.size()) instanceof Door.Taken.Placed(CellInput input)
                            && input.getInventory()
                                    .flatMap(InventoryRecord::getNode)
                                    .isPresent()) {
                        tellWorld(input);
                    }
                });
            }
        }

        private Map<TopicPartition, Long> tellPublic() {
            Map<TopicPartition, Long> to = new LinkedHashMap<>();
            for (String topic : Door.TOPICS) {
                List<TopicPartition> partitions = offsets.partitions(topic);
                for (TopicPartition partition : partitions) {
                    long end = offsets.committedEnd(partition);
                    to.put(partition, end);
                    records.each(partition, offsets.begin(partition), end, record -> tell(record, partitions.size()));
                }
            }
            return to;
        }

        /** Replays a valid record. The intake has put all other records into {@code bad-records.v1}. */
        private void tell(ConsumerRecord<byte[], byte[]> record, int partitions) {
            if (door.take(record, partitions) instanceof Door.Taken.Placed(CellInput input)) {
                tellWorld(input);
                input.getClaims().ifPresent(this::note);
                told++;
            }
        }

        private void note(ClaimsRecord record) {
            record.getClaim().ifPresent(claim -> {
                var meta = claim.getMeta();
                uidByClaim.put(meta.getNamespace() + "/" + meta.getName(), meta.getUid());
            });
            record.getWithdrawn()
                    .filter(gone -> gone.getKind().equals(Kind.RESOURCE_CLAIM.apiName()))
                    .ifPresent(gone -> uidByClaim.remove(gone.getNamespace() + "/" + gone.getName()));
        }

        /** Publishes lost decisions again, so that the writer commits them. */
        private long sayLostAgain() {
            List<DecisionRecord> again =
                    ours.lost().stream().filter(each -> !isGone(each)).toList();
            again.forEach(log::say);
            return again.size();
        }

        private boolean isGone(DecisionRecord decision) {
            return !decision.getClaimUid().equals(uidByClaim.get(decision.getNamespace() + "/" + decision.getName()));
        }

        /** Releases the allocations of claims that no longer exist, and deletes the records of such claims without an allocation. */
        private long releaseOrphans() {
            List<DecisionRecord> gone =
                    ours.last().stream().filter(this::isGone).toList();
            gone.stream().filter(each -> !OurDecisions.holds(each)).forEach(each -> log.bury(each.getClaimUid()));
            List<DecisionRecord> orphans =
                    gone.stream().filter(OurDecisions::holds).toList();
            orphans.forEach(each -> log.send(
                    each.getCell(),
                    restored(DecisionRecord.newBuilder(each)
                            .setGranted((Granted) null)
                            .setRevoked((Revoked) null)
                            .setReleased(true)
                            .build())));
            return orphans.size();
        }
    }

    private Settings gated() {
        var sources = new TreeMap<Kind, SortedSet<String>>(settings.sources());
        var waited = new TreeSet<>(sources.getOrDefault(Kind.RESOURCE_CLAIM, new TreeSet<>()));
        waited.add(GATE);
        sources.put(Kind.RESOURCE_CLAIM, waited);
        return settings.withSources(sources);
    }

    static Discontinuity unreadable(String what, ConsumerRecord<byte[], byte[]> record, Decoded.Bad<?> bad) {
        return new Discontinuity(
                "claimstream.allocator.rebuild: the %s at offset %d of %s partition %d cannot be read: %s"
                        .formatted(what, record.offset(), record.topic(), record.partition(), bad.message()));
    }

    /** A pending decision without a claim: it only raises the last decision number of a cell. */
    private DecisionRecord counted(int cell, long number) {
        return DecisionRecord.newBuilder()
                .setCell(cell)
                .setNumber(number)
                .setAt(clock.instant())
                .setClaimUid("")
                .setNamespace("")
                .setName("")
                .setItem(new ItemId("claim", "", ""))
                .setWaits(new Waits(Reason.SourcesNotListed.name(), "numbers go on from here"))
                .build();
    }

    private CellInput restored(DecisionRecord decision) {
        return input().setRestored(decision).build();
    }

    private CellInput.Builder input() {
        return CellInput.newBuilder().setAt(clock.instant());
    }
}
