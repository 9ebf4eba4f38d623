package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceField;
import dev.claimstream.manifests.source.SourceNode.SourceMapping;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.manifests.source.SourceNode.SourceSequence;
import dev.claimstream.manifests.source.SourceNode.Style;
import dev.claimstream.manifests.source.SourceText;
import dev.claimstream.manifests.source.TextSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The fields of a mapping as pieces of its text, which can be removed, nested or moved.
 *
 * <p>The piece of a block field includes the comments directly above it and on its line.
 */
final class MappingText {
    private final SourceText source;
    private final SourceMapping mapping;
    private final MappingLayout layout;
    private final TextSpan span;
    private final int indent;
    private final List<FieldText> pieces = new ArrayList<>();

    /** The layout of the fields. */
    private enum MappingLayout {
        BLOCK,
        /** In braces on one line. */
        FLOW,
        /** In braces, with each field on its own line, as kubectl prints JSON. */
        FLOW_LINES
    }

    /**
     * A field.
     *
     * @param lines without the indentation of the mapping
     */
    record FieldText(String name, List<String> lines) {
        FieldText {
            lines = List.copyOf(lines);
        }

        /** Creates a field on one line. */
        static FieldText of(String name, String value) {
            return new FieldText(name, List.of(name + ": " + value));
        }

        /** Returns the comments above the field and on the line of its name. */
        List<String> comments() {
            List<String> comments = new ArrayList<>(
                    lines.stream().takeWhile(FieldText::isComment).toList());
            String first = lines.get(Math.min(comments.size(), lines.size() - 1));
            int behind = first.indexOf(" #");
            boolean isUnquoted =
                    behind > 0 && first.substring(0, behind).chars().noneMatch(c -> "\"'|>".indexOf(c) >= 0);
            if (isUnquoted) {
                comments.add(first.substring(behind + 1));
            }
            return comments;
        }

        private static boolean isComment(String line) {
            return line.strip().startsWith("#");
        }
    }

    private MappingText(SourceText source, SourceMapping mapping, MappingLayout layout, TextSpan span) {
        this.source = source;
        this.mapping = mapping;
        this.layout = layout;
        this.span = span;
        this.indent = source.indent(mapping.entries().getFirst().key().span().start());
    }

    /** Returns the pieces of a mapping; empty if it has no fields or an unsupported layout. */
    static Optional<MappingText> of(SourceText source, SourceMapping mapping) {
        if (mapping.entries().isEmpty()) {
            return Optional.empty();
        }
        MappingLayout layout = layout(source, mapping);
        TextSpan span = layout == MappingLayout.BLOCK
                ? new TextSpan(
                        mapping.span().start(), endOfLine(source, mapping.span().end()))
                : mapping.span();
        if (layout != MappingLayout.BLOCK && (source.text(span).contains("#") || isFolded(source, mapping))) {
            return Optional.empty();
        }
        MappingText pieces = new MappingText(source, mapping, layout, span);
        return pieces.cut() ? Optional.of(pieces) : Optional.empty();
    }

    /** Returns whether a scalar in a node continues on another line: its line breaks have a meaning. */
    private static boolean isFolded(SourceText source, SourceNode node) {
        return switch (node) {
            case SourceScalar scalar ->
                source.line(scalar.span().start()) != source.line(scalar.span().end());
            case SourceSequence list -> list.items().stream().anyMatch(item -> isFolded(source, item));
            case SourceMapping fields ->
                fields.entries().stream()
                        .anyMatch(entry -> isFolded(source, entry.key()) || isFolded(source, entry.value()));
        };
    }

    private static MappingLayout layout(SourceText source, SourceMapping mapping) {
        if (!mapping.isFlow()) {
            return MappingLayout.BLOCK;
        }
        int firstKey = mapping.entries().getFirst().key().span().start();
        boolean isOnOneLine =
                source.line(firstKey) == source.line(mapping.span().start());
        return isOnOneLine ? MappingLayout.FLOW : MappingLayout.FLOW_LINES;
    }

