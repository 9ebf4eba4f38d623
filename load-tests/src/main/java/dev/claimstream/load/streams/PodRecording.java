package dev.claimstream.load.streams;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.audit.streams.RowsHash;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.load.GpuClaims;
import dev.claimstream.load.GpuFleet;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.StateRow;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.wire.CellInputReader;
import dev.claimstream.wire.CellInputWriter;
import dev.claimstream.wire.StateRowCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Records the life of pods on a fleet, with the inputs and ledger events that an allocator records.
 *
 * <p>A pod leads to nine inputs: claim, pod with gate, commit outcome, allocated claim, pod without gate, pod with its
 * node, a change of the claim, and the deletions of pod and claim.
 */
public final class PodRecording {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final String ENGINE = "recording";
    private static final String ROWS = "cell-rows";
    private static final byte[] KEY = "0".getBytes(StandardCharsets.UTF_8);

    /** Interval of state hashes, as the allocator's default. */
    private static final long SNAPSHOT_EVERY = 100_000;

    /** Pods per second. */
    private static final int RATE = 30;

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final HeapLog log = new HeapLog(registry);
    private final LedgerChain chain = new LedgerChain(0, ByteBuffer.allocate(0));
    private final AvroSerde<CellInputRecord> inputs = AvroSerde.of(CellInputRecord.class, registry);
    private final AvroSerde<LedgerEvent> ledger = AvroSerde.of(LedgerEvent.class, registry);
    private final AvroSerde<StateRow> rows = AvroSerde.of(StateRow.class, registry);
    private final Cell cell = new Cell(new State(new CelSelectors(), CellIdentity.SINGLE));
    private final Deque<RunningPod> running = new ArrayDeque<>();
    private Optional<Decision> allocated = Optional.empty();
    private Instant now = START;
    private long offset;
    private int pods;

    private record RunningPod(Pod pod, ResourceClaim claim) {}

    private PodRecording() {}

    /** Records a number of pods. As many pods as 70 % of the devices of the fleet run at the same time. */
    public static AuditLog of(GpuFleet fleet, int pods) {
        var recording = new PodRecording();
        recording.addFleet(fleet);
        for (int i = 0; i < pods; i++) {
            recording.now = START.plusNanos(i * (1_000_000_000L / RATE));
            recording.addPod();
            if (recording.running.size() > fleet.size() * 7 / 10) {
                recording.deleteOldest();
            }
        }
        return recording.log;
    }

    private void addFleet(GpuFleet fleet) {
        add(new Observation.SettingsChanged(CellSettings.defaults()));
        GpuClaims.classes().values().forEach(this::upsert);
        for (int node = 0; node < fleet.nodes(); node++) {
            upsert(fleet.node(node));
            fleet.slices(node).forEach(this::upsert);
        }
    }

    private void addPod() {
        String name = "train-" + pods++;
        String namespace = "team-" + pods % 16;
        String claimName = name + "-gpu";
        var claim = new ResourceClaim(
                ObjectMeta.of(namespace, claimName, "claim-" + pods)
                        .withController(Owner.pod(name, "pod-" + pods))
                        .withCreated(now),
                GpuClaims.spec(1, "40Gi"),
                Optional.empty(),
                List.of());
        Pod gated = pod(namespace, name, claimName, Optional.empty(), List.of(Pod.ALLOCATION_GATE));
        upsert(claim);
        upsert(gated);
        Decision decision = allocated.orElseThrow(() -> new IllegalStateException("no allocation for " + claim.key()));
        allocated = Optional.empty();
        if (!(decision.result() instanceof Decision.DecisionResult.Allocated result)) {
            throw new IllegalStateException("not an allocation: " + decision);
        }
        add(new Observation.CommitOutcome(
                decision.claimUid(), decision.number(), Observation.CommitOutcome.Result.COMMITTED, "", offset));
        var stored = new ResourceClaim(
                claim.meta(),
                claim.spec(),
                Optional.of(result.allocation()),
                List.of(ClaimConsumer.pod(name, gated.meta().uid())));
        upsert(stored);
        upsert(pod(namespace, name, claimName, Optional.empty(), List.of()));
        Pod bound = pod(namespace, name, claimName, Optional.of(result.node()), List.of());
        upsert(bound);
        upsert(stored);
        running.add(new RunningPod(bound, stored));
    }

    private Pod pod(String namespace, String name, String claim, Optional<String> node, List<String> gates) {
        return Pod.builder(ObjectMeta.of(namespace, name, "pod-" + pods).withCreated(now))
                .nodeName(node)
                .resourceClaims(List.of(new PodClaim("gpu", new PodClaim.ClaimSource.GeneratedClaim("gpu", claim), 1)))
                .schedulingGates(gates)
                .build();
    }

    private void deleteOldest() {
        RunningPod oldest = running.remove();
        delete(oldest.pod());
        delete(oldest.claim());
    }

    private void delete(ClusterObject object) {
        add(new Observation.ObjectDeleted(
                stamp(), object.kind(), object.key(), object.meta().uid()));
    }

    private void upsert(ClusterObject object) {
        add(new Observation.ObjectUpserted(stamp(), object));
    }

    private Stamp stamp() {
        return new Stamp("load", 1, offset + 1);
    }

    private void add(Observation observation) {
        CellInputRecord input = CellInputWriter.to(observation, now);
        log.add(LogVerifier.INPUTS, now, new byte[0], inputs.write(LogVerifier.INPUTS, input));
        cell.step(CellInputReader.from(offset, input).orElseThrow()).outputs().forEach(this::publish);
        if (offset % SNAPSHOT_EVERY == SNAPSHOT_EVERY - 1) {
            var hash = new RowsHash();
            cell.state().rows().forEach((key, row) -> hash.add(key, rows.write(ROWS, StateRowCodec.to(row))));
            publish(chain.snapshot(offset, now, hash.value(), ENGINE));
        }
        offset++;
        if (cell.state().hasUnfinishedWork()) {
            add(new Observation.WorkSliceDue(cell.state().nextSlice()));
        }
    }

    private void publish(Output output) {
        switch (output) {
            case Output.DecisionMade(var decision) -> publish(decision);
            case Output.AlarmChanged alarm -> publish(chain.alarm(offset, now, alarm, ENGINE));
            default -> {} // not in the ledger
        }
    }

    private void publish(Decision decision) {
        publish(chain.decision(offset, now, decision, ENGINE));
        if (decision.result() instanceof Decision.DecisionResult.Allocated) {
            allocated = Optional.of(decision);
        }
    }

    private void publish(LedgerEvent event) {
        log.add(LogVerifier.LEDGER, event.getAt(), KEY, ledger.write(LogVerifier.LEDGER, event));
    }
}
