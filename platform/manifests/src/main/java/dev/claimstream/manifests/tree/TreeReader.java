package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;

/** Reads JSON values that a program has written. */
public final class TreeReader {
    private TreeReader() {}

    /**
     * Reads one JSON value.
     *
     * @throws IllegalArgumentException if the text is not exactly one JSON value
     */
    public static Tree json(String text) {
        JsonMarkupParser markup = new JsonMarkupParser(new StringReader(text), 1);
        try {
            if (markup.next() != MarkupParser.MarkupEvent.DOCUMENT) {
                throw new IllegalArgumentException("there is no JSON value in: " + text);
            }
            Tree tree =
                    tree(new DocumentNodeReader(markup, ObjectLimits.DEFAULT, new TextPool()).value(markup.next(), 0));
            if (markup.next() != MarkupParser.MarkupEvent.END_OF_TEXT) {
                throw new IllegalArgumentException("there is more than one JSON value in: " + text);
            }
            return tree;
        } catch (SyntaxException e) {
            throw new IllegalArgumentException(e.problem() + ": " + text, e);
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory does not fail", e);
        }
    }

    /** Converts a node, without its location. */
    public static Tree tree(DocumentNode node) {
        return switch (node) {
            case DocumentNode.DocumentScalar scalar ->
                switch (scalar.type()) {
                    case TEXT -> Tree.of(scalar.text());
                    case BOOL -> Tree.of(ScalarType.isTrue(scalar.text()));
                    case INTEGER, FLOAT -> new Tree.Numeral(scalar.text());
                    case NULL -> new Tree.Null();
                };
            case DocumentNode.DocumentSequence sequence ->
                new Tree.Sequence(
                        sequence.items().stream().map(TreeReader::tree).toList());
            case DocumentNode.DocumentMapping mapping ->
                Tree.mapping(fields ->
                        mapping.entries().forEach(entry -> fields.put(entry.name(), tree(entry.value()))));
        };
    }
}
