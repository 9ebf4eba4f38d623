package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.ClaimText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Derivation;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that work without a persistent result is charged and divided into slices. */
final class ChargedWorkTest {
    private static final int DEVICES = 8;
    private static final int NODES = 30;
    private static final int SELECTORS = 16;
    private static final WorkBudget NARROW = new WorkBudget(2_000, 0, 0, 4_000);

    /** Text selectors that cost as much to compile as large expressions, and record each compilation. */
    private static final class CostlySelectors implements Selectors {
        private final Selectors selectors = new TextSelectors();
        private final List<String> compiled = new ArrayList<>();

        @Override
        public Selector compile(String expression) {
            compiled.add(expression);
            return selectors.compile(expression);
        }

        @Override
        public Derivation derive(String expression) {
            return selectors.derive(expression);
        }

        @Override
        public long compilationCost(String expression) {
            return 1_000;
        }
    }

    /**
     * A live cell. Each input also goes to a cell that is rebuilt from the rows, and the steps must be equal.
     *
     * <p>The comparison is omitted for selectors with another compilation cost.
     */
    private static final class CellPair {
        private final Cell live;
        private long offset;

        CellPair(Selectors selectors, WorkBudget budget) {
            live = new Cell(new State(selectors));
            step(new Observation.ObjectUpserted(stamp(), SampleObjects.deviceClass("gpu", "kind=gpu")));
            configure(budget);
        }

        final void configure(WorkBudget budget) {
            step(new Observation.SettingsChanged(
                    CellSettings.builder().work(budget).build()));
        }

        Stamp stamp() {
            return new Stamp("test", 1, offset);
        }

        void fleet(int nodes, int devices) {
            for (int node = 0; node < nodes; node++) {
                String name = "node-%02d".formatted(node);
                step(new Observation.ObjectUpserted(stamp(), SampleObjects.node(name)));
                step(new Observation.ObjectUpserted(
                        stamp(),
                        SampleObjects.slice(
                                name,
                                IntStream.range(0, devices)
                                        .mapToObj(each -> "gpu-%d kind=gpu u=%d %s".formatted(each, each, attributes()))
                                        .toArray(String[]::new))));
            }
        }

        private static String attributes() {
            return IntStream.range(0, SELECTORS)
                    .mapToObj(each -> "a%d=1".formatted(each))
                    .collect(Collectors.joining(" "));
        }

        Step claim(String name, String spec) {
            return step(new Observation.ObjectUpserted(
                    stamp(),
                    new ResourceClaim(
                            ObjectMeta.of("default", name, "uid-of-" + name),
                            ClaimText.spec(spec),
                            Optional.empty(),
                            List.of())));
        }

        Step slice() {
            return step(new Observation.WorkSliceDue(live.state().nextSlice()));
        }

        /** Runs work slices until no work is left, and returns the work of each slice. */
        List<Long> runSlices() {
            List<Long> work = new ArrayList<>();
            while (live.state().hasUnfinishedWork()) {
                assertThat(work).as("slices").hasSizeLessThan(2_000);
                work.add(slice().work());
            }
            return work;
        }

        final Step step(Observation observation) {
            var input = new Input(offset, History.START.plusSeconds(offset++), observation);
            State rebuilt = State.of(
                    new TextSelectors(), List.copyOf(live.state().rows().values()));
            Step step = live.step(input);
            if (live.state().planner().evaluationCache().compilationCost("") == 1) {
                assertThat(new Cell(rebuilt).step(input)).isEqualTo(step);
            }
            return step;
        }

        SchedulingRow.ItemRow item(String name) {
            return live.state()
                    .item(ItemId.claim(new dev.claimstream.dra.ObjectKey("default", name)))
                    .orElseThrow();
        }
    }

    private static String selectors(int from) {
        return IntStream.range(0, SELECTORS)
                .mapToObj(each -> "[a%d=1]".formatted((from + each) % SELECTORS))
                .collect(Collectors.joining(" "));
    }

    @Test
    void chargesLookupsOfCachedResults() {
        var pair = new CellPair(new TextSelectors(), WorkBudget.DEFAULT);
        pair.fleet(NODES, DEVICES);
        pair.claim("first", "r: 9 gpu " + selectors(0));
        pair.runSlices();
        pair.configure(NARROW);
        pair.runSlices();
        long work = pair.claim("second", "r: 9 gpu " + selectors(1)).work();
        assertThat(work).isBetween(1_000L, 3_000L);
        assertThat(pair.item("second").message()).contains("selectors are being compared with devices");
        List<Long> slices = pair.runSlices();
        assertThat(slices).allSatisfy(each -> assertThat(each).isLessThan(6_000));
        long lookUps = 20L * NODES * DEVICES * (SELECTORS + 1);
        long comparisons = 30L * NODES * DEVICES * (SELECTORS + 1);
        assertThat(slices.stream().mapToLong(each -> each).sum()).isGreaterThan(lookUps + comparisons);
        assertThat(pair.item("second").reason()).contains(Reason.InsufficientDevicesPerNode);
    }

    @Test
    void chargesEachRequestWithEqualSelectors() {
        var pair = new CellPair(new TextSelectors(), WorkBudget.DEFAULT);
        pair.fleet(NODES, DEVICES);
        pair.claim("first", "r: 1 gpu");
        pair.runSlices();
        pair.configure(NARROW);
        pair.runSlices();
        int count = 30;
        String requests =
                IntStream.range(0, count).mapToObj("r%d: 1 gpu"::formatted).collect(Collectors.joining("; "));
        long work = pair.claim("many", requests).work();
        work += pair.runSlices().stream().mapToLong(each -> each).sum();
        assertThat(work).isGreaterThan(5L * count * NODES * DEVICES);
    }

    @Test
    void dividesSearchesOfDiagnosisIntoSlices() {
        var pair = new CellPair(new TextSelectors(), new WorkBudget(20_000, 0, 0, 100_000));
        pair.fleet(1, 32);
        pair.claim("holder", "r: 32 gpu");
        String requests = IntStream.range(0, 8)
                .mapToObj(each -> "r%d: 1 gpu; ".formatted(each))
                .collect(Collectors.joining());
        pair.claim("hard", requests + "match u of r6,r7");
        assertThat(pair.item("hard").reason()).contains(Reason.EvaluationPending);
        List<Long> slices = pair.runSlices();
        assertThat(slices.stream().mapToLong(each -> each).sum()).isBetween(500_000L, 3_000_000L);
        assertThat(pair.item("hard").reason()).contains(Reason.ConstraintUnsatisfied);
    }

    @Test
    void compilesExpressionsInSlices() {
        var large = new CostlySelectors();
        var pair = new CellPair(large, new WorkBudget(1_000, 0, 0, 150_000));
        pair.fleet(1, 1);
        int before = large.compiled.size();
        pair.claim("large", "r: 1 gpu " + selectors(0));
        assertThat(large.compiled).hasSize(before + 1);
        assertThat(pair.item("large").message())
                .isEqualTo("selectors are being compiled: 1000 of 17000 characters done");
        for (int slice = 1; slice <= SELECTORS / 2; slice++) {
            pair.slice();
            assertThat(large.compiled).hasSize(before + 1 + 2 * slice);
        }
        pair.runSlices();
        assertThat(pair.item("large").isPending()).isFalse();
        assertThat(large.compiled).doesNotHaveDuplicates();
    }
}
