package dev.claimstream.selectors.evaluation;

import dev.claimstream.selectors.functions.GrowableCollection;
import dev.claimstream.selectors.functions.ValueTypes;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A comprehension: the expansion of macros such as {@code all} and {@code cel.bind}.
 *
 * <p>The initial value of the accumulator is evaluated at its first use; an empty list or map grows in place.
 */
final class Comprehension extends PlanStep.PlanNode {
    /** The indices of the variables; -1 if there is no second loop variable. */
    record LoopVariables(int accumulator, int first, int second) {}

    /** The parts that are evaluated for each element, and the result. */
    record LoopParts(PlanStep condition, PlanStep step, PlanStep result) {}

    private final PlanStep range;
    private final LoopVariables variables;
    private final LoopParts body;

    Comprehension(int id, PlanStep range, LoopVariables variables, LoopParts body) {
        super(id);
        this.range = range;
        this.variables = variables;
        this.body = body;
    }

    @Override
    Object eval(EvaluationFrame frame) {
        Object value = value(frame);
        frame.meter().drop(range.id());
        frame.meter().push(id, value);
        return value;
    }

    /** Returns the value of the accumulator. */
    static Object accumulated(EvaluationFrame frame, int variable, PlanStep start) {
        @Nullable Object value = frame.variables()[variable];
        if (value == null) {
            value = growable(start.eval(frame));
            frame.variables()[variable] = value;
        }
        return value;
    }

    private static Object growable(Object start) {
        return switch (start) {
            case List<?> list when list.isEmpty() -> new GrowableCollection.GrowableList();
            case Map<?, ?> map when map.isEmpty() -> new GrowableCollection.GrowableMap();
            default -> start;
        };
    }

    private Object value(EvaluationFrame frame) {
        Object over = range.eval(frame);
        if (over instanceof EvaluationFailure) {
            return over;
        }
        frame.variables()[variables.accumulator] = null;
        if (variables.second >= 0) {
            switch (over) {
                case Map<?, ?> map -> overEntries(frame, map);
                case List<?> list -> overIndexes(frame, list);
                default -> {
                    return new EvaluationFailure("unsupported comprehension range type: " + ValueTypes.goTypeOf(over));
                }
            }
        } else {
            switch (over) {
                case Map<?, ?> map -> overElements(frame, map.keySet());
                case List<?> list -> overElements(frame, list);
                default -> {
                    return new EvaluationFailure(
                            "got '%s', expected iterable type".formatted(ValueTypes.goTypeOf(over)));
                }
            }
        }
        Object result = body.result.eval(frame);
        return result instanceof GrowableCollection growing ? growing.freeze() : result;
    }

    private void overElements(EvaluationFrame frame, Iterable<?> elements) {
        for (Object element : elements) {
            if (!iterate(frame, element, null)) {
                return;
            }
        }
    }

    private void overIndexes(EvaluationFrame frame, List<?> list) {
        long index = 0;
        for (Object element : list) {
            if (!iterate(frame, index++, element)) {
                return;
            }
        }
    }

    private void overEntries(EvaluationFrame frame, Map<?, ?> map) {
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!iterate(frame, entry.getKey(), entry.getValue())) {
                return;
            }
        }
    }

    /**
     * Executes the loop for an element and returns whether it continues. Like upstream, an error in the condition does not end the loop.
     */
    private boolean iterate(EvaluationFrame frame, Object first, @Nullable Object second) {
        frame.variables()[variables.first] = first;
        if (variables.second >= 0) {
            frame.variables()[variables.second] = second;
        }
        if (Boolean.FALSE.equals(body.condition.eval(frame))) {
            return false;
        }
        frame.variables()[variables.accumulator] = body.step.eval(frame);
        return true;
    }
}
