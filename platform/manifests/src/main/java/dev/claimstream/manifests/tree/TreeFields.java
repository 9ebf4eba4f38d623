package dev.claimstream.manifests.tree;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Builds the fields of a mapping. Fields that Kubernetes omits when they are empty are omitted. */
public final class TreeFields {
    private final SortedMap<String, Tree> fields = new TreeMap<>();

    /** Sets a field. */
    public TreeFields put(String name, Tree value) {
        fields.put(name, value);
        return this;
    }

    /** Sets a string, even an empty one. */
    public TreeFields put(String name, String value) {
        return put(name, Tree.of(value));
    }

    /** Sets a whole number. */
    public TreeFields put(String name, long value) {
        return put(name, Tree.of(value));
    }

    /** Sets a string unless it is empty. */
    public TreeFields putUnlessEmpty(String name, String value) {
        return value.isEmpty() ? this : put(name, value);
    }

    /** Sets a boolean if it is true. */
    public TreeFields putIfTrue(String name, boolean value) {
        return value ? put(name, Tree.of(true)) : this;
    }

    /** Sets a value if it is present. */
    public <T> TreeFields putIfPresent(String name, Optional<T> value, Function<T, Tree> tree) {
        value.ifPresent(there -> put(name, tree.apply(there)));
        return this;
    }

    /** Sets a list unless it is empty. */
    public <T> TreeFields putList(String name, List<T> values, Function<T, Tree> tree) {
        return values.isEmpty()
                ? this
                : put(name, new Tree.Sequence(values.stream().map(tree).toList()));
    }

    /** Sets a mapping unless it is empty. */
    public <T> TreeFields putMap(String name, Map<String, T> values, Function<T, Tree> tree) {
        return values.isEmpty()
                ? this
                : put(name, Tree.mapping(inner -> values.forEach((key, value) -> inner.put(key, tree.apply(value)))));
    }

    Tree.Mapping build() {
        return new Tree.Mapping(fields);
    }
}
