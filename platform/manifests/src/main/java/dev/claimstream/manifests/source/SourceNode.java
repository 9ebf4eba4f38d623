package dev.claimstream.manifests.source;

import dev.claimstream.manifests.tree.ScalarType;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A value with its place in the text. An alias is the value of its anchor, at the place of that. */
public sealed interface SourceNode {
    /** Where it is written, without anchor and tag. A block ends behind its last value. */
    Span span();

    /** How many values it has, itself among them, with every alias written out. */
    int size();

    /** How a value is written. */
    enum Style {
        /** Without quotes. */
        PLAIN,
        /** In single quotes. */
        SINGLE_QUOTED,
        /** In double quotes. */
        DOUBLE_QUOTED,
        /** Behind {@code |} or {@code >}. */
        BLOCK
    }

    /** A single value. */
    record Scalar(String text, ScalarType type, Style style, Span span) implements SourceNode {
        @Override
        public int size() {
            return 1;
        }
    }

    /**
     * A list.
     *
     * @param isFlow whether it is written in brackets
     */
    record Sequence(List<SourceNode> items, boolean isFlow, Span span, int size) implements SourceNode {
        public Sequence {
            items = List.copyOf(items);
        }
    }

    /**
     * Fields in the order of the text; a name may be there twice.
     *
     * @param isFlow whether it is written in braces
     */
    record Mapping(List<Entry> entries, boolean isFlow, Span span, int size) implements SourceNode {
        public Mapping {
            entries = List.copyOf(entries);
        }

        /** The first field of this name. */
        public Optional<Entry> entry(String name) {
            return entries.stream().filter(each -> each.name().equals(name)).findFirst();
        }
    }

    /** One field. */
    record Entry(Scalar key, SourceNode value) {
        /** The name of the field. */
        public String name() {
            return key.text();
        }

        /** From the name to the end of the value. */
        public Span span() {
            int start = key.span().start();
            return new Span(
                    start,
                    Math.max(
                            key.span().end(),
                            value.span().start() >= start ? value.span().end() : 0));
        }
    }

    /** The value of a field, where this has fields and one of that name. */
    default Optional<SourceNode> get(String name) {
        return this instanceof Mapping mapping
                ? mapping.entry(name).map(Entry::value).filter(Predicate.not(SourceNode::isNull))
                : Optional.empty();
    }

    /** The value at the end of these names. */
    default Optional<SourceNode> at(String... names) {
        Optional<SourceNode> node = Optional.of(this);
        for (String name : names) {
            node = node.flatMap(each -> each.get(name));
        }
        return node;
    }

    /** The text of a field. */
    default Optional<String> text(String name) {
        return get(name)
                .filter(Scalar.class::isInstance)
                .map(Scalar.class::cast)
                .map(Scalar::text);
    }

    /** The members, where this is a list. */
    default List<SourceNode> items() {
        return this instanceof Sequence sequence ? sequence.items() : List.of();
    }

    /** The members of a list in a field. */
    default List<SourceNode> items(String name) {
        return get(name).map(SourceNode::items).orElse(List.of());
    }

    /** The fields, where this has any. */
    default List<Entry> fields() {
        return this instanceof Mapping mapping ? mapping.entries() : List.of();
    }

    /** Whether there is a field of this name, also an empty one. */
    default boolean has(String name) {
        return this instanceof Mapping mapping && mapping.entry(name).isPresent();
    }

    /** Whether it is nothing. */
    default boolean isNull() {
        return this instanceof Scalar scalar && scalar.type() == ScalarType.NULL;
    }
}
