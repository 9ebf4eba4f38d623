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

    /** Returns the value at the end of the chain or a {@link Failure}; an optional if a qualifier is optional. */
    Object resolve(Frame frame);

    /** Appends a qualifier. */
    void add(Key key);

    /** A chain of qualifiers. */
    abstract sealed class Chain implements Attribute {
        private final int startId;
        private final List<Key> keys = new ArrayList<>();

        private Chain(int startId) {
            this.startId = startId;
        }

        abstract Object start(Frame frame);

        @Override
        public final int id() {
            return keys.isEmpty() ? startId : keys.getLast().id();
        }

        @Override
        public final void add(Key key) {
            keys.add(key);
        }

        @Override
        public final Object resolve(Frame frame) {
            Object start = start(frame);
            if (start instanceof Failure) {
                return start;
            }
            return start instanceof Optional<?> optional
                    ? optional.isEmpty() ? start : follow(frame, optional.get(), true)
                    : follow(frame, start, false);
        }

        private Object follow(Frame frame, Object start, boolean fromOptional) {
            Object value = start;
            boolean isOptional = fromOptional;
            for (Key key : keys) {
                isOptional |= key.isOptional();
                value = isOptional ? key.find(frame, value) : key.get(frame, value);
                if (value instanceof Failure) {
                    return value;
                }
                if (isOptional && value == Access.NOTHING) {
                    return Optional.empty();
                }
            }
            return isOptional ? Optional.of(value) : value;
        }
    }

    /** A chain that starts at a variable. */
    final class OfVariable extends Chain {
        private final Function<Frame, Object> variable;

        OfVariable(int id, Function<Frame, Object> variable) {
            super(id);
            this.variable = variable;
        }

        @Override
        Object start(Frame frame) {
            return variable.apply(frame);
        }
    }

    /** A chain that starts at the value of another step. */
    final class OfStep extends Chain {
        private final Step step;

        OfStep(int id, Step step) {
            super(id);
            this.step = step;
        }

        @Override
        Object start(Frame frame) {
            return step.eval(frame);
        }
    }

    /** {@code c ? a : b}; qualifiers after it are added to both branches. */
    record Choice(int choiceId, Step condition, Attribute yes, Attribute no) implements Attribute {
        @Override
        public int id() {
            return yes.id() == no.id() ? yes.id() : choiceId;
        }

        @Override
        public void add(Key key) {
            yes.add(key);
            no.add(key);
        }

        @Override
        public Object resolve(Frame frame) {
            return switch (condition.eval(frame)) {
                case Boolean holds -> holds ? yes.resolve(frame) : no.resolve(frame);
                case Object other -> Failure.of(other);
            };
        }
    }
}
