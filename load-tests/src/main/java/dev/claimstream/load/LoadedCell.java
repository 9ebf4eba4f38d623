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
import dev.claimstream.load.streams.KeptRows;
import dev.claimstream.load.streams.Received;
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

    private final Fleet fleet;
    private final List<Integer> sizes;
    private final List<ClaimSpec> specs;
    private final Cell cell = new Cell(new State(new CelSelectors()));
    private final Received received = new Received();
    private final KeptRows rows = new KeptRows();
    private final Deque<ResourceClaim> standing = new ArrayDeque<>();
    private boolean isKept;
    private long offset;
    private long sequence;
    private long held;

    LoadedCell(Fleet fleet, List<Integer> sizes) {
        this.fleet = fleet;
        this.sizes = List.copyOf(sizes);
        this.specs = sizes.stream().map(size -> Claims.spec(size, "40Gi")).toList();
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
    record Measured(
            long devices,
            long held,
            long rows,
            long inventoryBytes,
            long grantBytes,
            long rowBytes,
            Histogram decisions,
            Histogram releases) {}

    /** Fills the cell up to a percentage of the devices, then creates and deletes claims. */
    Measured measure(int full, int claims) {
        long before = usedHeap();
        tellFleet();
        long withInventory = usedHeap();
        long heldMax = (long) fleet.size() * full / 100;
        while (held < heldMax) {
            come();
        }
        long withGrants = usedHeap();
        cell.state().rows().values().forEach(row -> rows.apply(new Fact.Put(row)));
        isKept = true;
        long withRows = usedHeap();
        comeAndGo(claims, heldMax, new Histogram(3), new Histogram(3));
        var decisions = new Histogram(3);
        var releases = new Histogram(3);
        comeAndGo(claims, heldMax, decisions, releases);
        return new Measured(
                fleet.size(),
                held,
                rows.size(),
                withInventory - before,
                withGrants - withInventory,
                withRows - withGrants,
                decisions,
                releases);
    }

    private void tellFleet() {
        Claims.classes().values().forEach(this::tell);
        for (int node = 0; node < fleet.nodes(); node++) {
            tell(fleet.node(node));
            fleet.slices(node).forEach(this::tell);
        }
    }

    private void comeAndGo(int claims, long heldMax, Histogram decisions, Histogram releases) {
        for (int i = 0; i < claims; i++) {
            decisions.recordValue(come());
            while (held > heldMax) {
                releases.recordValue(goOldest());
            }
        }
    }

    /** @return nanoseconds of the step */
    private long come() {
        var claim = claim(sequence++);
        Input input = input(claim);
        long start = System.nanoTime();
        Step step = cell.step(input);
        while (cell.state().isWorkUnfinished()) {
            keep(step);
            step = cell.step(new Input(
                    offset++, NOW, new Observation.Continue(cell.state().nextSlice())));
        }
        long nanos = System.nanoTime() - start;
        if (step.outputs().stream().noneMatch(LoadedCell::isGrant)) {
            throw new IllegalStateException("no grant for %s: %s".formatted(claim.key(), step.outputs()));
        }
        keep(step);
        standing.add(claim);
        held += size(claim);
        return nanos;
    }

    private static boolean isGrant(Output output) {
        return output instanceof Output.Decided(Decision decision)
                && decision.verdict() instanceof Decision.Verdict.Granted;
    }

    private long goOldest() {
        ResourceClaim claim = standing.remove();
        var gone = new Observation.Gone(
                stamp(), Kind.RESOURCE_CLAIM, claim.key(), claim.meta().uid());
        var input = new Input(offset++, NOW, gone);
        long start = System.nanoTime();
        Step step = cell.step(input);
        long nanos = System.nanoTime() - start;
        keep(step);
        held -= size(claim);
        return nanos;
    }

    /** Applies facts to the store, outside the measured time, as in the allocator. */
    private void keep(Step step) {
        if (isKept) {
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

    private void tell(ClusterObject object) {
        var unused = cell.step(input(object));
    }

    private Input input(ClusterObject object) {
        return received.seen(offset++, NOW, stamp(), object);
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
