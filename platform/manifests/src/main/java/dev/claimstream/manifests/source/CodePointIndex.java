package dev.claimstream.manifests.source;

/** Maps code point positions of a text to char indices. */
final class CodePointIndex {
    private static final int[] IDENTITY = {};

    private final int[] indices;

    CodePointIndex(String text) {
        indices = text.codePointCount(0, text.length()) == text.length() ? IDENTITY : indices(text);
    }

    private static int[] indices(String text) {
        int[] indices = new int[text.codePointCount(0, text.length()) + 1];
        int count = 0;
        for (int i = 0; i < text.length(); i = text.offsetByCodePoints(i, 1)) {
            indices[count++] = i;
        }
        indices[count] = text.length();
        return indices;
    }

    int charIndex(int codePoint) {
        return indices == IDENTITY ? codePoint : indices[Math.min(codePoint, indices.length - 1)];
    }
}
