package dev.claimstream.selectors.functions;

import com.google.common.base.Splitter;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.claimstream.selectors.values.GoStrings;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A cache of compiled regular expressions by text, limited in number and size. Thread-safe. */
public final class RegexCache {
    private static final int CACHE_MAX = 1024;
    private static final int PROGRAM_MAX = 10_000;
    private static final int REPEATS_MAX = 1000;
    private static final Map<String, Pattern> CACHE = new ConcurrentHashMap<>();

    private RegexCache() {}

    /**
     * Returns the compiled pattern.
     *
     * @throws IllegalArgumentException if the text is not an RE2 pattern or its program is too large
     */
    public static Pattern of(String text) {
        Pattern kept = CACHE.get(text);
        if (kept != null) {
            return kept;
        }
        Pattern pattern = compile(text);
        if (CACHE.size() >= CACHE_MAX) {
            CACHE.clear();
        }
        CACHE.put(text, pattern);
        return pattern;
    }

    private static Pattern compile(String text) {
        checkRepeats(text);
        Pattern pattern;
        try {
            pattern = Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw new CallException(String.valueOf(e.getMessage()), e);
        }
        if (pattern.programSize() > PROGRAM_MAX) {
            throw new CallException("error parsing regexp: program of %d instructions exceeds the limit of %d: `%s`"
                    .formatted(pattern.programSize(), PROGRAM_MAX, text));
        }
        return pattern;
    }

    /** Limits the product of nested repeats before compilation, as Go does, because the compiler expands them. */
    private static void checkRepeats(String text) {
        Deque<Long> groups = new ArrayDeque<>();
        long inside = 1;
        long last = 1;
        for (int at = 0; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '(') {
                groups.push(inside);
                inside = 1;
            } else if (c == ')') {
                last = inside;
                inside = Math.max(groups.isEmpty() ? 1 : groups.pop(), last);
            } else if (c == '{') {
                last *= repeats(text, at);
                inside = Math.max(inside, last);
                at = Math.max(at, repeatEnd(text, at));
            } else if ("?*+".indexOf(c) < 0) {
                last = 1;
                at += c == '\\' ? 1 : 0;
            }
            if (inside > REPEATS_MAX) {
                throw new CallException("error parsing regexp: invalid repeat count: " + GoStrings.quote(text));
            }
        }
    }

    /** Returns the end of {@code {n}}, {@code {n,}} or {@code {n,m}}, or -1 if there is none. */
    private static int repeatEnd(String text, int open) {
        int at = open + 1;
        while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == ',')) {
            at++;
        }
        return at > open + 1 && at < text.length() && text.charAt(at) == '}' ? at : -1;
    }

    /** Returns the larger number of a repeat; 1 if there is none. */
    private static long repeats(String text, int open) {
        int end = repeatEnd(text, open);
        long most = 1;
        for (String number : end < 0 ? List.<String>of() : Splitter.on(',').split(text.substring(open + 1, end))) {
            most = Math.max(
                    most, number.isEmpty() ? 1 : number.length() > 4 ? REPEATS_MAX + 1 : Long.parseLong(number));
        }
        return most;
    }
}
