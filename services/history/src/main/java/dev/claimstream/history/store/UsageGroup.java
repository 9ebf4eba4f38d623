package dev.claimstream.history.store;

import dev.claimstream.history.store.HistoryException.HistoryProblem;
import java.util.regex.Pattern;

/**
 * By what usage is grouped.
 *
 * @param text as the user wrote it
 * @param expression SQL of the group of an interval
 * @param idle SQL of the group of a published device, which idle devices count to
 */
public record UsageGroup(String text, String expression, String idle) {
    private static final String ALL_IDLE = "'(idle devices)'";

    private static final Pattern LABEL = Pattern.compile("label:([A-Za-z0-9]([A-Za-z0-9._/-]{0,310}[A-Za-z0-9])?)");

    /**
     * Parses namespace, class, node, product or label:KEY.
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
                    ALL_IDLE);
        }
        return switch (text) {
            case "namespace" -> new UsageGroup(text, "namespace", ALL_IDLE);
            case "class" -> new UsageGroup(text, "class", ALL_IDLE);
            case "node" -> new UsageGroup(text, "node", "p.node");
            case "product" -> new UsageGroup(text, """
                        coalesce((SELECT nullif(arg_max(d.product, d.published), '') FROM devices d
                          WHERE d.driver = i.driver AND d.pool = i.pool AND d.device = i.device), i.driver)""", "p.product");
            default ->
                throw new HistoryException(
                        HistoryProblem.INVALID_QUESTION,
                        "--by %s: use namespace, class, node, product or label:KEY".formatted(text));
        };
    }
}
