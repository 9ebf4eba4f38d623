package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A YAML or JSON value. Fields are in alphabetical order, as kubectl prints them, so that equal values have equal texts. */
public sealed interface Tree {
    record Text(String value) implements Tree {}

    /** A number in JSON notation. */
    record Numeral(String literal) implements Tree {}

    record Bool(boolean value) implements Tree {}

    record Null() implements Tree {}

    record Sequence(List<Tree> items) implements Tree {
        public Sequence {
            items = List.copyOf(items);
        }
    }

    /** Fields by name. */
    record Mapping(SortedMap<String, Tree> fields) implements Tree {
        public Mapping {
            fields = Collections.unmodifiableSortedMap(new TreeMap<>(fields));
        }
    }

    /** Creates a string. */
    static Tree of(String value) {
        return new Text(value);
    }

    /** Creates a whole number. */
    static Tree of(long value) {
        return new Numeral(Long.toString(value));
    }

    /** Creates a boolean. */
    static Tree of(boolean value) {
        return new Bool(value);
    }

    /** Creates a list of strings. */
    static Tree texts(Collection<String> values) {
        return new Sequence(values.stream().map(Tree::of).toList());
    }

    /** Creates a mapping of strings. */
    static Mapping texts(Map<String, String> values) {
        return mapping(fields -> values.forEach((name, value) -> fields.put(name, of(value))));
    }

    /**
     * Creates a mapping.
     *
     * @param filling sets the fields
     */
    static Mapping mapping(Consumer<TreeFields> filling) {
        TreeFields fields = new TreeFields();
        filling.accept(fields);
        return fields.build();
    }

    /** Writes YAML in block style, indented by two spaces, with a final line break. */
    default void writeYaml(Appendable out) throws IOException {
        new YamlTreeWriter(out).write(this);
    }

    /** Writes JSON on one line. */
    default void writeJson(Appendable out) throws IOException {
        new JsonTreeWriter(out, 0).write(this);
    }

    /** Writes JSON on several lines, indented by four spaces as kubectl does, with a final line break. */
    default void writeIndentedJson(Appendable out) throws IOException {
        new JsonTreeWriter(out, 4).write(this);
        out.append('\n');
    }

    /** Returns the value as YAML in block style. */
    default String yaml() {
        return writeToString(this::writeYaml);
    }

    /** Returns the value as JSON on one line. */
    default String json() {
        return writeToString(this::writeJson);
    }

    /** Returns the value as JSON on several lines. */
    default String indentedJson() {
        return writeToString(this::writeIndentedJson);
    }

    /** Writes a text. */
    interface TextOutput {
        /** Writes to {@code out}. */
        void to(Appendable out) throws IOException;
    }

    private static String writeToString(TextOutput writing) {
        StringBuilder out = new StringBuilder();
        try {
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a string builder does not fail", e);
        }
        return out.toString();
    }
}
