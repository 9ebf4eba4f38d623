package dev.claimstream.manifests.tree;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** The fields of a mapping that is being filled. What Kubernetes would leave out because it is empty is left out. */
public final class TreeFields {
    private final SortedMap<String, Tree> fields = new TreeMap<>();

    /** Sets a field. */
    public TreeFields put(String name, Tree value) {
        fields.put(name, value);
        return this;
    }

    /** Sets a text, also an empty one. */
    public TreeFields put(String name, String value) {
        return put(name, Tree.of(value));
    }

    /** Sets a whole number. */
    public TreeFields put(String name, long value) {
        return put(name, Tree.of(value));
    }

    /** Sets a text that is not empty. */
    public TreeFields putUnlessEmpty(String name, String value) {
        return value.isEmpty() ? this : put(name, value);
    }

    /** Sets a boolean that is true. */
    public TreeFields putIfTrue(String name, boolean value) {
        return value ? put(name, Tree.of(true)) : this;
    }

    /** Sets what is there. */
    public <T> TreeFields putIfPresent(String name, Optional<T> value, Function<T, Tree> tree) {
        value.ifPresent(there -> put(name, tree.apply(there)));
        return this;
    }

    /** Sets a list that has members. */
    public <T> TreeFields putList(String name, List<T> values, Function<T, Tree> tree) {
        return values.isEmpty()
                ? this
                : put(name, new Tree.Sequence(values.stream().map(tree).toList()));
    }

    /** Sets a mapping that has fields. */
    public <T> TreeFields putMap(String name, Map<String, T> values, Function<T, Tree> tree) {
        return values.isEmpty()
                ? this
                : put(name, Tree.mapping(inner -> values.forEach((key, value) -> inner.put(key, tree.apply(value)))));
    }

    Tree.Mapping done() {
        return new Tree.Mapping(fields);
    }
}
