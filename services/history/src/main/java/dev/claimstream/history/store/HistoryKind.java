package dev.claimstream.history.store;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * What a history is about.
 *
 * <p>A condition first compares one column with a constant: of most rows nothing else is read.
 */
public enum HistoryKind {
    CLAIM("claim = split_part($1, '/', -1) AND (claim = $1 OR namespace || '/' || claim = $1)", true),
    POD(
            "contains(pods, split_part($1, '/', -1)) AND (list_contains(string_split(pods, ','), $1) OR list_contains(string_split(pods, ','), split_part($1, '/', 2)) AND namespace = split_part($1, '/', 1))",
            true),
    DEVICE(
            "device = split_part($1, '/', -1) AND ends_with('/' || driver || '/' || pool || '/' || device, '/' || $1)",
            false),
    NODE("node = $1", false),
    NAMESPACE("namespace = $1", true),
    CLASS("class = $1", true);

    private final String condition;
    private final boolean isOfPending;

    HistoryKind(String condition, boolean isOfPending) {
        this.condition = condition;
        this.isOfPending = isOfPending;
    }

    /** The SQL condition on an interval, whose first parameter is the name. */
    String condition() {
        return condition;
    }

    /** Whether claims that are pending belong to the history. */
    boolean isOfPending() {
        return isOfPending;
    }

    /** Whether the name is that of an object in a namespace. */
    boolean isOfClaim() {
        return this == CLAIM || this == POD;
    }

    /** The word of the command line. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind of a word. */
    public static Optional<HistoryKind> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text().equals(text)).findFirst();
    }
}