    /** Returns the end of the line of an index, without its line break. */
    static int endOfLine(SourceText source, int index) {
        String text = source.text();
        int end = text.indexOf('\n', index);
        int last = end < 0 ? text.length() : end;
        return last > index && text.charAt(last - 1) == '\r' ? last - 1 : last;
    }

    private boolean cut() {
        List<SourceField> entries = mapping.entries();
        int start = layout == MappingLayout.BLOCK
                ? span.start()
                : entries.getFirst().key().span().start();
        for (int i = 0; i < entries.size(); i++) {
            SourceField entry = entries.get(i);
            int key = entry.key().span().start();
            boolean isOwnLine = i == 0 || isBelow(entries.get(i - 1), key);
            if (layout != MappingLayout.FLOW && !isOwnLine) {
                return false;
            }
            int next = i + 1 < entries.size() ? begin(entry, entries.get(i + 1)) : span.end();
            int end = layout == MappingLayout.BLOCK
                    ? Math.max(entry.span().end(), beforeBreak(next, i))
                    : entry.span().end();
            int from = layout == MappingLayout.BLOCK ? start : key;
            pieces.add(new FieldText(entry.name(), lines(source.text().substring(from, end))));
            start = next;
        }
        return true;
    }

    private boolean isBelow(SourceField before, int key) {
        return source.indent(key) == indent
                && source.line(key) > source.line(before.key().span().start());
    }

    /** Returns the start of a field's piece: its own line, or the first comment line above it. */
    private int begin(SourceField before, SourceField entry) {
        int start = entry.key().span().start();
        if (layout != MappingLayout.BLOCK) {
            return start;
        }
        start = source.lineStart(start);
        int floor = endOfLine(source, before.span().end());
        while (start - 1 > floor && isComment(source.lineStart(start - 1), start)) {
            start = source.lineStart(start - 1);
        }
        return start;
    }

    private boolean isComment(int start, int end) {
        return source.text().substring(start, end).strip().startsWith("#");
    }

    private int beforeBreak(int next, int index) {
        return index + 1 < mapping.entries().size() ? endOfLine(source, next - 1) : next;
    }

    private List<String> lines(String text) {
        return Arrays.stream(text.split("\n", -1))
                .map(line -> line.endsWith("\r") ? line.substring(0, line.length() - 1) : line)
                .map(this::dedented)
                .toList();
    }

    private String dedented(String line) {
        int spaces = 0;
        while (spaces < indent && spaces < line.length() && line.charAt(spaces) == ' ') {
            spaces++;
        }
        return line.substring(spaces);
    }

    List<FieldText> all() {
        return List.copyOf(pieces);
    }

    /** Returns whether the fields are written in block style. */
    boolean isBlock() {
        return layout == MappingLayout.BLOCK;
    }

    /** Returns whether the field names are in double quotes, as in JSON. */
    boolean isJson() {
        return mapping.entries().getFirst().key().style() == Style.DOUBLE_QUOTED;
    }

    /** Returns the indentation of the fields. */
    int indent() {
        return indent;
    }

    /** Returns the range that {@link #rewritten} replaces; a block extends to the end of its last line. */
    TextSpan span() {
        return span;
    }

    /** Returns a field that contains other fields, in the layout of this mapping. */
    FieldText nested(String name, List<FieldText> inner) {
        String key = isJson() ? "\"" + name + "\"" : name;
        return switch (layout) {
            case BLOCK -> new FieldText(name, nestedLines(key + ":", inner));
            case FLOW -> FieldText.of(key, "{" + joined(inner) + "}");
            case FLOW_LINES -> {
                List<FieldText> separated = separated(inner);
                List<String> lines = new ArrayList<>(nestedLines(key + ": {", separated));
                lines.add("}");
                yield new FieldText(name, lines);
            }
        };
    }

    /** Returns the lines of a list item with these fields. */
    static List<String> item(List<FieldText> fields) {
        List<String> lines = new ArrayList<>();
        for (FieldText field : fields) {
            field.lines.forEach(line -> lines.add(lines.isEmpty() ? "- " + line : indented(line, 2)));
        }
        return lines;
    }

    private static List<String> nestedLines(String first, List<FieldText> inner) {
        List<String> lines = new ArrayList<>();
        lines.add(first);
        inner.forEach(piece -> piece.lines.forEach(line -> lines.add(indented(line, 2))));
        return lines;
    }

