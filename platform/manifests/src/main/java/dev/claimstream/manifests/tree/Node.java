package dev.claimstream.manifests.tree;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** A value as it was read, with the line and the column (from 1) where it begins. */
public sealed interface Node {
    /** The line, from 1. */
    int line();

    /** The column, from 1. */
    int column();

    /** How many nodes it has, itself among them, with every alias written out. */
    int size();

    /** A single value. */
    record Scalar(String text, ScalarType type, int line, int column) implements Node {
        @Override
        public int size() {
            return 1;
        }
    }

    /** A list. */
    record Sequence(List<Node> items, int line, int column, int size) implements Node {}

    /**
     * Fields by name.
     *
     * @param repeated entries whose name was there before; the first counts
     */
    record Mapping(SequencedMap<String, Entry> fields, List<Entry> repeated, int line, int column, int size)
            implements Node {
        /** All entries that count. */
        public Collection<Entry> entries() {
            return fields.values();
        }

        /** The text of a scalar field. */
        public Optional<String> text(String name) {
            return Optional.ofNullable(fields.get(name))
                    .map(Entry::value)
                    .filter(Scalar.class::isInstance)
                    .map(Scalar.class::cast)
                    .map(Scalar::text);
        }
    }

    /** One field, with the place of its name. */
    record Entry(String name, int line, int column, Node value) {}
}
