package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ReadKey;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one portion of an evaluation adds.
 *
 * @param answers by the fingerprint of the expression
 * @param expressions fingerprints of all expressions of the question
 * @param cost in units of work
 * @param preparation how far the expressions are prepared now, where that is to be kept
 * @param obstacle what the next portion begins with, in words; absent where every answer is known
 */
public record EvaluationPortion(
        SortedMap<String, SortedMap<ReadKey, Answer>> answers,
        SortedSet<String> expressions,
        long cost,
        Optional<Preparation> preparation,
        Optional<String> obstacle) {
    public EvaluationPortion {
        answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
        expressions = Collections.unmodifiableSortedSet(new TreeSet<>(expressions));
    }

    /** A portion without answers that ends before the evaluation. */
    static EvaluationPortion unfinished(long cost, String obstacle) {
        return new EvaluationPortion(new TreeMap<>(), new TreeSet<>(), cost, Optional.empty(), Optional.of(obstacle));
    }

    /** A portion without answers after which nothing is left to evaluate. */
    static EvaluationPortion finished(long cost) {
        return new EvaluationPortion(new TreeMap<>(), new TreeSet<>(), cost, Optional.empty(), Optional.empty());
    }

    /** The same with more work before it. */
    EvaluationPortion after(long units, Optional<Preparation> prepared) {
        return new EvaluationPortion(answers, expressions, cost + units, prepared, obstacle);
    }

    /**
     * How far the expressions of a question are prepared.
     *
     * @param expressions digest of the expressions
     * @param compiled cost of those that are compiled, as {@link dev.claimstream.dra.Selectors#compilationCost} counts
     * @param unchecked devices for which the answers are still to be checked; no limit before the first check
     */
    public record Preparation(String expressions, long compiled, long unchecked) {}

    /** Whether every answer is known. */
    public boolean isFinished() {
        return obstacle.isEmpty();
    }
}
