package dev.claimstream.manifests.source;

/** Maps code point positions of a text to char indices. */
final class CodePoints {
    private static final int[] SAME = {};

    private final int[] indices;

    CodePoints(String text) {
        indices = text.codePointCount(0, text.length()) == text.length() ? SAME : indices(text);
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

    int of(int codePoint) {
        return indices == SAME ? codePoint : indices[Math.min(codePoint, indices.length - 1)];
    }
}
