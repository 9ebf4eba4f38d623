package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.util.Iterator;

/** Writes a tree as JSON, indented or on one line. */
final class JsonTreeWriter {
    private final Appendable out;
    private final int step;

    /**
     * Creates a writer.
     *
     * @param step spaces per level; 0 writes everything on one line
     */
    JsonTreeWriter(Appendable out, int step) {
        this.out = out;
        this.step = step;
    }

    void write(Tree tree) throws IOException {
        write(tree, 0);
    }

    private void write(Tree tree, int indent) throws IOException {
        switch (tree) {
            case Tree.Text text -> quote(text.value(), out);
            case Tree.Numeral number -> out.append(number.literal());
            case Tree.Bool bool -> out.append(Boolean.toString(bool.value()));
            case Tree.Null ignored -> out.append("null");
            case Tree.Sequence sequence -> sequence(sequence, indent);
            case Tree.Mapping mapping -> mapping(mapping, indent);
        }
    }

    private void sequence(Tree.Sequence sequence, int indent) throws IOException {
        out.append('[');
        for (Iterator<Tree> items = sequence.items().iterator(); items.hasNext(); ) {
            lineBreak(indent + step);
            write(items.next(), indent + step);
            close(items, indent);
        }
        out.append(']');
    }

    private void mapping(Tree.Mapping mapping, int indent) throws IOException {
        out.append('{');
        for (var fields = mapping.fields().entrySet().iterator(); fields.hasNext(); ) {
            var field = fields.next();
            lineBreak(indent + step);
            quote(field.getKey(), out);
            out.append(step == 0 ? ":" : ": ");
            write(field.getValue(), indent + step);
            close(fields, indent);
        }
        out.append('}');
    }

    private void close(Iterator<?> rest, int indent) throws IOException {
        if (rest.hasNext()) {
            out.append(',');
        } else {
            lineBreak(indent);
        }
    }

    private void lineBreak(int indent) throws IOException {
        if (step > 0) {
            out.append('\n').append(" ".repeat(indent));
        }
    }

    /** Writes a string in double quotes; YAML reads it in the same way. */
    static void quote(String text, Appendable out) throws IOException {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (needsEscape(text, i)) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    /** Returns whether a char must be escaped: control characters, YAML line breaks, the byte order mark and unpaired surrogates. */
    static boolean needsEscape(String text, int index) {
        char c = text.charAt(index);
        if (Character.isHighSurrogate(c)) {
            return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
        }
        if (Character.isLowSurrogate(c)) {
            return index == 0 || !Character.isHighSurrogate(text.charAt(index - 1));
        }
        return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF || c >= 0xFFFE;
    }
}
