package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ReadKey;
import dev.claimstream.dra.Selector;
import java.util.SortedMap;
import java.util.TreeMap;

/** Creates expression results for tests. */
public final class SampleExpressionResults {
    private SampleExpressionResults() {}

    /** Creates this number of matches. */
    public static SortedMap<ReadKey, ExpressionResult> of(int count) {
        var answers = new TreeMap<ReadKey, ExpressionResult>();
        for (int i = 0; i < count; i++) {
            answers.put(new ReadKey(i, 0), new ExpressionResult.MatchResult(Selector.Match.MATCH));
        }
        return answers;
    }
}
