package dev.claimstream.manifests.source;

/**
 * A part of a text.
 *
 * @param start index of the first character
 * @param end index behind the last
 */
public record Span(int start, int end) {
    public Span {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("no part of a text: %d to %d".formatted(start, end));
        }
    }

    /** Whether an index lies in it, or right behind it. */
    public boolean touches(int index) {
        return start <= index && index <= end;
    }
}
