package dev.claimstream.load;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.Decision;
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
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures ordinary claims in a cell without Kafka while claims of another namespace need much work. */
@Command(
        name = "load-tests/budget",
        mixinStandardHelpOptions = true,
        header = "Measures a cell with claims that need much work.",
        description = {
            "",
            "Allocate and delete ordinary claims of one device, one after the other, and do one slice of unfinished work before each."
                    + " Print wall times of the cell's thread in milliseconds, as p50/p99/max: of an ordinary claim, of a slice, and of"
                    + " an input that brings a costly claim. Print the units of work that are charged for the input of an ordinary"
                    + " claim, too. A claim that arrives during a slice waits for its end.",
            ""
        })
public final class BudgetFigures implements Callable<Integer> {
    @Option(
            names = "--fleets",
            split = ",",
            paramLabel = "NODESxDEVICES",
            defaultValue = "1280x8,5000x8",
            description = "Nodes and devices of each. All devices differ. Default: ${DEFAULT-VALUE}.")
    private List<String> fleets = List.of();

    @Option(
            names = "--claims",
            paramLabel = "N",
            defaultValue = "300",
            description = "Ordinary claims for each row. Default: ${DEFAULT-VALUE}.")
    private int claims;

    @Mixin
    private ResultFolderOption results = new ResultFolderOption();

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private BudgetFigures() {}

    /** Prints the table. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Returns the exit code. */
    static int run(String... args) {
        return new CommandLine(new BudgetFigures()).execute(args);
    }

    @Override
    public Integer call() throws IOException {
        List<String> table = new ArrayList<>(List.of("%-9s %-46s %20s %20s %20s %20s %7s"
                .formatted(
                        "fleet",
                        "costly claims",
                        "ordinary claim, ms",
                        "its units",
                        "slice, ms",
                        "costly input, ms",
                        "slices")));
        System.out.println(table.getFirst());
        for (String fleet : fleets) {
            for (CostlyClaims costly : CostlyClaims.values()) {
                table.add(new BudgetCell(GpuFleet.parse(fleet)).measure(fleet, costly, claims));
                System.out.println(table.getLast());
            }
        }
        results.write("budget.txt", table);
        return 0;
    }

    /** A cell with a fleet. */
    private static final class BudgetCell {
        private final Cell cell = new Cell(new State(new CelSelectors()));
        private final Histogram ordinary = new Histogram(3);
        private final Histogram units = new Histogram(3);
        private final Histogram slices = new Histogram(3);
        private final Histogram costlyInputs = new Histogram(3);
        private Instant now = Instant.parse("2026-01-01T00:00:00Z");
        private long offset;

        BudgetCell(GpuFleet fleet) {
            GpuClaims.classes().values().forEach(this::upsert);
            for (int node = 0; node < fleet.nodes(); node++) {
                upsert(fleet.node(node));
                fleet.slices(node).forEach(this::upsert);
            }
        }

        String measure(String fleet, CostlyClaims costly, int claims) {
            for (int i = 0; i < claims; i++) {
                cycleClaim("warm-" + i);
            }
            while (cell.state().hasUnfinishedWork()) {
                slice();
            }
            ordinary.reset();
            units.reset();
            slices.reset();
            List<ClaimSpec> specs = costly.specs();
            for (int i = 0; i < specs.size(); i++) {
                costlyInputs.recordValue(upsert(claim(CostlyClaims.NAMESPACE, "costly-" + i, specs.get(i))));
            }
            for (int i = 0; i < claims; i++) {
                if (cell.state().hasUnfinishedWork()) {
                    slices.recordValue(slice());
                }
                cycleClaim("claim-" + i);
            }
            return String.format(
                    Locale.ROOT,
                    "%-9s %-46s %20s %20s %20s %20s %7d",
                    fleet,
                    costly.text(),
                    millis(ordinary),
                    "%d/%d/%d"
                            .formatted(
                                    units.getValueAtPercentile(50),
                                    units.getValueAtPercentile(99),
                                    units.getMaxValue()),
                    millis(slices),
                    millis(costlyInputs),
                    slices.getTotalCount());
        }

        private void cycleClaim(String name) {
            ResourceClaim claim = claim("ordinary", name, GpuClaims.spec(1, "40Gi"));
            long start = System.nanoTime();
            Step step = step(new Observation.ObjectUpserted(stamp(), claim));
            boolean isAllocated = step.outputs().stream()
                    .anyMatch(output -> output instanceof Output.DecisionMade(Decision decision)
                            && decision.result() instanceof Decision.DecisionResult.Allocated);
            units.recordValue(step.work());
            while (!isAllocated) { // a cold index needs several slices
                isAllocated = step(new Observation.WorkSliceDue(cell.state().nextSlice())).outputs().stream()
                        .anyMatch(output -> output instanceof Output.DecisionMade(Decision decision)
                                && decision.claim().equals(claim.key())
                                && decision.result() instanceof Decision.DecisionResult.Allocated);
            }
            ordinary.recordValue(System.nanoTime() - start);
            step(new Observation.ObjectDeleted(
                    stamp(), Kind.RESOURCE_CLAIM, claim.key(), claim.meta().uid()));
        }

        private ResourceClaim claim(String namespace, String name, ClaimSpec spec) {
            var meta = ObjectMeta.of(namespace, name, namespace + "/" + name).withSequence(offset);
            return new ResourceClaim(meta, spec, Optional.empty(), List.of());
        }

        private long upsert(ClusterObject object) {
            return timed(new Observation.ObjectUpserted(stamp(), object));
        }

        private long slice() {
            return timed(new Observation.WorkSliceDue(cell.state().nextSlice()));
        }

        private long timed(Observation observation) {
            long start = System.nanoTime();
            step(observation);
            return System.nanoTime() - start;
        }

        /** Runs an input 10 ms of log time after the previous one. */
        private Step step(Observation observation) {
            now = now.plusMillis(10);
            return cell.step(new Input(offset++, now, observation));
        }

        private Stamp stamp() {
            return new Stamp("load", 1, offset);
        }

        private static String millis(Histogram nanos) {
            return nanos.getTotalCount() == 0
                    ? "-"
                    : String.format(
                            Locale.ROOT,
                            "%.1f/%.1f/%.1f",
                            nanos.getValueAtPercentile(50) / 1e6,
                            nanos.getValueAtPercentile(99) / 1e6,
                            nanos.getMaxValue() / 1e6);
        }
    }
}
