package dev.claimstream.manifests.tree;

import java.util.HashMap;
import java.util.Map;

/** One copy of each short text: names of fields, attributes and drivers repeat in their thousands. */
public final class TextPool {
    private static final int TEXTS_MAX = 20_000;
    private static final int LENGTH_MAX = 64;

    private final Map<String, String> texts = new HashMap<>();

    /** The copy of this text that was seen first, as long as there is room. */
    String shared(String text) {
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
