package dev.claimstream.manifests.tree;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** A value of a document, with the line and column at which it begins. */
public sealed interface DocumentNode {
    /** Returns the line, from 1. */
    int line();

    /** Returns the column, from 1. */
    int column();

    /** Returns the number of values including this one, with every alias expanded. */
    int size();

    record DocumentScalar(String text, ScalarType type, int line, int column) implements DocumentNode {
        @Override
        public int size() {
            return 1;
        }
    }

    record DocumentSequence(List<DocumentNode> items, int line, int column, int size) implements DocumentNode {}

    /**
     * Fields by name.
     *
     * @param repeated entries whose name occurred before; the first entry counts
     */
    record DocumentMapping(
            SequencedMap<String, DocumentField> fields, List<DocumentField> repeated, int line, int column, int size)
            implements DocumentNode {
        /** Returns the entries without repeated ones. */
        public Collection<DocumentField> entries() {
            return fields.values();
        }

        /** Returns the text of a scalar field. */
        public Optional<String> text(String name) {
            return Optional.ofNullable(fields.get(name))
                    .map(DocumentField::value)
                    .filter(DocumentScalar.class::isInstance)
                    .map(DocumentScalar.class::cast)
                    .map(DocumentScalar::text);
        }
    }

    /** One field, with the location of its name. */
    record DocumentField(String name, int line, int column, DocumentNode value) {}
}
