package dev.claimstream.selectors.evaluation;

/** A link of a chain: the field, key or index that is looked up in what is before it. */
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

    /** Whether what is not there makes the chain empty and is no error. */
    final boolean isOptional() {
        return optional;
    }

    /** What is there, or a {@link Failure}. */
    abstract Object get(Frame frame, Object container);

    /** What is there, {@link Access#NOTHING}, or a {@link Failure}; only what is there is charged. */
    abstract Object find(Frame frame, Object container);

    final Object charged(Frame frame, Object value) {
        frame.meter().charge(1);
        frame.meter().push(id, value);
        return value;
    }

    final Object chargedIfThere(Frame frame, Object value) {
        return value instanceof Failure || value == Access.NOTHING ? value : charged(frame, value);
    }

    /** A key that is known when the expression is planned. */
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

    /** A key that is a chain itself: what it is made of is charged, and it as a whole is not. */
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

    /** A key that any other part of the expression gives. */
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
