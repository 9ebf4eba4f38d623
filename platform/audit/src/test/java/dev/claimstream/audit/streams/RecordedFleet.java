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
import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
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
import dev.claimstream.schemas.RouterInputRecord;
import dev.claimstream.schemas.StateHeaderRecord;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.schemas.TelemetryRecord;
import dev.claimstream.schemas.WorkSlice;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.CellInputWriter;
import dev.claimstream.wire.RouterInputCodec;
import dev.claimstream.wire.StateRowCodec;
import dev.claimstream.wire.Telemetry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A router and two cells whose inputs and events are recorded in a log, as the allocator records them. */
final class RecordedFleet {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    static final int CELLS = 2;
    static final int NODES = 6;
    static final int DEVICES = 4;

    /** More than the devices allow, so that some claims stay pending at the router. */
    private static final int CLAIMS_MAX = 16;

    private static final String DRIVER = "gpu.example.com";
    private static final String ENGINE = "engine-of-the-test";
    private static final String ROWS = "cell-rows";
    private static final int SNAPSHOT_EVERY = 60;

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final MemoryLog log = new MemoryLog(registry);
    private final AvroSerde<RouterInputRecord> routerInputs = AvroSerde.of(RouterInputRecord.class, registry);
    private final AvroSerde<CellInputRecord> inputs = AvroSerde.of(CellInputRecord.class, registry);
    private final AvroSerde<LedgerEvent> ledger = AvroSerde.of(LedgerEvent.class, registry);
    private final AvroSerde<StateRow> rows = AvroSerde.of(StateRow.class, registry);
    private final AvroSerde<TelemetryRecord> telemetry = AvroSerde.of(TelemetryRecord.class, registry);
    private final ValueCompressor packing = new ValueCompressor();
    private final List<LedgerChain> chains = new ArrayList<>();
    private final List<Cell> cells = new ArrayList<>();
    private final List<Deque<CellInputRecord>> cellsIn = new ArrayList<>();
    private final Deque<RouterInputRecord> routerIn = new ArrayDeque<>();
    private final Deque<Decision> unanswered = new ArrayDeque<>();
    private final List<ResourceClaim> claims = new ArrayList<>();
    private final Random random;
    private Router router = new Router(new RouterState(CELLS));
    private Instant now = START;
    private long version;
    private long epoch = 1;
    private int claimCount;

    private RecordedFleet(long seed) {
        random = new Random(seed);
        for (int cell = 0; cell < CELLS; cell++) {
            cells.add(new Cell(new State(new CelSelectors(), new CellIdentity(cell, CELLS))));
            cellsIn.add(new ArrayDeque<>());
        }
        for (int each = 0; each <= CELLS; each++) {
            chains.add(new LedgerChain(each, ByteBuffer.allocate(0)));
        }
        addCluster();
    }

    /** Records claims that are created, pending, committed and deleted. */
    static RecordedFleet random(long seed, int steps) {
        var fleet = new RecordedFleet(seed);
        fleet.change(steps);
        return fleet;
    }

    MemoryLog log() {
        return log;
    }

    void change(int steps) {
        for (int step = 0; step < steps; step++) {
            change();
        }
    }

    private void addCluster() {
        observe(new Observation.SettingsChanged(CellSettings.defaults()));
        upsert(new DeviceClass(
                ObjectMeta.of("", "gpu", "uid-gpu"),
                List.of("device.driver == '" + DRIVER + "'"),
                List.of(),
                Optional.empty()));
        for (int number = 0; number < NODES; number++) {
            String node = "node-" + number;
            upsert(new Node(ObjectMeta.of("", node, "uid-" + node), List.of(), false, true));
            upsert(ResourceSlice.builder(ObjectMeta.of("", "slice-" + node, "uid-slice-" + node), DRIVER, node)
                    .scope(new NodeScope.SingleNode(node))
                    .devices(IntStream.range(0, DEVICES)
                            .mapToObj(i -> Device.of("gpu-" + i, new TreeMap<>(), new TreeMap<>()))
                            .toList())
                    .build());
        }
    }

