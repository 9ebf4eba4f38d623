package dev.claimstream.manifests;

/** The path from the root of an object to a field. The text is built only on demand. */
sealed interface FieldPath {
    /** Maximum length of a name in the path; longer names are cut. */
    int NAME_LENGTH_MAX = 128;

    /** Returns the path of the object itself. */
    static FieldPath root() {
        return new Root();
    }

    /** Appends the path to a text. */
    void appendTo(StringBuilder out);

    default FieldPath child(String name) {
        return new Child(this, shortened(name));
    }

    /** Returns the path of an item of this list. */
    default FieldPath index(int index) {
        return new Index(this, index);
    }

    /** Returns the path of a value of this map. */
    default FieldPath key(String key) {
        return new Key(this, shortened(key));
    }

    private static String shortened(String name) {
        return name.length() <= NAME_LENGTH_MAX ? name : name.substring(0, NAME_LENGTH_MAX) + "...";
    }

    /** Returns the path as the API server writes it. */
    default String text() {
        StringBuilder out = new StringBuilder();
        appendTo(out);
        return out.toString();
    }

    /** The object itself. */
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
