package dev.claimstream.manifests.source;

import dev.claimstream.manifests.tree.ScalarType;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A value with its span in the text. An alias is the value of its anchor, with the span of the anchor's value. */
public sealed interface SourceNode {
    /** Returns the span without anchor and tag. A block ends after its last value. */
    TextSpan span();

    /** Returns the number of values including this one, with every alias expanded. */
    int size();

    /** The notation of a scalar. */
    enum Style {
        PLAIN,
        SINGLE_QUOTED,
        DOUBLE_QUOTED,
        /** A literal ({@code |}) or folded ({@code >}) block. */
        BLOCK
    }

    record SourceScalar(String text, ScalarType type, Style style, TextSpan span) implements SourceNode {
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
    record SourceSequence(List<SourceNode> items, boolean isFlow, TextSpan span, int size) implements SourceNode {
        public SourceSequence {
            items = List.copyOf(items);
        }
    }

    /**
     * Fields in the order of the text; duplicate names are kept.
     *
     * @param isFlow whether it is written in braces
     */
    record SourceMapping(List<SourceField> entries, boolean isFlow, TextSpan span, int size) implements SourceNode {
        public SourceMapping {
            entries = List.copyOf(entries);
        }

        /** Returns the first field with a name. */
        public Optional<SourceField> entry(String name) {
            return entries.stream().filter(each -> each.name().equals(name)).findFirst();
        }
    }

    record SourceField(SourceScalar key, SourceNode value) {
        public String name() {
            return key.text();
        }

        /** Returns the span from the name to the end of the value. The value of an alias that is written before the name does not count. */
        public TextSpan span() {
            int start = key.span().start();
            return new TextSpan(
                    start,
                    Math.max(
                            key.span().end(),
                            value.span().start() >= start ? value.span().end() : 0));
        }
    }

    /** Returns the value of a field; empty if this is not a mapping, or the field is missing or null. */
    default Optional<SourceNode> get(String name) {
        return this instanceof SourceMapping mapping
                ? mapping.entry(name).map(SourceField::value).filter(Predicate.not(SourceNode::isNull))
                : Optional.empty();
    }

    /** Returns the value at a path of field names. */
    default Optional<SourceNode> at(String... names) {
        Optional<SourceNode> node = Optional.of(this);
        for (String name : names) {
            node = node.flatMap(each -> each.get(name));
        }
        return node;
    }

    /** Returns the text of a scalar field. */
    default Optional<String> text(String name) {
        return get(name)
                .filter(SourceScalar.class::isInstance)
                .map(SourceScalar.class::cast)
                .map(SourceScalar::text);
    }

    /** Returns the items; none if this is not a list. */
    default List<SourceNode> items() {
        return this instanceof SourceSequence sequence ? sequence.items() : List.of();
    }

    /** Returns the items of a list in a field. */
    default List<SourceNode> items(String name) {
        return get(name).map(SourceNode::items).orElse(List.of());
    }

    /** Returns the fields; none if this is not a mapping. */
    default List<SourceField> fields() {
        return this instanceof SourceMapping mapping ? mapping.entries() : List.of();
    }

    /** Returns whether there is a field with a name, even if it is null. */
    default boolean has(String name) {
        return this instanceof SourceMapping mapping && mapping.entry(name).isPresent();
    }

    default boolean isNull() {
        return this instanceof SourceScalar scalar && scalar.type() == ScalarType.NULL;
    }
}
