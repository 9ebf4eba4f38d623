package dev.claimstream.process.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Levenshtein's distance between names, for the nearest name of an unknown setting. */
final class EditDistance {
    private EditDistance() {}

    /** Returns the name with the smallest distance; empty if all of them differ by more than a third of the text. */
    static Optional<String> nearest(String text, Collection<String> names) {
        return names.stream()
                .min(Comparator.comparingInt((String name) -> between(text, name))
                        .thenComparing(name -> name))
                .filter(name -> between(text, name) * 3 <= text.length());
    }

    /** The number of inserted, deleted and replaced characters that turn one text into the other. */
    static int between(String a, String b) {
        int[] above = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] row = new int[b.length() + 1];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
            }
            above = row;
        }
        return above[b.length()];
    }
}
