package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.EvaluationCache;
import dev.claimstream.allocation.solver.EvaluationPortion;
import dev.claimstream.allocation.solver.SampleExpressionResults;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests which expression results a full cache evicts. */
final class ChargedWorkCacheTest {
    private static final long RESULTS_MAX = 100;

    private final ChargedWorkCache cache = new ChargedWorkCache(new EvaluationCache(new TextSelectors()), RESULTS_MAX);

    private List<Fact> charge(Set<String> problem) {
        cache.add(new WorkBudgetRow.EvaluationRow("first", 0, "default", 1, SampleExpressionResults.of(90)));
        var answers = new TreeMap<
                String,
                java.util.SortedMap<dev.claimstream.dra.ReadKey, dev.claimstream.allocation.solver.ExpressionResult>>();
        answers.put("last", SampleExpressionResults.of(20));
        return cache.charge(
                new EvaluationPortion(answers, new TreeSet<>(problem), 0, Optional.empty(), Optional.empty()),
                "default",
                2,
                1);
    }

    @Test
    void evictsOldestExpressionIfFull() {
        assertThat(charge(Set.of("last"))).contains(new Fact.Drop(WorkBudgetRow.EvaluationRow.key("first", 0)));
    }

    @Test
    void keepsExpressionsOfEvaluatedShape() {
        assertThat(charge(Set.of("first", "last"))).noneMatch(fact -> fact instanceof Fact.Drop);
    }
}
