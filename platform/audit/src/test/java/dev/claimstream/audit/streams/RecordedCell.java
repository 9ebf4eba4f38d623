package dev.claimstream.audit.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Step;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.ValueCompressor;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.Rebuild;
import dev.claimstream.schemas.StateHeaderRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.CellInputWriter;
import dev.claimstream.wire.StateRowCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A cell whose inputs and events are recorded in a log, as the allocator records them. */
final class RecordedCell {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String DRIVER = "gpu.example.com";
    private static final String ENGINE = "engine-of-the-test";
    private static final String ROWS = "cell-rows";
    private static final int NODES = 8;
    private static final int DEVICES = 4;
    private static final int SNAPSHOT_EVERY = 50;

    /** A few more claims than the devices allow; many pending claims would make each step slow. */
    private static final int CLAIMS_MAX = 20;

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final MemoryLog log = new MemoryLog(registry);
    private final LedgerChain chain = new LedgerChain(0, ByteBuffer.allocate(0));
    private final AvroSerde<CellInputRecord> inputs = AvroSerde.of(CellInputRecord.class, registry);
    private final AvroSerde<LedgerEvent> ledger = AvroSerde.of(LedgerEvent.class, registry);
    private final AvroSerde<StateRow> rows = AvroSerde.of(StateRow.class, registry);
    private final ValueCompressor packing = new ValueCompressor();
    private final Deque<Decision> unanswered = new ArrayDeque<>();
    private final List<ResourceClaim> claims = new ArrayList<>();
    private Cell cell = emptyCell();
    private final long snapshotEvery;
    private boolean commits;
    private long offset;
    private long version;
    private long epoch = 1;
    private int claimCount;

    private RecordedCell(long snapshotEvery) {
        this.snapshotEvery = snapshotEvery;
    }

    private static Cell emptyCell() {
        return new Cell(new State(new CelSelectors(), CellIdentity.SINGLE));
    }

    MemoryLog log() {
        return log;
    }

    /** Records a cluster, claims that come and go, and a rebuild in the middle. */
    static RecordedCell random(long seed, int steps) {
        return random(seed, steps, SNAPSHOT_EVERY);
    }

    /** The same without hashes of the rows: only decisions can differ. */
    static RecordedCell withoutSnapshots(long seed, int steps) {
        return random(seed, steps, Long.MAX_VALUE);
    }

    /** A cluster that commits decisions some time later, and claims with their allocations. There is no rebuild. */
    static RecordedCell committing(long seed, int steps) {
        var recorded = new RecordedCell(SNAPSHOT_EVERY);
        recorded.commits = true;
        return recorded.record(seed, steps);
    }

    private static RecordedCell random(long seed, int steps, long snapshotEvery) {
        return new RecordedCell(snapshotEvery).record(seed, steps);
    }

    private RecordedCell record(long seed, int steps) {
        var random = new Random(seed);
        addCluster();
        for (int step = 0; step < steps; step++) {
            if (step == steps / 2 && !commits) {
                rebuild();
            }
            change(random);
        }
        return this;
    }

    private void addCluster() {
        add(new Observation.SettingsChanged(CellSettings.defaults()));
        upsert(new DeviceClass(
                ObjectMeta.of("", "gpu", "uid-gpu"),
                List.of("device.driver == '" + DRIVER + "'"),
                List.of(),
                Optional.empty()));
        for (int number = 0; number < NODES; number++) {
            String node = "node-" + number;
            upsert(new Node(ObjectMeta.of("", node, "uid-" + node), List.of(), false, true));
            upsert(new ResourceSlice(
                    ObjectMeta.of("", "slice-" + node, "uid-slice-" + node),
                    DRIVER,
                    node,
                    1,
                    1,
                    new NodeScope.SingleNode(node),
                    IntStream.range(0, DEVICES)
                            .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                            .toList(),
                    List.of()));
        }
    }

    private void change(Random random) {
        int chance = random.nextInt(10);
        if (claims.isEmpty() || (chance < 4 && claims.size() < CLAIMS_MAX)) {
            ResourceClaim claim = claim("claim-" + claimCount++, 1 + random.nextInt(DEVICES));
            claims.add(claim);
            upsert(claim);
        } else if (chance < 7) {
            ResourceClaim claim = claims.remove(random.nextInt(claims.size()));
            add(new Observation.ObjectDeleted(
                    stamp(), claim.kind(), claim.meta().key(), claim.meta().uid()));
        } else if (commits) {
            Optional.ofNullable(unanswered.poll()).ifPresent(this::commit);
        } else {
            Optional.ofNullable(unanswered.poll())
                    .ifPresent(decision -> add(new Observation.CommitOutcome(
                            decision.claimUid(),
                            decision.number(),
                            chance == 7
                                    ? Observation.CommitOutcome.Result.REJECTED
                                    : Observation.CommitOutcome.Result.COMMITTED,
                            "",
                            version)));
        }
    }

