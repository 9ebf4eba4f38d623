package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.claimstream.dra.Device;
import dev.claimstream.selectors.evaluation.Failure;
import dev.claimstream.selectors.evaluation.Plan;
import dev.claimstream.selectors.values.DeviceValue;
import java.util.Optional;

/**
 * An expression that compiled. Evaluates once for each combination of the values that it reads.
 *
 * @param <T> what its results and failures say
 */
final class CompiledExpression<T> {
    /** What a result means to whoever asked. */
    interface Meaning<T> {
        /** Of a value. */
        T of(Object result);

        /** Of an error, in upstream's words. */
        T ofFailure(String message);
    }

    /** {@code CELSelectorExpressionMaxCost} of the API. */
    private static final long COST_MAX = 1_000_000;

    private final Plan plan;
    private final ImmutableList<Reading> readings;
    private final AttributeCheck attributes;
    private final Meaning<T> meaning;
    private final Memo<T> memo;

    CompiledExpression(Environment.Compiled expression, AttributeCheck attributes, Meaning<T> meaning, int memoMax) {
        this.plan = expression.plan();
        this.readings = ReadSet.of(expression.expression()).asList();
        this.attributes = attributes;
        this.meaning = meaning;
        this.memo = new Memo<>(memoMax);
    }

    T ask(String driver, Device device) {
        return unreadable(device)
                .orElseGet(() -> memo.get(
                        ReadSet.project(readings, driver, device),
                        () -> measure(driver, device).answer()));
    }

    /** The answer for a device that cannot be read. */
    Optional<T> unreadable(Device device) {
        return attributes.problem(device).map(meaning::ofFailure);
    }

    /**
     * An answer and what it cost.
     *
     * @param <T> what answers say
     */
    record Measured<T>(T answer, long cost) {}

    /** The answer without the memo, for a device that can be read. */
    Measured<T> measure(String driver, Device device) {
        Plan.Outcome outcome = plan.evaluate(DeviceValue.of(driver, device), COST_MAX);
        T answer = outcome.value() instanceof Failure failure
                ? meaning.ofFailure(failure.message())
                : meaning.of(outcome.value());
        return new Measured<>(answer, outcome.cost());
    }

    ImmutableList<Reading> readings() {
        return readings;
    }

    int answersKept() {
        return memo.size();
    }
}
