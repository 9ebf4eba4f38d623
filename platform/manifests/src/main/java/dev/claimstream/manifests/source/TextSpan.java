package dev.claimstream.manifests.source;

/**
 * A range of a text.
 *
 * @param start index of the first char
 * @param end index after the last char
 */
public record TextSpan(int start, int end) {
    public TextSpan {
        if (start < 0 || end < start) {
            throw new IllegalArgumentException("no part of a text: %d to %d".formatted(start, end));
        }
    }

    /** Returns whether an index is in the range or directly after it. */
    public boolean touches(int index) {
        return start <= index && index <= end;
    }
}
