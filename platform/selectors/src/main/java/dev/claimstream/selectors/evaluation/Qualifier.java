package dev.claimstream.selectors.evaluation;

/** A qualifier in a chain: the field, key or index that is looked up in the value before it. */
abstract class Qualifier {
    private final int id;
    private final boolean optional;

    Qualifier(int id, boolean optional) {
        this.id = id;
        this.optional = optional;
    }

    final int id() {
        return id;
    }

    /** Returns whether a missing value makes the chain empty instead of an error. */
    final boolean isOptional() {
        return optional;
    }

    /** Returns the value or a {@link EvaluationFailure}. */
    abstract Object get(EvaluationFrame frame, Object container);

    /** Returns the value, {@link ContainerAccess#NOTHING}, or a {@link EvaluationFailure}; only a value is charged. */
    abstract Object find(EvaluationFrame frame, Object container);

    final Object charged(EvaluationFrame frame, Object value) {
        frame.meter().charge(1);
        frame.meter().push(id, value);
        return value;
    }

    final Object chargedIfPresent(EvaluationFrame frame, Object value) {
        return value instanceof EvaluationFailure || value == ContainerAccess.NOTHING ? value : charged(frame, value);
    }

    /** A constant key. */
    static final class ConstantQualifier extends Qualifier {
        private final Object key;

        ConstantQualifier(int id, boolean optional, Object key) {
            super(id, optional);
            this.key = key;
        }

        @Override
        Object get(EvaluationFrame frame, Object container) {
            return charged(frame, ContainerAccess.get(container, key));
        }

        @Override
        Object find(EvaluationFrame frame, Object container) {
            return chargedIfPresent(frame, ContainerAccess.find(container, key));
        }
    }

    /** The last key in {@code has(a.b)}. */
    static final class PresenceQualifier extends Qualifier {
        private final String name;

        PresenceQualifier(int id, String name) {
            super(id, false);
            this.name = name;
        }

        @Override
        Object get(EvaluationFrame frame, Object container) {
            Object found = ContainerAccess.find(container, name);
            return charged(
                    frame, found instanceof EvaluationFailure ? found : (Object) (found != ContainerAccess.NOTHING));
        }

        @Override
        Object find(EvaluationFrame frame, Object container) {
            return chargedIfPresent(frame, ContainerAccess.find(container, name));
        }
    }

    /** A key that is itself a chain: its qualifiers are charged, but not the chain as a whole. */
    static final class AttributeQualifier extends Qualifier {
        private final Attribute key;

        AttributeQualifier(int id, boolean optional, Attribute key) {
            super(id, optional);
            this.key = key;
        }

        @Override
        Object get(EvaluationFrame frame, Object container) {
            Object at = key.resolve(frame);
            return charged(frame, at instanceof EvaluationFailure ? at : ContainerAccess.getAt(container, at));
        }

        @Override
        Object find(EvaluationFrame frame, Object container) {
            Object at = key.resolve(frame);
            return chargedIfPresent(
                    frame, at instanceof EvaluationFailure ? at : ContainerAccess.findAt(container, at));
        }
    }

    /** A key that is the value of any other step. */
    static final class StepQualifier extends Qualifier {
        private final Attribute key;

        StepQualifier(int id, boolean optional, PlanStep key) {
            super(id, optional);
            this.key = new Attribute.StepChain(id, key);
        }

        @Override
        Object get(EvaluationFrame frame, Object container) {
            Object at = key.resolve(frame);
            Object value = at instanceof EvaluationFailure ? at : ContainerAccess.getAt(container, at);
            frame.meter().drop(id());
            return charged(frame, value);
        }

        @Override
        Object find(EvaluationFrame frame, Object container) {
            Object at = key.resolve(frame);
            Object value = at instanceof EvaluationFailure ? at : ContainerAccess.findAt(container, at);
            if (!(value instanceof EvaluationFailure) && value != ContainerAccess.NOTHING) {
                frame.meter().drop(id());
            }
            return chargedIfPresent(frame, value);
        }
    }
}
