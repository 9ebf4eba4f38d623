package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.selectors.evaluation.EvaluationFailure;
import dev.claimstream.selectors.evaluation.EvaluationPlan;
import dev.claimstream.selectors.values.DeviceValue;
import java.util.List;
import java.util.Optional;

/**
 * A compiled expression. It is evaluated once for each combination of the values that it reads. Thread-safe.
 *
 * @param <T> the type of the answer
 */
final class CompiledExpression<T> {
    /** Converts results and failures to answers. */
    interface ResultMapper<T> {
        /** Converts a value. */
        T of(Object result);

        /** Converts an error, in upstream's words. */
        T ofFailure(String message);
    }

    /** {@code CELSelectorExpressionMaxCost} of the API. */
    private static final long COST_MAX = 1_000_000;

    private final EvaluationPlan plan;
    private final ImmutableList<ReadPath> readPaths;
    private final AttributeCheck attributes;
    private final ResultMapper<T> mapper;
    private final String fingerprint;
    private final Memo<T> memo;
    private final Memo<ReadKey> keys;

    CompiledExpression(
            Environment.CompiledProgram expression,
            String fingerprint,
            AttributeCheck attributes,
            ResultMapper<T> meaning,
            int memoMax) {
        this.fingerprint = fingerprint;
        this.plan = expression.plan();
        this.readPaths = ReadSet.of(expression.expression()).asList();
        this.attributes = attributes;
        this.mapper = meaning;
        this.memo = new Memo<>(memoMax);
        this.keys = new Memo<>(memoMax);
    }

    String fingerprint() {
        return fingerprint;
    }

    /** Returns the key of the answer for a device: the values that the expression reads, or the reason why the device is unreadable. */
    ReadKey key(String driver, Device device) {
        Optional<String> problem = attributes.problem(device);
        if (problem.isPresent()) {
            return Digests.readKey(List.of("unreadable", problem.get()));
        }
        List<Object> values = ReadSet.project(readPaths, driver, device);
        return keys.get(values, () -> Digests.readKey(values));
    }

    /** Returns the answer and its cost without the cache; an unreadable device costs nothing. */
    CostedAnswer<T> evaluate(String driver, Device device) {
        return unreadable(device)
                .map(failed -> new CostedAnswer<>(failed, 0))
                .orElseGet(() -> evaluateReadable(driver, device));
    }

    T cachedAnswer(String driver, Device device) {
        return unreadable(device)
                .orElseGet(() -> memo.get(
                        ReadSet.project(readPaths, driver, device),
                        () -> evaluateReadable(driver, device).answer()));
    }

    /** Returns the answer for an unreadable device; empty if the device is readable. */
    Optional<T> unreadable(Device device) {
        return attributes.problem(device).map(mapper::ofFailure);
    }

    /** Returns the answer for a readable device without the cache. */
    CostedAnswer<T> evaluateReadable(String driver, Device device) {
        EvaluationPlan.PlanResult outcome = plan.evaluate(DeviceValue.of(driver, device), COST_MAX);
        T answer = outcome.value() instanceof EvaluationFailure failure
                ? mapper.ofFailure(failure.message())
                : mapper.of(outcome.value());
        return new CostedAnswer<>(answer, outcome.cost());
    }

    ImmutableList<ReadPath> readPaths() {
        return readPaths;
    }

    int answerCount() {
        return memo.size();
    }
}
