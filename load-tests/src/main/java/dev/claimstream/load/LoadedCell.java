package dev.claimstream.load;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Fact;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Step;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.load.streams.InputRoundTrip;
import dev.claimstream.load.streams.StoredRows;
import dev.claimstream.selectors.CelSelectors;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** A cell with a fleet, in which claims are created and deleted. */
final class LoadedCell {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final GpuFleet fleet;
    private final List<Integer> sizes;
    private final List<ClaimSpec> specs;
    private final Cell cell = new Cell(new State(new CelSelectors()));
    private final InputRoundTrip roundTrip = new InputRoundTrip();
    private final StoredRows rows = new StoredRows();
    private final Deque<ResourceClaim> allocatedClaims = new ArrayDeque<>();
    private boolean isStoring;
    private long offset;
    private long sequence;
    private long allocatedDevices;

    LoadedCell(GpuFleet fleet, List<Integer> sizes) {
        this.fleet = fleet;
        this.sizes = List.copyOf(sizes);
        this.specs = sizes.stream().map(size -> GpuClaims.spec(size, "40Gi")).toList();
    }

    /**
     * The result of a measurement.
     *
     * @param inventoryBytes heap of the cell with nodes and devices
     * @param grantBytes additional heap for claims and allocations
     * @param rowBytes additional heap for the rows in a state store
     * @param decisions nanoseconds from a claim's input to its decision
     * @param releases nanoseconds from a claim's delete to its release
     */
    record CellMeasurement(
            long devices,
            long allocated,
            long rows,
            long inventoryBytes,
            long grantBytes,
            long rowBytes,
            Histogram decisions,
            Histogram releases) {}

    /** Fills the cell up to a percentage of the devices, then creates and deletes claims. */
    CellMeasurement measure(int full, int claims) {
        long before = usedHeap();
        upsertFleet();
        long withInventory = usedHeap();
        long heldMax = (long) fleet.size() * full / 100;
        while (allocatedDevices < heldMax) {
            addClaim();
        }
        long withGrants = usedHeap();
        cell.state().rows().values().forEach(row -> rows.apply(new Fact.Put(row)));
        isStoring = true;
        long withRows = usedHeap();
        cycleClaims(claims, heldMax, new Histogram(3), new Histogram(3));
        var decisions = new Histogram(3);
        var releases = new Histogram(3);
        cycleClaims(claims, heldMax, decisions, releases);
        return new CellMeasurement(
                fleet.size(),
                allocatedDevices,
                rows.size(),
                withInventory - before,
                withGrants - withInventory,
                withRows - withGrants,
                decisions,
                releases);
    }

    private void upsertFleet() {
        GpuClaims.classes().values().forEach(this::upsert);
        for (int node = 0; node < fleet.nodes(); node++) {
            upsert(fleet.node(node));
            fleet.slices(node).forEach(this::upsert);
        }
    }

    private void cycleClaims(int claims, long heldMax, Histogram decisions, Histogram releases) {
        for (int i = 0; i < claims; i++) {
            decisions.recordValue(addClaim());
            while (allocatedDevices > heldMax) {
                releases.recordValue(removeOldest());
            }
        }
    }

    /** @return nanoseconds of the step */
    private long addClaim() {
        var claim = claim(sequence++);
        Input input = input(claim);
        long start = System.nanoTime();
        Step step = cell.step(input);
        while (cell.state().hasUnfinishedWork()) {
            storeFacts(step);
            step = cell.step(new Input(
                    offset++, NOW, new Observation.WorkSliceDue(cell.state().nextSlice())));
        }
        long nanos = System.nanoTime() - start;
        if (step.outputs().stream().noneMatch(LoadedCell::isGrant)) {
            throw new IllegalStateException("no allocation for %s: %s".formatted(claim.key(), step.outputs()));
        }
        storeFacts(step);
        allocatedClaims.add(claim);
        allocatedDevices += size(claim);
        return nanos;
    }

    private static boolean isGrant(Output output) {
        return output instanceof Output.DecisionMade(Decision decision)
                && decision.result() instanceof Decision.DecisionResult.Allocated;
    }

    private long removeOldest() {
        ResourceClaim claim = allocatedClaims.remove();
        var gone = new Observation.ObjectDeleted(
                stamp(), Kind.RESOURCE_CLAIM, claim.key(), claim.meta().uid());
        var input = new Input(offset++, NOW, gone);
        long start = System.nanoTime();
        Step step = cell.step(input);
        long nanos = System.nanoTime() - start;
        storeFacts(step);
        allocatedDevices -= size(claim);
        return nanos;
    }

    /** Applies facts to the store, outside the measured time, as in the allocator. */
    private void storeFacts(Step step) {
        if (isStoring) {
            step.facts().forEach(rows::apply);
        }
    }

    private int size(ResourceClaim claim) {
        return sizes.get((int) (claim.meta().sequence() % sizes.size()));
    }

    private ResourceClaim claim(long number) {
        var meta = ObjectMeta.of("team-" + number % 16, "train-" + number, "claim-" + number)
                .withSequence(number);
        return new ResourceClaim(meta, specs.get((int) (number % specs.size())), Optional.empty(), List.of());
    }

    private void upsert(ClusterObject object) {
        var unused = cell.step(input(object));
    }

    private Input input(ClusterObject object) {
        return roundTrip.upserted(offset++, NOW, stamp(), object);
    }

    private Stamp stamp() {
        return new Stamp("load", 1, offset);
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
