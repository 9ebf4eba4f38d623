package dev.claimstream.lint;

import dev.claimstream.manifests.source.Span;

/** A replacement of a part of a manifest's text. */
record Edit(Span span, String text) {
    static Edit of(int start, int end, String text) {
        return new Edit(new Span(start, end), text);
    }

    /** Creates an insertion. */
    static Edit insert(int at, String text) {
        return of(at, at, text);
    }

    /** Returns whether both replace a common character; an insertion at an end of the other edit does not overlap. */
    boolean overlaps(Edit other) {
        return span.start() < other.span.end() && other.span.start() < span.end();
    }
}
