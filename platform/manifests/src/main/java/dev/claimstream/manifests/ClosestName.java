package dev.claimstream.manifests;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that a mistyped name most likely means. */
public final class ClosestName {
    private static final int LENGTH_MAX = 128;
    private static final int PART_LENGTH_MIN = 5;

    private ClosestName() {}

    /** Returns the known name that is closest to a name; empty if no name is near. */
    public static Optional<String> of(String name, Collection<String> known) {
        String plain = plain(name);
        if (plain.isEmpty() || plain.length() > LENGTH_MAX) {
            return Optional.empty();
        }
        return known.stream()
                .filter(other -> distance(plain, plain(other)) <= Math.min(2, plain.length() / 3))
                .min(Comparator.comparingInt((String other) -> distance(plain, plain(other)))
                        .thenComparing(Comparator.naturalOrder()));
    }

    /** Returns the closest field; also a field that contains the written name, as deviceClass, or is part of it. */
    public static Optional<String> ofField(String name, Collection<String> known) {
        String plain = plain(name);
        return of(name, known)
                .or(() -> known.stream()
                        .filter(other -> Math.min(plain.length(), other.length()) >= PART_LENGTH_MIN
                                && (plain(other).contains(plain) || plain.contains(plain(other))))
                        .min(Comparator.comparing(
                                        (String other) -> !plain(other).contains(plain))
                                .thenComparingInt(String::length)
                                .thenComparing(Comparator.naturalOrder())));
    }

    /** Returns a name without capitals, hyphens and underscores: names are compared by their letters. */
    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
    }

    /** Returns the edit distance of two names; two exchanged neighbours are one edit. It is infinite if the lengths differ by more than 2. */
    private static int distance(String a, String b) {
        if (Math.abs(a.length() - b.length()) > 2) {
            return Integer.MAX_VALUE;
        }
        int[] before = new int[b.length() + 1];
        int[] above = new int[b.length() + 1];
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] unused = before;
            before = above;
            above = row;
            row = unused;
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int change = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(above[j], row[j - 1]) + 1);
                if (isExchange(a, i, b, j)) {
                    row[j] = Math.min(row[j], before[j - 2] + 1);
                }
            }
        }
        return row[b.length()];
    }

    private static boolean isExchange(String a, int i, String b, int j) {
        return i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
    }
}