    /** Indents a line; blank lines remain unchanged. */
    static String indented(String line, int spaces) {
        return line.isBlank() ? line : " ".repeat(spaces) + line;
    }

    private static String joined(List<FieldText> pieces) {
        return pieces.stream().map(piece -> String.join(" ", piece.lines)).collect(Collectors.joining(", "));
    }

    /** Returns the fields with a comma after each except the last. */
    private static List<FieldText> separated(List<FieldText> pieces) {
        List<FieldText> separated = new ArrayList<>();
        for (int i = 0; i < pieces.size(); i++) {
            List<String> lines = new ArrayList<>(pieces.get(i).lines);
            if (i + 1 < pieces.size()) {
                lines.add(lines.removeLast() + ",");
            }
            separated.add(new FieldText(pieces.get(i).name, lines));
        }
        return separated;
    }

    /** Returns whether the braces of a mapping are on one line. */
    boolean isOnOneLine() {
        return source.line(span.start()) == source.line(span.end());
    }

    /** Returns the edit that adds a field of one line before the closing brace. */
    Optional<TextEdit> appended(FieldText field) {
        boolean isFlow = layout == MappingLayout.FLOW && field.lines.size() == 1;
        return isFlow
                ? Optional.of(TextEdit.insert(mapping.entries().getLast().span().end(), ", " + field.lines.getFirst()))
                : Optional.empty();
    }

    /** Returns the edit that removes a field and changes no other field; empty if the field shares its line with a list mark. */
    Optional<TextEdit> removal(String name) {
        List<SourceField> entries = mapping.entries();
        int index = entries.stream().map(SourceField::name).toList().indexOf(name);
        if (index < 0 || entries.size() < 2 || layout == MappingLayout.FLOW_LINES) {
            return Optional.empty();
        }
        SourceField entry = entries.get(index);
        if (layout == MappingLayout.FLOW) {
            return Optional.of(
                    index == 0
                            ? TextEdit.of(
                                    entry.span().start(), entries.get(1).span().start(), "")
                            : TextEdit.of(
                                    entries.get(index - 1).span().end(),
                                    entry.span().end(),
                                    ""));
        }
        return index == 0 ? removalOfFirst(entries) : Optional.of(removalOfLines(entries, index));
    }

    private TextEdit removalOfLines(List<SourceField> entries, int index) {
        int start = begin(entries.get(index - 1), entries.get(index));
        int end = endOfLine(source, entries.get(index).span().end());
        return TextEdit.of(lineBreakBefore(start), end, "");
    }

    private int lineBreakBefore(int start) {
        boolean isWindows = start > 1 && source.text().charAt(start - 2) == '\r';
        return isWindows ? start - 2 : start - 1;
    }

    /** Removes the first field up to the second one, so that a list mark before it stays. */
    private Optional<TextEdit> removalOfFirst(List<SourceField> entries) {
        int next = begin(entries.get(0), entries.get(1));
        int indented = next + indent;
        boolean isIndented = indented <= source.text().length()
                && source.text().substring(next, indented).isBlank();
        return isIndented ? Optional.of(TextEdit.of(mapping.span().start(), indented, "")) : Optional.empty();
    }

    /** Returns the edit that replaces the fields of the mapping. */
    TextEdit rewritten(List<FieldText> fields) {
        String text = switch (layout) {
            case BLOCK -> stacked(fields);
            case FLOW -> "{" + joined(fields) + "}";
            case FLOW_LINES -> {
                int first = mapping.entries().getFirst().key().span().start();
                int last = mapping.entries().getLast().span().end();
                yield source.text().substring(span.start(), first)
                        + stacked(separated(fields))
                        + source.text().substring(last, span.end());
            }
        };
        return new TextEdit(span, text);
    }

    /** Returns the fields as lines with the indentation of the mapping; the first line is already indented. */
    private String stacked(List<FieldText> fields) {
        return fields.stream()
                .flatMap(piece -> piece.lines.stream())
                .map(line -> indented(line, indent))
                .collect(Collectors.joining("\n"))
                .substring(indent);
    }
}
