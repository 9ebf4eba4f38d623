package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceDocument;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceSequence;
import dev.claimstream.manifests.source.SourceText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A part of a text that is read and corrected on its own: a document, or an object of a list.
 *
 * <p>A long text is corrected part by part, so that the time grows only with its length, not also with the number of corrections. An
 * object of a list is read between a head and a tail, which make it a list of one object with the same indentation.
 *
 * @param start index of the part in the text
 * @param end index behind the part in the text
 */
record ObjectExcerpt(int start, int end, String head, String part, String tail) {
    /** Maximum length of an indentation; a longer line has its objects side by side. */
    private static final int INDENT_MAX = 200;

    private static final String LINE_BREAK = "\n";
    private static final String WINDOWS_BREAK = "\r\n";

    /** Returns the parts of a text in their order. Documents with aliases, which are not changed, are left out. */
    static List<ObjectExcerpt> of(SourceText source) {
        List<ObjectExcerpt> all = new ArrayList<>();
        for (SourceDocument document : source.documents()) {
            if (!document.hasAliases()) {
                List<ObjectExcerpt> items = items(source, document.root());
                if (items.isEmpty()) {
                    all.add(lines(source, document.root(), ""));
                } else {
                    all.addAll(items);
                }
            }
        }
        return all;
    }

    /** Returns the objects of a list; none if there are less than two, or they cannot be cut out. */
    private static List<ObjectExcerpt> items(SourceText source, SourceNode root) {
        String kind = root.text("kind").orElse("");
        Optional<SourceSequence> list =
                root.get("items").filter(SourceSequence.class::isInstance).map(SourceSequence.class::cast);
        if (!kind.endsWith("List") || list.isEmpty() || list.get().items().size() < 2) {
            return List.of();
        }
        String version = root.text("apiVersion").orElse("v1");
        List<ObjectExcerpt> all = new ArrayList<>();
        for (SourceNode item : list.get().items()) {
            int start = item.span().start();
            String before = source.indent(start) > INDENT_MAX
                    ? "[" // not a new line
                    : source.text().substring(source.lineStart(start), start);
            boolean isOnLine = !list.get().isFlow();
            if (isOnLine && !before.matches(" *- +")) {
                return List.of();
            }
            all.add(
                    isOnLine
                            ? lines(source, item, "apiVersion: \"%s\"\nkind: \"%s\"\nitems:\n".formatted(version, kind))
                            : new ObjectExcerpt(
                                    start,
                                    item.span().end(),
                                    "{\"apiVersion\": \"%s\", \"kind\": \"%s\", \"items\": [".formatted(version, kind)
                                            + (before.isBlank() ? LINE_BREAK + before : ""),
                                    source.text(item.span()),
                                    "]}" + lineBreak(source)));
        }
        return all;
    }

    /** Returns the lines of a value, with their last line break. */
    private static ObjectExcerpt lines(SourceText source, SourceNode node, String head) {
        int start = source.lineStart(node.span().start());
        int lineEnd = source.text().indexOf('\n', node.span().end());
        int end = lineEnd < 0 ? source.text().length() : lineEnd + 1;
        return new ObjectExcerpt(
                start, end, head, source.text().substring(start, end), lineEnd < 0 ? lineBreak(source) : "");
    }

    private static String lineBreak(SourceText source) {
        return source.text().contains(WINDOWS_BREAK) ? WINDOWS_BREAK : LINE_BREAK;
    }

    /** Returns the text that is read. */
    String text() {
        return head + part + tail;
    }

    /** Returns the part in a corrected text; empty if the correction reaches beyond it. */
    Optional<String> partOf(String corrected) {
        boolean isWhole = corrected.length() >= head.length() + tail.length()
                && corrected.startsWith(head)
                && corrected.endsWith(tail);
        return isWhole
                ? Optional.of(corrected.substring(head.length(), corrected.length() - tail.length()))
                : Optional.empty();
    }
}
