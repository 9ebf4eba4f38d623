package dev.claimstream.manifests.tree;

import java.util.HashMap;
import java.util.Map;

/** A pool of short strings: the names of fields, attributes and drivers occur thousands of times. Bounded in number and length. */
public final class TextPool {
    private static final int TEXTS_MAX = 20_000;
    private static final int LENGTH_MAX = 64;

    private final Map<String, String> texts = new HashMap<>();

    /** Returns the pooled copy of a string, or the string itself if it cannot be pooled. */
    public String intern(String text) {
        if (text.length() > LENGTH_MAX) {
            return text;
        }
        String known = texts.get(text);
        if (known != null) {
            return known;
        }
        if (texts.size() < TEXTS_MAX) {
            texts.put(text, text);
        }
        return text;
    }
}
