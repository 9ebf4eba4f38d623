package dev.claimstream.allocation.solver;

import dev.claimstream.dra.ReadKey;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The answers that one portion of an evaluation adds.
 *
 * @param answers by the fingerprint of the expression
 * @param cost in units of work
 * @param dearest the highest cost of one evaluation in this portion, in CEL cost units
 * @param obstacle the expression that the next portion begins with; absent where every answer is known
 */
public record EvaluationPortion(
        SortedMap<String, SortedMap<ReadKey, Answer>> answers, long cost, long dearest, Optional<Obstacle> obstacle) {
    public EvaluationPortion {
        answers = Collections.unmodifiableSortedMap(new TreeMap<>(answers));
    }

    /** Nothing is left to evaluate. */
    static final EvaluationPortion NOTHING_TO_DO = new EvaluationPortion(new TreeMap<>(), 0, 0, Optional.empty());

    /**
     * An expression that is not evaluated for all devices yet.
     *
     * @param text its place in the claim or class, as {@code selector #0 of request gpu}
     * @param done how many answers are known; devices that do not differ in what it reads share one
     */
    public record Obstacle(String text, String fingerprint, long done) {}

    /** Whether every answer is known. */
    public boolean isFinished() {
        return obstacle.isEmpty();
    }
}
