package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Campaign;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.allocation.solver.WorkMeter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that explanations of pending items match the state a few ticks after the last change. */
class ExplanationPropertyTest {
    private static final int SIZE = 260;
    private static final int TICKS_MAX = 100;

    static LongStream seeds() {
        return Campaign.seeds(0, Integer.getInteger("laws.seeds", 40));
    }

    /** A cell with its log time and the last explanation of each item. */
    private static final class CellRun {
        private final State state = new State(new TextSelectors());
        private final Cell cell = new Cell(state);
        private final Map<ItemId, Explanation> lastExplanations = new TreeMap<>();
        private final List<Output> outputs = new ArrayList<>();
        private int offset;

        void step(Observation observation) {
            Step step = cell.step(new Input(offset, now(), observation));
            offset++;
            Invariants.check(state);
            outputs.addAll(step.outputs());
            for (Output output : step.outputs()) {
                if (output instanceof Output.ItemExplained(Explanation explanation)) {
                    lastExplanations.put(explanation.item(), explanation);
                }
            }
        }

        private Instant now() {
            return History.START.plusSeconds(offset);
        }

        /** Sends ticks while one is due, and returns their number. */
        int tickUntilIdle() {
            int ticks = 0;
            while (state.deadline().isPresent() && ticks < TICKS_MAX) {
                step(new Observation.Tick());
                ticks++;
            }
            return ticks;
        }

        private List<SchedulingRow.ItemRow> pending() {
            return state.pending().values().stream()
                    .flatMap(item -> state.item(item).stream())
                    .toList();
        }
    }

    private static CellRun replay(History history) {
        var run = new CellRun();
        history.observations().forEach(run::step);
        return run;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void explanationsMatchStateOnceNoTickIsDue(long seed) {
        PropertyCheck.check(seed, HistoryGenerator.random(seed, SIZE), history -> {
            CellRun run = replay(history);
            assertThat(run.tickUntilIdle()).as("ticks until nothing is due").isLessThan(TICKS_MAX);
            if (run.state.isSynced()) {
                var deciding = new ItemAllocator(run.state, run.now(), new TreeSet<>(), TextPolicy.REPLACE);
                for (SchedulingRow.ItemRow row : run.pending()) {
                    if (row.reason()
                                    .filter(Reason.SearchBudgetExhausted::equals)
                                    .isEmpty()
                            && Gang.of(run.state, row.item()).isEmpty()) {
                        WorkItemAssembly assembly = WorkItemAssembly.of(run.state, row.item());
                        assertThat(deciding.tryAllocate(row, assembly, WorkMeter.unlimited())
                                        .facts())
                                .as("what a new look at %s would change", row)
                                .isEmpty();
                    }
                }
            }
        });
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void lastExplanationMatchesItemRow(long seed) {
        PropertyCheck.check(seed, HistoryGenerator.random(seed, SIZE), history -> {
            CellRun run = replay(history);
            run.tickUntilIdle();
            for (SchedulingRow.ItemRow row : run.pending()) {
                Optional<Explanation.ExplanationDetail.Pending> explained = Optional.ofNullable(
                                run.lastExplanations.get(row.item()))
                        .map(Explanation::detail)
                        .filter(Explanation.ExplanationDetail.Pending.class::isInstance)
                        .map(Explanation.ExplanationDetail.Pending.class::cast);
                if (row.textHash() != 0) {
                    assertThat(explained).as("what was said of %s", row).isPresent();
                    assertThat(TextHash.of(explained.get())).isEqualTo(row.textHash());
                    assertThat(explained.get().diagnosis().message()).isEqualTo(row.message());
                }
            }
        });
    }
}
