package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.inventory.DeviceUsage;
import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests observe-only mode on random histories in which other writers allocate. */
class ObserveOnlyPropertyTest {
    private static final int SEEDS = 60;
    private static final int SIZE = 260;

    private final Map<Comparison.ComparisonResult, Integer> results = new EnumMap<>(Comparison.ComparisonResult.class);
    private int withdrawn;
    private int publishedAfterwards;

    @Test
    void publishesNothingToCommitAndFollowsTheCluster() {
        for (long seed = 0; seed < SEEDS; seed++) {
            PropertyCheck.check(seed, HistoryGenerator.randomWithBudget(seed, SIZE), this::check);
        }
        assertThat(results)
                .containsKeys(
                        Comparison.ComparisonResult.SAME,
                        Comparison.ComparisonResult.OTHER_DEVICES,
                        Comparison.ComparisonResult.OTHER_NODE,
                        Comparison.ComparisonResult.ONLY_KUBE_SCHEDULER,
                        Comparison.ComparisonResult.ONLY_CLAIMSTREAM);
        assertThat(withdrawn).as("decisions that the cluster displaced").isPositive();
        assertThat(publishedAfterwards)
                .as("allocations after observe-only mode")
                .isPositive();
    }

    private void check(History history) {
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        List<Input> inputs = observing(history);
        for (Input input : inputs) {
            Step step = cell.step(input);
            Invariants.check(state);
            checkOutputs(step);
            checkRows(state);
        }
        assertThat(StateSnapshot.of(replayed(inputs))).isEqualTo(StateSnapshot.of(state));
        var off = new Observation.SettingsChanged(
                state.settings().toBuilder().observeOnly(false).build());
        Step last = cell.step(new Input(inputs.size(), History.START.plusSeconds(inputs.size()), off));
        Invariants.check(state);
        assertThat(state.rows(ClaimRow.AllocationRow.ALL)).noneMatch(ClaimRow.AllocationRow::isObserved);
        publishedAfterwards += (int) last.outputs().stream()
                .filter(output -> output instanceof Output.DecisionMade(Decision decision)
                        && decision.result() instanceof Decision.DecisionResult.Allocated)
                .count();
    }

    /** The history with observe-only mode from its first input on. */
    private static List<Input> observing(History history) {
        List<Observation> all = new ArrayList<>();
        all.add(new Observation.SettingsChanged(
                CellSettings.builder().observeOnly(true).build()));
        history.observations()
                .forEach(each -> all.add(
                        each instanceof Observation.SettingsChanged(CellSettings settings)
                                ? new Observation.SettingsChanged(
                                        settings.toBuilder().observeOnly(true).build())
                                : each));
        all.removeIf(each -> each instanceof Observation.DecisionRestored);
        return new History(all).inputs();
    }

    private static State replayed(List<Input> inputs) {
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        inputs.forEach(cell::step);
        return state;
    }

    private void checkOutputs(Step step) {
        for (Output output : step.outputs()) {
            if (output instanceof Output.DecisionMade(Decision decision)) {
                assertThat(decision.result())
                        .isInstanceOfAny(Decision.DecisionResult.Pending.class, Decision.DecisionResult.Released.class);
            } else if (output instanceof Output.ClaimCompared(Comparison comparison)) {
                results.merge(comparison.result(), 1, Integer::sum);
                withdrawn += comparison.result() == Comparison.ComparisonResult.BOTH_PENDING ? 1 : 0;
            }
        }
    }

    /** A decision exists only for a claim without allocation, and its devices are free in the cluster. */
    private static void checkRows(State state) {
        SortedMap<String, ClaimRow.AllocationRow> observed = new TreeMap<>();
        for (ClaimRow.AllocationRow row : state.rows(ClaimRow.AllocationRow.ALL)) {
            assertThat(row.isObserved()).as("%s", row).isTrue();
            assertThat(state.claim(row.claim())
                            .filter(claim -> claim.meta().uid().equals(row.claimUid()))
                            .flatMap(ResourceClaim::allocation))
                    .isEqualTo(Optional.empty());
            observed.put(row.claimUid(), row);
        }
        for (DeviceUsage usage : state.inventory().usages()) {
            if (usage.isContested()) {
                assertThat(usage.entries()).noneMatch(holder -> observed.containsKey(holder.uid()));
            }
        }
    }
}
