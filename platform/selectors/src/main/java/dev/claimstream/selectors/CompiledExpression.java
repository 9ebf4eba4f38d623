package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.claimstream.dra.CostedAnswer;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.ReadKey;
import dev.claimstream.selectors.evaluation.Failure;
import dev.claimstream.selectors.evaluation.Plan;
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
    interface Meaning<T> {
        /** Converts a value. */
        T of(Object result);

        /** Converts an error, in upstream's words. */
        T ofFailure(String message);
    }

    /** {@code CELSelectorExpressionMaxCost} of the API. */
    private static final long COST_MAX = 1_000_000;

    private final Plan plan;
    private final ImmutableList<Reading> readings;
    private final AttributeCheck attributes;
    private final Meaning<T> meaning;
    private final String fingerprint;
    private final Memo<T> memo;
    private final Memo<ReadKey> keys;

    CompiledExpression(
            Environment.Compiled expression,
            String fingerprint,
            AttributeCheck attributes,
            Meaning<T> meaning,
            int memoMax) {
        this.fingerprint = fingerprint;
        this.plan = expression.plan();
        this.readings = ReadSet.of(expression.expression()).asList();
        this.attributes = attributes;
        this.meaning = meaning;
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
            return Digests.key(List.of("unreadable", problem.get()));
        }
        List<Object> values = ReadSet.project(readings, driver, device);
        return keys.get(values, () -> Digests.key(values));
    }

    /** Returns the answer and its cost without the cache; an unreadable device costs nothing. */
    CostedAnswer<T> evaluate(String driver, Device device) {
        return unreadable(device).map(failed -> new CostedAnswer<>(failed, 0)).orElseGet(() -> measure(driver, device));
    }

    T ask(String driver, Device device) {
        return unreadable(device)
                .orElseGet(() -> memo.get(
                        ReadSet.project(readings, driver, device),
                        () -> measure(driver, device).answer()));
    }

    /** Returns the answer for an unreadable device; empty if the device is readable. */
    Optional<T> unreadable(Device device) {
        return attributes.problem(device).map(meaning::ofFailure);
    }

    /** Returns the answer for a readable device without the cache. */
    CostedAnswer<T> measure(String driver, Device device) {
        Plan.Outcome outcome = plan.evaluate(DeviceValue.of(driver, device), COST_MAX);
        T answer = outcome.value() instanceof Failure failure
                ? meaning.ofFailure(failure.message())
                : meaning.of(outcome.value());
        return new CostedAnswer<>(answer, outcome.cost());
    }

    ImmutableList<Reading> readings() {
        return readings;
    }

    int answersKept() {
        return memo.size();
    }
}
