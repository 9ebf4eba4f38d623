package dev.claimstream.history.store;

import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.util.regex.Pattern;

/**
 * By what usage is grouped.
 *
 * @param text as the user wrote it
 * @param expression SQL of the group of an interval
 * @param isNode whether the groups are nodes, which have idle devices
 */
public record UsageGroup(String text, String expression, boolean isNode) {
    private static final Pattern LABEL = Pattern.compile("label:([A-Za-z0-9]([A-Za-z0-9._/-]{0,310}[A-Za-z0-9])?)");

    /**
     * Parses namespace, class, node or label:KEY.
     *
     * @throws HistoryException for another text
     */
    public static UsageGroup of(String text) {
        var label = LABEL.matcher(text);
        if (label.matches()) {
            return new UsageGroup(
                    text,
                    "coalesce(json_extract_string(labels, %s), '')"
                            .formatted(StoreDatabase.quoted("$.\"" + label.group(1) + "\"")),
                    false);
        }
        return switch (text) {
            case "namespace" -> new UsageGroup(text, "namespace", false);
            case "class" -> new UsageGroup(text, "class", false);
            case "node" -> new UsageGroup(text, "node", true);
            default ->
                throw new HistoryException(
                        HistoryProblem.INVALID_QUESTION,
                        "--by %s: use namespace, class, node or label:KEY".formatted(text));
        };
    }
}
