package dev.claimstream.load;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures the delete and the creation of a claim in cells without Kafka while many claims are pending. */
@Command(
        name = "load-tests/waiting",
        mixinStandardHelpOptions = true,
        header = "Measures full cells, by the number of pending claims.",
        description = {
            "",
            "Allocate all GPUs, and keep claims for 1, 2 and 4 GPUs pending. Repeatedly delete the claim with the oldest allocation, so"
                    + " that a pending claim is allocated, and create a new pending claim. Print the CPU time of the thread for each input and its effects.",
            ""
        })
public final class WaitingFigures implements Callable<Integer> {
    private static final int[] SIZES = {1, 2, 4};

    @Option(
            names = "--waiting",
            split = ",",
            paramLabel = "N",
            defaultValue = "10,100,1000,10000",
            description = "Pending claims, comma-separated. Default: ${DEFAULT-VALUE}.")
    private List<Integer> waiting = List.of();

    @Option(
            names = "--cells",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Cells that share the nodes; with several there is a router, whose time counts too. Default: ${DEFAULT-VALUE}.")
    private int cells;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "500",
            description = "Nodes with 8 GPUs each. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(
            names = "--claims",
            paramLabel = "N",
            defaultValue = "1000",
            description =
                    "Claims deleted and created during the measurement; a quarter of them before it. Default: ${DEFAULT-VALUE}.")
    private int claims;

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private WaitingFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new WaitingFigures()).execute(args);
    }

    @Override
    public Integer call() throws IOException {
        check("--cells", cells, 1);
        check("--nodes", nodes, 1);
        check("--claims", claims, 1);
        waiting.forEach(each -> check("--waiting", each, 0));
        List<String> table = new ArrayList<>(List.of("%10s %30s %30s %6s"
                .formatted("pending", "deleted, µs CPU 50/99/max", "created, µs CPU 50/99/max", "load")));
        System.out.println(table.getFirst());
        for (int each : waiting) {
            table.add(new FullCells(cells, new GpuFleet(nodes, MemoryFigures.DEVICES_PER_NODE), each).measure(claims));
            System.out.println(table.getLast());
        }
        results.write("waiting.txt", table);
        return 0;
    }

    private void check(String option, int value, int least) {
        if (value < least) {
            throw new ParameterException(spec.commandLine(), "%s %d: use %d or more".formatted(option, value, least));
        }
    }

    /** Cells in which all devices are allocated. */
    private static final class FullCells {
        private final LoadedCells cells;
        private final int pendingCount;
        private final Deque<ResourceClaim> allocatedClaims = new ArrayDeque<>();
        private long inputCount;
        private long claimCount;

        FullCells(int cells, GpuFleet fleet, int waiting) {
            this.cells = new LoadedCells(cells);
            this.pendingCount = waiting;
            GpuClaims.classes().values().forEach(this::upsert);
            for (int node = 0; node < fleet.nodes(); node++) {
                upsert(fleet.node(node));
                fleet.slices(node).forEach(this::upsert);
            }
            while (claimCount < fleet.size()) {
                addClaim(1);
            }
            for (int i = 0; i < waiting; i++) {
                addClaim(SIZES[i % SIZES.length]);
            }
        }

        String measure(int claims) {
            cycleClaims(claims / 4, new Histogram(3), new Histogram(3));
            var going = new Histogram(3);
            var coming = new Histogram(3);
            cycleClaims(claims, going, coming);
            if (cells.pendingCount() < pendingCount / 2) {
                throw new IllegalStateException("only %d claims are pending".formatted(cells.pendingCount()));
            }
            return String.format(
                    Locale.ROOT,
                    "%10d %30s %30s %6.1f",
                    pendingCount,
                    micros(going),
                    micros(coming),
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        }

        private void cycleClaims(int claims, Histogram going, Histogram coming) {
            for (int i = 0; i < claims; i++) {
                going.recordValue(removeOldest());
                coming.recordValue(addClaim(1));
            }
        }

        private long addClaim(int size) {
            String name = "train-" + claimCount;
            var meta = ObjectMeta.of("team", name, "claim-" + claimCount).withSequence(claimCount++);
            var claim = new ResourceClaim(meta, GpuClaims.spec(size, "40Gi"), Optional.empty(), List.of());
            allocatedClaims.add(claim);
            return upsert(claim);
        }

        /** Deletes the oldest claim; the oldest claims have one device each. */
        private long removeOldest() {
            ResourceClaim claim = allocatedClaims.remove();
            return process(new Observation.ObjectDeleted(
                    stamp(), Kind.RESOURCE_CLAIM, claim.key(), claim.meta().uid()));
        }

        private long upsert(ClusterObject object) {
            return process(new Observation.ObjectUpserted(stamp(), object));
        }

        private long process(Observation observation) {
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            cells.process(observation);
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
        }

        private Stamp stamp() {
            return new Stamp("load", 1, inputCount++);
        }

        private static String micros(Histogram nanos) {
            return String.format(
                    Locale.ROOT,
                    "%.0f/%.0f/%.0f",
                    nanos.getValueAtPercentile(50) / 1e3,
                    nanos.getValueAtPercentile(99) / 1e3,
                    nanos.getMaxValue() / 1e3);
        }
    }
}
