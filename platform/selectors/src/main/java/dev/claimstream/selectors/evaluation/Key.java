package dev.claimstream.selectors.evaluation;

/** A qualifier in a chain: the field, key or index that is looked up in the value before it. */
abstract class Key {
    private final int id;
    private final boolean optional;

    Key(int id, boolean optional) {
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

    /** Returns the value or a {@link Failure}. */
    abstract Object get(Frame frame, Object container);

    /** Returns the value, {@link Access#NOTHING}, or a {@link Failure}; only a value is charged. */
    abstract Object find(Frame frame, Object container);

    final Object charged(Frame frame, Object value) {
        frame.meter().charge(1);
        frame.meter().push(id, value);
        return value;
    }

    final Object chargedIfThere(Frame frame, Object value) {
        return value instanceof Failure || value == Access.NOTHING ? value : charged(frame, value);
    }

    /** A constant key. */
    static final class Known extends Key {
        private final Object key;

        Known(int id, boolean optional, Object key) {
            super(id, optional);
            this.key = key;
        }

        @Override
        Object get(Frame frame, Object container) {
            return charged(frame, Access.get(container, key));
        }

        @Override
        Object find(Frame frame, Object container) {
            return chargedIfThere(frame, Access.find(container, key));
        }
    }

    /** The last key in {@code has(a.b)}. */
    static final class Tested extends Key {
        private final String name;

        Tested(int id, String name) {
            super(id, false);
            this.name = name;
        }

        @Override
        Object get(Frame frame, Object container) {
            Object found = Access.find(container, name);
            return charged(frame, found instanceof Failure ? found : (Object) (found != Access.NOTHING));
        }

        @Override
        Object find(Frame frame, Object container) {
            return chargedIfThere(frame, Access.find(container, name));
        }
    }

    /** A key that is itself a chain: its qualifiers are charged, but not the chain as a whole. */
    static final class OfAttribute extends Key {
        private final Attribute key;

        OfAttribute(int id, boolean optional, Attribute key) {
            super(id, optional);
            this.key = key;
        }

        @Override
        Object get(Frame frame, Object container) {
            Object at = key.resolve(frame);
            return charged(frame, at instanceof Failure ? at : Access.getAt(container, at));
        }

        @Override
        Object find(Frame frame, Object container) {
            Object at = key.resolve(frame);
            return chargedIfThere(frame, at instanceof Failure ? at : Access.findAt(container, at));
        }
    }

    /** A key that is the value of any other step. */
    static final class OfStep extends Key {
        private final Attribute key;

        OfStep(int id, boolean optional, Step key) {
            super(id, optional);
            this.key = new Attribute.OfStep(id, key);
        }

        @Override
        Object get(Frame frame, Object container) {
            Object at = key.resolve(frame);
            Object value = at instanceof Failure ? at : Access.getAt(container, at);
            frame.meter().drop(id());
            return charged(frame, value);
        }

        @Override
        Object find(Frame frame, Object container) {
            Object at = key.resolve(frame);
            Object value = at instanceof Failure ? at : Access.findAt(container, at);
            if (!(value instanceof Failure) && value != Access.NOTHING) {
                frame.meter().drop(id());
            }
            return chargedIfThere(frame, value);
        }
    }
}
