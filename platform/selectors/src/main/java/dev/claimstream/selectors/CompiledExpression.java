package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import dev.cel.runtime.CelVariableResolver;
import dev.claimstream.dra.Device;
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

    private final Program program;
    private final CostPlan costs;
    private final ImmutableList<Reading> readings;
    private final AttributeCheck attributes;
    private final Meaning<T> meaning;
    private final Memo<T> memo;

    CompiledExpression(Environment.Compiled expression, AttributeCheck attributes, Meaning<T> meaning, int memoMax) {
        this.program = expression.program();
        this.costs = new CostPlan(expression.tree());
        this.readings = ReadSet.of(expression.tree().getExpr()).asList();
        this.attributes = attributes;
        this.meaning = meaning;
        this.memo = new Memo<>(memoMax);
    }

    T ask(String driver, Device device) {
        return unreadable(device)
                .orElseGet(() ->
                        memo.get(ReadSet.project(readings, driver, device), () -> evaluate(driver, device, meter())));
    }

    /** The answer for a device that cannot be read. */
    Optional<T> unreadable(Device device) {
        return attributes.problem(device).map(meaning::ofFailure);
    }

    /** The answer without the memo, for a device that can be read. */
    T evaluate(String driver, Device device, CostMeter meter) {
        Optional<Object> view = Optional.of(DeviceValue.of(driver, device));
        CelVariableResolver variables = name -> name.equals(Environment.VARIABLE) ? view : Optional.empty();
        try {
            return meaning.of(program.trace(variables, meter));
        } catch (CelEvaluationException e) {
            return meaning.ofFailure(RuntimeMessages.of(e));
        } catch (CostLimitExceeded e) {
            return meaning.ofFailure(CostLimitExceeded.MESSAGE);
        }
    }

    CostMeter meter() {
        return new CostMeter(costs, CostMeter.LIMIT);
    }

    ImmutableList<Reading> readings() {
        return readings;
    }

    int answersKept() {
        return memo.size();
    }
}
