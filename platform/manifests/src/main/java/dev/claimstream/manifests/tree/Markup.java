package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.util.Optional;

/** A text as a row of events, pulled one by one, so that no more of it is held than one event. */
interface Markup {
    /** What comes next. */
    enum Event {
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
     * Goes on to the next event; the other methods speak of this one.
     *
     * @throws SyntaxException where the text is not well-formed; nothing can be read after it
     */
    Event next() throws IOException, SyntaxException;

    /** The text of a scalar, or the name of an alias. */
    String text();

    /** What a scalar stands for. */
    ScalarType type();

    /** Whether a scalar was written without quotes. */
    boolean plain();

    /** The name under which aliases repeat this value. */
    Optional<String> anchor();

    /** A tag that is not one of YAML's own, for example {@code !include}. */
    Optional<String> foreignTag();

    /** The line, from 1. */
    int line();

    /** The column, from 1. */
    int column();
}