    private void change() {
        int chance = random.nextInt(10);
        if (claims.isEmpty() || (chance < 4 && claims.size() < CLAIMS_MAX)) {
            ResourceClaim claim = claim("claim-" + claimCount++, 1 + random.nextInt(DEVICES));
            claims.add(claim);
            upsert(claim);
        } else if (chance < 6) {
            ResourceClaim claim = claims.remove(random.nextInt(claims.size()));
            observe(new Observation.ObjectDeleted(
                    stamp(), claim.kind(), claim.meta().key(), claim.meta().uid()));
        } else {
            Optional.ofNullable(unanswered.poll()).ifPresent(this::commit);
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

    private void commit(Decision decision) {
        observe(new Observation.CommitOutcome(
                decision.claimUid(), decision.number(), Observation.CommitOutcome.Result.COMMITTED, "", version));
        if (decision.result() instanceof Decision.DecisionResult.Allocated allocated) {
            claims.stream()
                    .filter(claim -> claim.meta().uid().equals(decision.claimUid()))
                    .findFirst()
                    .ifPresent(claim -> upsert(new ResourceClaim(
                            claim.meta(), claim.spec(), Optional.of(allocated.allocation()), List.of())));
        }
    }

    /** Resets the router, as a rebuild does; the cells stay. Returns the offset of the rebuild. */
    long rebuildRouter() {
        long offset = log.end(LogVerifier.ROUTER_INPUTS, 0);
        put(RouterInputCodec.to(CellInputRecord.newBuilder()
                .setAt(now)
                .setRebuild(new Rebuild(chains.get(CELLS).last()))
                .build()));
        epoch++;
        return offset;
    }

    /** Records one sample per device every ten minutes, for some hours. */
    void addTelemetry(int hours) {
        for (int sample = 0; sample < hours * 6; sample++) {
            Instant at = START.plus(Duration.ofMinutes(10L * sample));
            for (int number = 0; number < NODES; number++) {
                String node = "node-" + number;
                long used = number * 1000L + sample;
                var samples = IntStream.range(0, DEVICES)
                        .mapToObj(i -> new Telemetry.DeviceMeasurement(
                                new DeviceId(DRIVER, node, "gpu-" + i),
                                Optional.empty(),
                                OptionalDouble.of((double) (used % 100)),
                                OptionalLong.of(used),
                                OptionalLong.empty(),
                                OptionalDouble.of(200),
                                OptionalDouble.empty(),
                                new TreeMap<>()))
                        .toList();
                log.add(
                        Topics.TELEMETRY,
                        0,
                        at,
                        key(node),
                        telemetry.write(Topics.TELEMETRY, new Telemetry(node, at, samples).toRecord()));
            }
        }
    }

    private void upsert(ClusterObject object) {
        observe(new Observation.ObjectUpserted(stamp(), object));
    }

    private Stamp stamp() {
        return new Stamp("watcher", epoch, ++version);
    }

    private void observe(Observation observation) {
        put(RouterInputCodec.to(CellInputWriter.to(observation, now)));
    }

    /** Processes an input of the router, and everything that follows from it. */
    private void put(RouterInputRecord input) {
        now = now.plusSeconds(1);
        routerIn.add(input);
        while (!routerIn.isEmpty() || cellsIn.stream().anyMatch(each -> !each.isEmpty())) {
            while (!routerIn.isEmpty()) {
                route(routerIn.remove());
            }
            for (int cell = 0; cell < CELLS; cell++) {
                while (!cellsIn.get(cell).isEmpty()) {
                    step(cell, cellsIn.get(cell).remove());
                }
            }
        }
    }

    private void route(RouterInputRecord input) {
        long offset = log.end(LogVerifier.ROUTER_INPUTS, 0);
        Instant at = input.getAt();
        log.add(LogVerifier.ROUTER_INPUTS, 0, at, new byte[0], routerInputs.write(LogVerifier.ROUTER_INPUTS, input));
        if (input.getObservation().filter(each -> each.getRebuild().isPresent()).isPresent()) {
            router = new Router(new RouterState(CELLS));
            add(CELLS, chains.get(CELLS).rebuild(offset, at, ENGINE));
            return;
        }
        for (RouterOutput output :
                router.step(RouterInputCodec.from(offset, input).orElseThrow()).outputs()) {
            switch (output) {
                case RouterOutput.CellObservation to ->
                    to.cells().forEach(cell -> cellsIn.get(cell).add(CellInputWriter.to(to.observation(), at)));
                case RouterOutput.PublicOutput(Output publicOutput) -> publish(CELLS, offset, publicOutput, at);
                case RouterOutput.NodePlacement _ -> {} // not in the log
            }
        }
    }

    private void step(int number, CellInputRecord input) {
        long offset = log.end(LogVerifier.INPUTS, number);
        Instant at = input.getAt();
        log.add(LogVerifier.INPUTS, number, at, new byte[0], inputs.write(LogVerifier.INPUTS, input));
        Cell cell = cells.get(number);
        Step step = cell.step(CellInputReader.from(offset, input).orElseThrow());
        step.facts().forEach(fact -> store(number, fact));
        step.outputs().forEach(output -> publish(number, offset, output, at));
        if (cell.state().hasUnfinishedWork()) {
            cellsIn.get(number)
                    .add(CellInputRecord.newBuilder()
                            .setAt(at)
                            .setWorkSlice(new WorkSlice(cell.state().nextSlice()))
                            .build());
        }
        if (offset % SNAPSHOT_EVERY == SNAPSHOT_EVERY - 1) {
            snapshot(number, offset, at);
        }
    }

    private void publish(int number, long offset, Output output, Instant at) {
        LedgerChain chain = chains.get(number);
        switch (output) {
            case Output.DecisionMade decided -> {
                add(number, chain.decision(offset, at, decided.decision(), ENGINE));
                if (decided.decision().result() instanceof Decision.DecisionResult.Allocated) {
                    unanswered.add(decided.decision());
                }
            }
            case Output.AlarmChanged alarm -> add(number, chain.alarm(offset, at, alarm, ENGINE));
            case Output.RouterMessage(var report) ->
                routerIn.add(RouterInputCodec.to(
                        number, report, cells.get(number).state().freeDevices(), at));
            default -> {} // not in the log
        }
    }

    private void snapshot(int number, long offset, Instant at) {
        var hash = new RowsHash();
        cells.get(number).state().rows().forEach((key, row) -> hash.add(key, rows.write(ROWS, StateRowCodec.to(row))));
        add(number, chains.get(number).snapshot(offset, at, hash.value(), ENGINE));
        store(
                number,
                "header",
                rows.write(
                        ROWS,
                        StateRow.newBuilder()
                                .setHeader(new StateHeaderRecord(StateRowCodec.FORMAT, ENGINE, "log", -1L))
                                .setLedgerHash(chains.get(number).last())
                                .build()));
    }

    private void store(int number, Fact fact) {
        switch (fact) {
            case Fact.Put(var row) -> store(number, row.key(), rows.write(ROWS, StateRowCodec.to(row)));
            case Fact.Drop(String key) -> log.addTombstone(Topics.CELL_CHANGELOG, number, now, key(key));
        }
    }

    private void store(int number, String key, byte[] row) {
        log.add(Topics.CELL_CHANGELOG, number, now, key(key), packing.compress(row));
    }

    private void add(int number, LedgerEvent event) {
        log.add(
                LogVerifier.LEDGER,
                number,
                event.getAt(),
                key(Integer.toString(number)),
                ledger.write(LogVerifier.LEDGER, event));
    }

    private static byte[] key(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
