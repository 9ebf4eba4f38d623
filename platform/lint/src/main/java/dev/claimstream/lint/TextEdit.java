package dev.claimstream.lint;

import dev.claimstream.manifests.source.TextSpan;

/** A replacement of a part of a manifest's text. */
record TextEdit(TextSpan span, String text) {
    static TextEdit of(int start, int end, String text) {
        return new TextEdit(new TextSpan(start, end), text);
    }

    /** Creates an insertion. */
    static TextEdit insert(int at, String text) {
        return of(at, at, text);
    }

    /** Returns whether both replace a common character; an insertion at an end of the other edit does not overlap. */
    boolean overlaps(TextEdit other) {
        return span.start() < other.span.end() && other.span.start() < span.end();
    }
}
