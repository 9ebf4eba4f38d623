package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ReadKey;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Result of one portion of an evaluation.
 *
 * @param results new results, by the fingerprint of the expression
 * @param expressions fingerprints of all expressions of the problem
 * @param cost units of work
 * @param preparation progress of the preparation, if a row has to store it
 * @param progress progress text with the expression of the next portion; absent if every result is known
 */
public record EvaluationPortion(
        SortedMap<String, SortedMap<ReadKey, ExpressionResult>> results,
        SortedSet<String> expressions,
        long cost,
        Optional<Preparation> preparation,
        Optional<String> progress) {
    public EvaluationPortion {
        results = Collections.unmodifiableSortedMap(new TreeMap<>(results));
        expressions = Collections.unmodifiableSortedSet(new TreeSet<>(expressions));
    }

    /** Returns a portion that ends before the evaluation, without results. */
    static EvaluationPortion unfinished(long cost, String obstacle) {
        return new EvaluationPortion(new TreeMap<>(), new TreeSet<>(), cost, Optional.empty(), Optional.of(obstacle));
    }

    /** Returns a portion that completes the evaluation, without results. */
    static EvaluationPortion finished(long cost) {
        return new EvaluationPortion(new TreeMap<>(), new TreeSet<>(), cost, Optional.empty(), Optional.empty());
    }

    /** Adds the work and the progress of the preparation. */
    EvaluationPortion withPreparation(long units, Optional<Preparation> prepared) {
        return new EvaluationPortion(results, expressions, cost + units, prepared, progress);
    }

    /**
     * Progress of the preparation of a problem's expressions.
     *
     * @param expressions digest of the expressions
     * @param compiled cost of the compiled expressions, in the unit of
     *     {@link dev.claimstream.dra.Selectors#compilationCost}
     * @param unchecked devices that are not looked up yet; {@code Long.MAX_VALUE} before the first look-up
     */
    public record Preparation(String expressions, long compiled, long unchecked) {}

    /** Returns whether every result is known. */
    public boolean isFinished() {
        return progress.isEmpty();
    }
}
