package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.Reason;
import java.util.EnumSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Tests that random histories produce every reason and every output of the cell. */
class HistoryCoverageTest {
    private static final int SIZE = 300;

    /** Reasons that need several cells, or a cluster that random histories do not have. */
    private static final EnumSet<Reason> UNCOVERED_REASONS = EnumSet.of(
            Reason.SourcesNotSynced,
            Reason.TemplateMissing,
            Reason.ClaimMissing,
            Reason.ClaimNotCreated,
            Reason.ConsumersExhausted,
            Reason.CountersExhausted,
            Reason.CapacityExhausted,
            Reason.CountersExceeded,
            Reason.CapacityExceeded,
            Reason.GroupsIncompatible,
            Reason.GangIncomplete,
            Reason.ObserveOnly,
            Reason.SpansCells);

    private static final long COVERAGE_SEEDS_MAX = 160;

    /** Seeds are added until every reason and output has occurred. */
    @Test
    void historiesCoverReasonsAndOutputs() {
        SortedMap<String, Integer> minimum = coverageMinimum();
        SortedMap<String, Integer> counts = new TreeMap<>();
        for (long seed = 0;
                seed < COVERAGE_SEEDS_MAX && !missing(counts, minimum).isEmpty();
                seed++) {
            countReasonsAndOutputs(
                    seed % 4 == 3 ? HistoryGenerator.randomWithBudget(seed, SIZE) : HistoryGenerator.random(seed, SIZE),
                    counts);
        }
        assertThat(missing(counts, minimum)).as("counts %s", counts).isEmpty();
    }

    private static SortedMap<String, Integer> coverageMinimum() {
        SortedMap<String, Integer> minimum = new TreeMap<>();
        EnumSet.complementOf(UNCOVERED_REASONS).forEach(reason -> minimum.put("Pending " + reason, 1));
        List.of("answered", "ended", "Revoked", "CONFLICT", "CONFLICT over", "DEVICE_LOST", "DEVICE_LOST over")
                .forEach(each -> minimum.put(each, 1));
        List.of("Released", "earmarked", "contested", "cooling").forEach(each -> minimum.put(each, 50));
        minimum.put("Allocated", 300);
        return minimum;
    }

    private static List<String> missing(SortedMap<String, Integer> counts, SortedMap<String, Integer> minimum) {
        return minimum.keySet().stream()
                .filter(each -> counts.getOrDefault(each, 0) < minimum.getOrDefault(each, 0))
                .toList();
    }

    private static void countReasonsAndOutputs(History history, SortedMap<String, Integer> counts) {
        BiConsumer<String, Boolean> count = (name, isPresent) -> counts.merge(name, isPresent ? 1 : 0, Integer::sum);
        var state = new State(new TextSelectors());
        var cell = new Cell(state);
        for (Input input : history.inputs()) {
            for (Output output : cell.step(input).outputs()) {
                switch (output) {
                    case Output.DecisionMade decisionMade -> {
                        Decision.DecisionResult result = decisionMade.decision().result();
                        String reason =
                                result instanceof Decision.DecisionResult.Pending pending ? " " + pending.reason() : "";
                        count.accept(result.getClass().getSimpleName() + reason, true);
                    }
                    case Output.ItemExplained explained -> {
                        // the only output with the reason of a pending pod whose claims are all allocated
                        if (explained.explanation().detail() instanceof Explanation.ExplanationDetail.Pending pending) {
                            count.accept("Pending " + pending.diagnosis().reason(), true);
                        }
                    }
                    case Output.ClaimCompared compared -> count.accept("compared", true);
                    case Output.RouterMessage toRouter -> count.accept("to router", true);
                    case Output.ClaimDeleted claimDeleted -> count.accept("ended", true);
                    case Output.AlarmChanged alarmed ->
                        count.accept(alarmed.alarm().type() + (alarmed.isCleared() ? " over" : ""), true);
                    case Output.WorkAlarmRaised alarmed -> count.accept("much work", true);
                    case Output.ExplanationDeleted explanationDeleted -> count.accept("forgotten", true);
                    case Output.ProbeAnswered answered -> count.accept("answered", true);
                    case Output.TextsRefreshed refreshed -> count.accept("refreshed", true);
                }
            }
            count.accept("earmarked", !state.earmarks().isEmpty());
            count.accept("cooling", state.devicesByHolder().keySet().stream().anyMatch(ClaimDevices::isQuarantine));
            state.inventory().usages().forEach(each -> count.accept("contested", each.isContested()));
        }
    }
}
