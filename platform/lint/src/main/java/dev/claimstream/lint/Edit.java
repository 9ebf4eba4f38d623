package dev.claimstream.lint;

import dev.claimstream.manifests.source.Span;

/** Another text for a part of a manifest. */
record Edit(Span span, String text) {
    static Edit of(int start, int end, String text) {
        return new Edit(new Span(start, end), text);
    }

    /** A text that is put in, with nothing taken away. */
    static Edit insert(int at, String text) {
        return of(at, at, text);
    }

    /** Whether both change the same characters; what is put in at an end of the other does not count. */
    boolean overlaps(Edit other) {
        return span.start() < other.span.end() && other.span.start() < span.end();
    }
}
