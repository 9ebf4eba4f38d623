package dev.claimstream.selectors.evaluation;

import dev.claimstream.selectors.functions.Growing;
import dev.claimstream.selectors.functions.Kinds;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A comprehension: the expansion of macros such as {@code all} and {@code cel.bind}.
 *
 * <p>The initial value of the accumulator is evaluated at its first use; an empty list or map grows in place.
 */
final class Fold extends Step.Node {
    /** The indices of the variables; -1 if there is no second loop variable. */
    record Variables(int accumulator, int first, int second) {}

    /** The parts that are evaluated for each element, and the result. */
    record Body(Step condition, Step step, Step result) {}

    private final Step range;
    private final Variables variables;
    private final Body body;

    Fold(int id, Step range, Variables variables, Body body) {
        super(id);
        this.range = range;
        this.variables = variables;
        this.body = body;
    }

    @Override
    Object eval(Frame frame) {
        Object value = value(frame);
        frame.meter().drop(range.id());
        frame.meter().push(id, value);
        return value;
    }

    /** Returns the value of the accumulator. */
    static Object accumulated(Frame frame, int variable, Step start) {
        @Nullable Object value = frame.variables()[variable];
        if (value == null) {
            value = growing(start.eval(frame));
            frame.variables()[variable] = value;
        }
        return value;
    }

    private static Object growing(Object start) {
        return switch (start) {
            case List<?> list when list.isEmpty() -> new Growing.OfElements();
            case Map<?, ?> map when map.isEmpty() -> new Growing.OfEntries();
            default -> start;
        };
    }

    private Object value(Frame frame) {
        Object over = range.eval(frame);
        if (over instanceof Failure) {
            return over;
        }
        frame.variables()[variables.accumulator] = null;
        if (variables.second >= 0) {
            switch (over) {
                case Map<?, ?> map -> overEntries(frame, map);
                case List<?> list -> overIndexes(frame, list);
                default -> {
                    return new Failure("unsupported comprehension range type: " + Kinds.goTypeOf(over));
                }
            }
        } else {
            switch (over) {
                case Map<?, ?> map -> overElements(frame, map.keySet());
                case List<?> list -> overElements(frame, list);
                default -> {
                    return new Failure("got '%s', expected iterable type".formatted(Kinds.goTypeOf(over)));
                }
            }
        }
        Object result = body.result.eval(frame);
        return result instanceof Growing growing ? growing.grown() : result;
    }

    private void overElements(Frame frame, Iterable<?> elements) {
        for (Object element : elements) {
            if (!goesOn(frame, element, null)) {
                return;
            }
        }
    }

    private void overIndexes(Frame frame, List<?> list) {
        long index = 0;
        for (Object element : list) {
            if (!goesOn(frame, index++, element)) {
                return;
            }
        }
    }

    private void overEntries(Frame frame, Map<?, ?> map) {
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!goesOn(frame, entry.getKey(), entry.getValue())) {
                return;
            }
        }
    }

    /**
     * Executes the loop for an element and returns whether it continues. Like upstream, an error in the condition does not end the loop.
     */
    private boolean goesOn(Frame frame, Object first, @Nullable Object second) {
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
