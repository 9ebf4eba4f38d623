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

/** A value of YAML or JSON. Fields are in alphabetical order, as kubectl prints them, so that one value has one text. */
public sealed interface Tree {
    /** A text. */
    record Text(String value) implements Tree {}

    /** A number, as JSON writes it. */
    record Numeral(String literal) implements Tree {}

    /** A boolean. */
    record Bool(boolean value) implements Tree {}

    /** {@code null}. */
    record Null() implements Tree {}

    /** A list. */
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

    /** A text. */
    static Tree of(String value) {
        return new Text(value);
    }

    /** A whole number. */
    static Tree of(long value) {
        return new Numeral(Long.toString(value));
    }

    /** A boolean. */
    static Tree of(boolean value) {
        return new Bool(value);
    }

    /** A list of texts. */
    static Tree texts(Collection<String> values) {
        return new Sequence(values.stream().map(Tree::of).toList());
    }

    /** Texts by name. */
    static Mapping texts(Map<String, String> values) {
        return mapping(fields -> values.forEach((name, value) -> fields.put(name, of(value))));
    }

    /** A mapping with the fields that are put. */
    static Mapping mapping(Consumer<TreeFields> filling) {
        TreeFields fields = new TreeFields();
        filling.accept(fields);
        return fields.done();
    }

    /** Writes it in block style, two spaces deep, ending with a line break. */
    default void writeYaml(Appendable out) throws IOException {
        new YamlText(out).write(this);
    }

    /** Writes it on one line. */
    default void writeJson(Appendable out) throws IOException {
        new JsonText(out, 0).write(this);
    }

    /** Writes it over several lines, four spaces deep as kubectl does, ending with a line break. */
    default void writeIndentedJson(Appendable out) throws IOException {
        new JsonText(out, 4).write(this);
        out.append('\n');
    }

    /** It in block style. */
    default String yaml() {
        return written(this::writeYaml);
    }

    /** It on one line. */
    default String json() {
        return written(this::writeJson);
    }

    /** It over several lines. */
    default String indentedJson() {
        return written(this::writeIndentedJson);
    }

    /** Something that writes. */
    interface Writing {
        /** Writes to {@code out}. */
        void to(Appendable out) throws IOException;
    }

    private static String written(Writing writing) {
        StringBuilder out = new StringBuilder();
        try {
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException("a string builder does not fail", e);
        }
        return out.toString();
    }
}
