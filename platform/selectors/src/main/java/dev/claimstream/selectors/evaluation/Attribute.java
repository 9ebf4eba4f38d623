package dev.claimstream.selectors.evaluation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A value followed by qualifiers: {@code device.attributes["a"].?b}. The planner adds the qualifiers.
 *
 * <p>Source: {@code Attribute} in the interpreter of cel-go.
 */
sealed interface Attribute {
    /** Returns the id of the last qualifier, or of the value if there is none. */
    int id();

    /** Returns the value at the end of the chain or a {@link EvaluationFailure}; an optional if a qualifier is optional. */
    Object resolve(EvaluationFrame frame);

    /** Appends a qualifier. */
    void add(Qualifier key);

    abstract sealed class QualifierChain implements Attribute {
        private final int startId;
        private final List<Qualifier> keys = new ArrayList<>();

        private QualifierChain(int startId) {
            this.startId = startId;
        }

        abstract Object start(EvaluationFrame frame);

        @Override
        public final int id() {
            return keys.isEmpty() ? startId : keys.getLast().id();
        }

        @Override
        public final void add(Qualifier key) {
            keys.add(key);
        }

        @Override
        public final Object resolve(EvaluationFrame frame) {
            Object start = start(frame);
            if (start instanceof EvaluationFailure) {
                return start;
            }
            return start instanceof Optional<?> optional
                    ? optional.isEmpty() ? start : follow(frame, optional.get(), true)
                    : follow(frame, start, false);
        }

        private Object follow(EvaluationFrame frame, Object start, boolean fromOptional) {
            Object value = start;
            boolean isOptional = fromOptional;
            for (Qualifier key : keys) {
                isOptional |= key.isOptional();
                value = isOptional ? key.find(frame, value) : key.get(frame, value);
                if (value instanceof EvaluationFailure) {
                    return value;
                }
                if (isOptional && value == ContainerAccess.NOTHING) {
                    return Optional.empty();
                }
            }
            return isOptional ? Optional.of(value) : value;
        }
    }

    /** A chain that starts at a variable. */
    final class VariableChain extends QualifierChain {
        private final Function<EvaluationFrame, Object> variable;

        VariableChain(int id, Function<EvaluationFrame, Object> variable) {
            super(id);
            this.variable = variable;
        }

        @Override
        Object start(EvaluationFrame frame) {
            return variable.apply(frame);
        }
    }

    /** A chain that starts at the value of another step. */
    final class StepChain extends QualifierChain {
        private final PlanStep step;

        StepChain(int id, PlanStep step) {
            super(id);
            this.step = step;
        }

        @Override
        Object start(EvaluationFrame frame) {
            return step.eval(frame);
        }
    }

    /** {@code c ? a : b}; qualifiers after it are added to both branches. */
    record ConditionalAttribute(int choiceId, PlanStep condition, Attribute yes, Attribute no) implements Attribute {
        @Override
        public int id() {
            return yes.id() == no.id() ? yes.id() : choiceId;
        }

        @Override
        public void add(Qualifier key) {
            yes.add(key);
            no.add(key);
        }

        @Override
        public Object resolve(EvaluationFrame frame) {
            return switch (condition.eval(frame)) {
                case Boolean value -> value ? yes.resolve(frame) : no.resolve(frame);
                case Object other -> EvaluationFailure.of(other);
            };
        }
    }
}
