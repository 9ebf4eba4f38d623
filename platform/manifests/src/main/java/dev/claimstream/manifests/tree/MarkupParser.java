package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.util.Optional;

/** A pull parser: returns the events of a text one by one and holds only the current event. */
interface MarkupParser {
    /** The events of a text. */
    enum MarkupEvent {
        DOCUMENT,
        MAPPING,
        SEQUENCE,
        /** The end of the innermost mapping or sequence. */
        END,
        SCALAR,
        ALIAS,
        END_OF_TEXT
    }

    /**
     * Moves to the next event; the other methods describe this event.
     *
     * @throws SyntaxException if the text is malformed; the parser cannot continue
     */
    MarkupEvent next() throws IOException, SyntaxException;

    /** Returns the text of a scalar or the name of an alias. */
    String text();

    /** Returns the type of a scalar, by the rules of {@link ScalarType}. */
    ScalarType type();

    /** Returns whether a scalar is written without quotes. */
    boolean isPlain();

    /** Returns the anchor of the value. */
    Optional<String> anchor();

    /** Returns a tag that is not a standard tag of YAML, for example {@code !include}. */
    Optional<String> unsupportedTag();

    /** Returns the line, from 1. */
    int line();

    /** Returns the column, from 1. */
    int column();
}
