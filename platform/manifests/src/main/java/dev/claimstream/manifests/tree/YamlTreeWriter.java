package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.util.Map;
import java.util.regex.Pattern;

/** Writes YAML as kubectl prints it: block style, lists not indented below their field, quotes only if necessary. */
final class YamlTreeWriter {
    private static final String INDICATORS = "-?:,[]{}#&*!|>'\"%@`=<~";
    // Other YAML parsers read these as timestamps or sexagesimal numbers.
    private static final Pattern LOOKS_TYPED = Pattern.compile("[-+.0-9][-+.:_0-9TtZz ]*");
    private static final int NAME_LENGTH_MAX = 1000; // YAML requires the colon within 1024 characters

    private final Appendable out;

    YamlTreeWriter(Appendable out) {
        this.out = out;
    }

    void write(Tree tree) throws IOException {
        if (isBlock(tree)) {
            block(tree, 0);
        } else {
            out.append(inline(tree)).append('\n');
        }
    }

    private static boolean isBlock(Tree tree) {
        return switch (tree) {
            case Tree.Sequence sequence -> !sequence.items().isEmpty();
            case Tree.Mapping mapping -> !mapping.fields().isEmpty();
            case Tree.Text text -> isLiteral(text.value());
            case Tree.Numeral _, Tree.Bool _, Tree.Null _ -> false;
        };
    }

    /** Writes a block whose first line is already indented. */
    private void block(Tree tree, int indent) throws IOException {
        switch (tree) {
            case Tree.Sequence sequence -> items(sequence, indent);
            case Tree.Mapping mapping -> fields(mapping, indent);
            case Tree.Text text -> literal(text.value(), indent);
            case Tree.Numeral _, Tree.Bool _, Tree.Null _ -> throw new IllegalArgumentException("no block: " + tree);
        }
    }

    private void items(Tree.Sequence sequence, int indent) throws IOException {
        boolean first = true;
        for (Tree item : sequence.items()) {
            indent(first ? 0 : indent);
            first = false;
            out.append("- ");
            if (isBlock(item)) {
                block(item, indent + 2);
            } else {
                out.append(inline(item)).append('\n');
            }
        }
    }

    private void fields(Tree.Mapping mapping, int indent) throws IOException {
        boolean first = true;
        for (Map.Entry<String, Tree> field : mapping.fields().entrySet()) {
            indent(first ? 0 : indent);
            first = false;
            name(field.getKey(), indent);
            value(field.getValue(), indent);
        }
    }

    private void name(String name, int indent) throws IOException {
        String text = isPlain(name) ? name : quoted(name);
        if (text.length() > NAME_LENGTH_MAX) {
            out.append("? ").append(text).append('\n');
            indent(indent);
        } else {
            out.append(text);
        }
        out.append(':');
    }

    private void value(Tree value, int indent) throws IOException {
        if (!isBlock(value)) {
            out.append(' ').append(inline(value)).append('\n');
            return;
        }
        switch (value) {
            case Tree.Text text -> {
                out.append(' ');
                literal(text.value(), indent + 2);
            }
            case Tree.Sequence sequence -> {
                out.append('\n');
                indent(indent);
                items(sequence, indent);
            }
            default -> {
                out.append('\n');
                indent(indent + 2);
                block(value, indent + 2);
            }
        }
    }

    private void literal(String text, int indent) throws IOException {
        boolean ended = text.endsWith("\n");
        out.append(ended ? "|\n" : "|-\n");
        for (String line : (ended ? text.substring(0, text.length() - 1) : text).split("\n", -1)) {
            if (!line.isEmpty()) {
                indent(Math.max(indent, 2));
                out.append(line);
            }
            out.append('\n');
        }
    }

    private void indent(int count) throws IOException {
        out.append(" ".repeat(count));
    }

    private static String inline(Tree tree) throws IOException {
        return switch (tree) {
            case Tree.Text text -> isPlain(text.value()) ? text.value() : quoted(text.value());
            case Tree.Numeral number -> number.literal();
            case Tree.Bool bool -> Boolean.toString(bool.value());
            case Tree.Null _ -> "null";
            case Tree.Sequence _ -> "[]";
            case Tree.Mapping _ -> "{}";
        };
    }

    private static String quoted(String text) throws IOException {
        StringBuilder out = new StringBuilder();
        JsonTreeWriter.quote(text, out);
        return out.toString();
    }

    private static boolean isPlain(String text) {
        if (text.isEmpty()
                || ScalarType.of(text) != ScalarType.TEXT
                || LOOKS_TYPED.matcher(text).matches()) {
            return false;
        }
        if (INDICATORS.indexOf(text.charAt(0)) >= 0 || text.startsWith(" ") || text.endsWith(" ")) {
            return false;
        }
        return !text.contains(": ") && !text.contains(" #") && !text.endsWith(":") && isOneLine(text);
    }

    private static boolean isOneLine(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (JsonTreeWriter.needsEscape(text, i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a text of several lines can be written as a literal block without loss. */
    private static boolean isLiteral(String text) {
        if (text.indexOf('\n') < 0 || " \n\t".indexOf(text.charAt(0)) >= 0 || text.endsWith("\n\n")) {
            return false;
        }
        return text.lines().allMatch(line -> isOneLine(line) && (line.isEmpty() || !line.isBlank()))
                && text.indexOf('\r') < 0;
    }
}
