package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.TextSelectors;
import dev.claimstream.allocation.solver.EvaluationCache;
import dev.claimstream.allocation.solver.EvaluationPortion;
import dev.claimstream.allocation.solver.SampleAnswers;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests which expression results a full cache evicts. */
final class ChargedWorkCacheTest {
    private static final long ANSWERS_MAX = 100;

    private final ChargedWorkCache tables = new ChargedWorkCache(new EvaluationCache(new TextSelectors()), ANSWERS_MAX);

    private List<Fact> paid(Set<String> question) {
        tables.add(new Row.EvaluationRow("first", 0, "default", 1, SampleAnswers.of(90)));
        var answers = new TreeMap<
                String,
                java.util.SortedMap<dev.claimstream.dra.ReadKey, dev.claimstream.allocation.solver.ExpressionResult>>();
        answers.put("last", SampleAnswers.of(20));
        return tables.charge(
                new EvaluationPortion(answers, new TreeSet<>(question), 0, Optional.empty(), Optional.empty()),
                "default",
                2,
                1);
    }

    @Test
    void theOldestExpressionMakesRoom() {
        assertThat(paid(Set.of("last"))).contains(new Fact.Drop(Row.EvaluationRow.key("first", 0)));
    }

    @Test
    void whatTheQuestionNeedsStays() {
        assertThat(paid(Set.of("first", "last"))).noneMatch(fact -> fact instanceof Fact.Drop);
    }
}