    private void commit(Decision decision) {
        add(new Observation.CommitOutcome(
                decision.claimUid(), decision.number(), Observation.CommitOutcome.Result.COMMITTED, "", version));
        if (decision.result() instanceof Decision.DecisionResult.Allocated allocated) {
            claims.stream()
                    .filter(claim -> claim.meta().uid().equals(decision.claimUid()))
                    .findFirst()
                    .ifPresent(claim -> upsert(new ResourceClaim(
                            claim.meta(), claim.spec(), Optional.of(allocated.allocation()), List.of())));
        }
    }

    private static ResourceClaim claim(String name, long devices) {
        var spec = new RequestSpec("gpu", List.of(), AllocationMode.EXACT_COUNT, devices, List.of(), new TreeMap<>());
        return new ResourceClaim(
                ObjectMeta.of("team", name, "uid-" + name),
                new ClaimSpec(List.of(new DeviceRequest.Exactly("gpus", spec, Optional.empty())), List.of(), List.of()),
                Optional.empty(),
                List.of());
    }

    private void rebuild() {
        record(CellInputRecord.newBuilder()
                .setAt(now())
                .setRebuild(new Rebuild(chain.last()))
                .build());
        epoch++;
        claims.clear();
        unanswered.clear();
        addCluster();
    }

    private void upsert(ClusterObject object) {
        add(new Observation.ObjectUpserted(stamp(), object));
    }

    private Stamp stamp() {
        return new Stamp("watcher", epoch, ++version);
    }

    private Instant now() {
        return START.plusSeconds(offset);
    }

    private void add(Observation observation) {
        record(CellInputWriter.to(observation, now()));
    }

    private void record(CellInputRecord input) {
        Instant at = input.getAt();
        log.add(LogVerifier.INPUTS, 0, at, new byte[0], inputs.write(LogVerifier.INPUTS, input));
        if (input.getRebuild().isPresent()) {
            cell = emptyCell();
            add(chain.rebuild(offset, at, ENGINE));
        } else {
            Step step = cell.step(CellInputReader.from(offset, input).orElseThrow());
            step.facts().forEach(this::store);
            step.outputs().forEach(output -> publish(output, at));
        }
        if (offset % snapshotEvery == snapshotEvery - 1) {
            var hash = new RowsHash();
            cell.state().rows().forEach((key, row) -> hash.add(key, rows.write(ROWS, StateRowCodec.to(row))));
            add(chain.snapshot(offset, at, hash.value(), ENGINE));
            store(
                    "header",
                    rows.write(
                            ROWS,
                            StateRow.newBuilder()
                                    .setHeader(new StateHeaderRecord(StateRowCodec.FORMAT, ENGINE, "log", -1L))
                                    .setLedgerHash(chain.last())
                                    .build()));
        }
        offset++;
    }

    private void store(Fact fact) {
        switch (fact) {
            case Fact.Put(var row) -> store(row.key(), rows.write(ROWS, StateRowCodec.to(row)));
            case Fact.Drop(String key) -> log.addTombstone(Topics.CELL_CHANGELOG, 0, now(), key(key));
        }
    }

    private void store(String key, byte[] row) {
        log.add(Topics.CELL_CHANGELOG, 0, now(), key(key), packing.compress(row));
    }

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void publish(Output output, Instant at) {
        switch (output) {
            case Output.DecisionMade decided -> {
                add(chain.decision(offset, at, decided.decision(), ENGINE));
                if (decided.decision().result() instanceof Decision.DecisionResult.Allocated) {
                    unanswered.add(decided.decision());
                }
            }
            case Output.AlarmChanged alarm -> add(chain.alarm(offset, at, alarm, ENGINE));
            default -> {} // not in the ledger
        }
    }

    private void add(LedgerEvent event) {
        log.add(
                LogVerifier.LEDGER,
                0,
                event.getAt(),
                "0".getBytes(StandardCharsets.UTF_8),
                ledger.write(LogVerifier.LEDGER, event));
    }
}
