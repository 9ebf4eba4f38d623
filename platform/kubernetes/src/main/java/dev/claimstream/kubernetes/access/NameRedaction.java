package dev.claimstream.kubernetes.access;

import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces the names of objects of hidden namespaces in messages.
 *
 * <p>Every message of Claimstream names an object of another namespace as {@code NAMESPACE/NAME}. Fields with a namespace of their own are
 * left out by the code that renders them.
 *
 * @param hidden the namespaces
 */
public record NameRedaction(Set<String> hidden) {
    /** Replaces nothing. */
    public static final NameRedaction NONE = new NameRedaction(Set.of());

    private static final Pattern NAME = Pattern.compile(
            "(?<![A-Za-z0-9._/-])([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)/[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?");

    /** Letters after a backslash in JSON. */
    private static final String ESCAPES = "bfnrt";

    public NameRedaction {
        hidden = Set.copyOf(hidden);
    }

    /** Returns the text with {@link VisibleObjects#ELSEWHERE} instead of each hidden name. The text may be JSON. */
    public String of(String text) {
        if (hidden.isEmpty()) {
            return text;
        }
        return NAME.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        hidden.contains(found.group(1))
                                ? VisibleObjects.ELSEWHERE
                                : isHiddenAfterEscape(text, found)
                                        ? found.group().charAt(0) + VisibleObjects.ELSEWHERE
                                        : found.group()));
    }

    /** Returns whether the first letter belongs to an escape of JSON, such as a line break, and a hidden name follows it. */
    private boolean isHiddenAfterEscape(String text, MatchResult found) {
        return found.start() > 0
                && text.charAt(found.start() - 1) == '\\'
                && ESCAPES.indexOf(found.group().charAt(0)) >= 0
                && hidden.contains(found.group(1).substring(1));
    }
}
