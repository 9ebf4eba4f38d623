package dev.claimstream.manifests;

/** The way from the root of an object to a field; it becomes text only where somebody asks. */
sealed interface FieldPath {
    /** A longer name is cut. */
    int NAME_LENGTH_MAX = 128;

    /** The object itself. */
    static FieldPath root() {
        return new Root();
    }

    /** Writes the path. */
    void appendTo(StringBuilder out);

    /** A field of this one. */
    default FieldPath child(String name) {
        return new Child(this, shortened(name));
    }

    /** A member of this list. */
    default FieldPath index(int index) {
        return new Index(this, index);
    }

    /** A value of this map. */
    default FieldPath key(String key) {
        return new Key(this, shortened(key));
    }

    private static String shortened(String name) {
        return name.length() <= NAME_LENGTH_MAX ? name : name.substring(0, NAME_LENGTH_MAX) + "...";
    }

    /** The text, as the API server writes it. */
    default String text() {
        StringBuilder out = new StringBuilder();
        appendTo(out);
        return out.toString();
    }

    /** The object. */
    record Root() implements FieldPath {
        @Override
        public void appendTo(StringBuilder out) {
            // the root has no name
        }
    }

    /** {@code parent.name}. */
    record Child(FieldPath parent, String name) implements FieldPath {
        @Override
        public void appendTo(StringBuilder out) {
            parent.appendTo(out);
            out.append(out.isEmpty() ? "" : ".").append(name);
        }
    }

    /** {@code parent[0]}. */
    record Index(FieldPath parent, int index) implements FieldPath {
        @Override
        public void appendTo(StringBuilder out) {
            parent.appendTo(out);
            out.append('[').append(index).append(']');
        }
    }

    /** {@code parent[name]}. */
    record Key(FieldPath parent, String name) implements FieldPath {
        @Override
        public void appendTo(StringBuilder out) {
            parent.appendTo(out);
            out.append('[').append(name).append(']');
        }
    }
}
