package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime.Program;
import dev.cel.runtime.CelVariableResolver;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.Selector;
import dev.claimstream.selectors.values.DeviceValue;
import java.util.Optional;

/** An expression that compiled. Evaluates once for each combination of the values that it reads. */
final class CompiledSelector implements Selector {
    private static final String HINT =
            ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields";

    private final Program program;
    private final CostPlan costs;
    private final ImmutableList<Reading> readings;
    private final AttributeCheck attributes;
    private final Memo memo;

    CompiledSelector(Environment.Compiled expression, AttributeCheck attributes, int memoMax) {
        this.program = expression.program();
        this.costs = new CostPlan(expression.tree());
        this.readings = ReadSet.of(expression.tree().getExpr()).asList();
        this.attributes = attributes;
        this.memo = new Memo(memoMax);
    }

    @Override
    public Match test(String driver, Device device) {
        Optional<String> problem = attributes.problem(device);
        return problem.isPresent()
                ? failed(problem.get())
                : memo.get(ReadSet.project(readings, driver, device), () -> evaluate(driver, device));
    }

    /** The answer without the memo. */
    Match evaluate(String driver, Device device) {
        return evaluate(driver, device, new CostMeter(costs, CostMeter.LIMIT));
    }

    Match evaluate(String driver, Device device, CostMeter meter) {
        Optional<Object> view = Optional.of(DeviceValue.of(driver, device));
        CelVariableResolver variables = name -> name.equals(Environment.VARIABLE) ? view : Optional.empty();
        try {
            return match(program.trace(variables, meter));
        } catch (CelEvaluationException e) {
            return failed(RuntimeMessages.of(e));
        } catch (CostLimitExceeded e) {
            return failed(CostLimitExceeded.MESSAGE);
        }
    }

    /** The answer and its cost; a device that cannot be read costs nothing. */
    Evaluation measure(String driver, Device device) {
        Optional<String> problem = attributes.problem(device);
        if (problem.isPresent()) {
            return new Evaluation(failed(problem.get()), 0);
        }
        CostMeter meter = meter();
        Match match = evaluate(driver, device, meter);
        return new Evaluation(match, meter.cost());
    }

    private static Match match(Object result) {
        return switch (result) {
            case Boolean fits -> fits ? Match.YES : Match.NO;
            case Optional<?> optional when optional.isPresent() -> match(optional.get());
            default -> failed(RuntimeMessages.noBool(result));
        };
    }

    private static Match failed(String message) {
        return new Match.Failed("CEL runtime error: " + message + (message.contains("no such key:") ? HINT : ""));
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
