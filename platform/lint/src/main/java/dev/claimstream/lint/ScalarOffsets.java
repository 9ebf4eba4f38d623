package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.manifests.source.SourceText;
import java.util.Optional;

/** Maps the chars of a scalar to the manifest's text, across quotes, escapes and the line breaks of a block. */
final class ScalarOffsets {
    private final String text;
    private final String raw;
    private final int offset;
    private final int[] sourceIndices;

    private ScalarOffsets(String text, String raw, int offset) {
        this.text = text;
        this.raw = raw;
        this.offset = offset;
        this.sourceIndices = new int[text.length() + 1];
    }

    /** Returns the mapping of a scalar; empty if its notation is not supported. */
    static Optional<ScalarOffsets> of(SourceText source, SourceScalar scalar) {
        String raw = source.text(scalar.span());
        int start = switch (scalar.style()) {
            case PLAIN -> 0;
            case SINGLE_QUOTED, DOUBLE_QUOTED -> 1;
            case BLOCK -> raw.indexOf('\n') + 1;
        };
        ScalarOffsets places =
                new ScalarOffsets(scalar.text(), raw, scalar.span().start());
        return places.mapOffsets(start) ? Optional.of(places) : Optional.empty();
    }

    private boolean mapOffsets(int start) {
        int at = skipIndent(start);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (at < raw.length() && escapes(at, c)) {
                at++;
            } else if (at >= raw.length() || (raw.charAt(at) != c && !(isBreak(at) && (c == ' ' || c == '\n')))) {
                return isEnd(i);
            }
            sourceIndices[i] = offset + at;
            at = isBreak(at) ? skipIndent(at + 1) : at + 1;
        }
        sourceIndices[text.length()] = offset + at;
        return true;
    }

    /** Returns whether only white space remains: the value of a block ends with a line break outside its span. */
    private boolean isEnd(int index) {
        boolean isBlank = text.substring(index).isBlank();
        for (int i = index; isBlank && i <= text.length(); i++) {
            sourceIndices[i] = offset + raw.length();
        }
        return isBlank;
    }

    private boolean escapes(int at, char c) {
        if (at + 1 >= raw.length() || raw.charAt(at + 1) != c) {
            return false;
        }
        boolean isSingle = raw.charAt(0) == '\'' && c == '\'' && raw.charAt(at) == '\'';
        boolean isDouble = raw.charAt(0) == '"' && (c == '"' || c == '\\') && raw.charAt(at) == '\\';
        return isSingle || isDouble;
    }

    private boolean isBreak(int at) {
        return raw.charAt(at) == '\n'
                || (raw.charAt(at) == '\r' && at + 1 < raw.length() && raw.charAt(at + 1) == '\n');
    }

    private int skipIndent(int at) {
        int next = at < raw.length() && raw.charAt(at) == '\n' && at > 0 && raw.charAt(at - 1) == '\r' ? at + 1 : at;
        while (next < raw.length() && next > 0 && raw.charAt(next) == ' ' && isBehindBreak(next)) {
            next++;
        }
        return next;
    }

    private boolean isBehindBreak(int at) {
        int before = at;
        while (before > 0 && raw.charAt(before - 1) == ' ') {
            before--;
        }
        return before > 0 && raw.charAt(before - 1) == '\n';
    }

    /** Returns the index in the manifest of a char of the scalar. */
    int sourceIndex(int index) {
        return sourceIndices[Math.min(index, text.length())];
    }

    /** Returns whether a range of the scalar is written verbatim in the manifest. */
    boolean isVerbatim(int start, int end) {
        return sourceIndex(end) - sourceIndex(start) == end - start
                && raw.startsWith(text.substring(start, end), sourceIndex(start) - offset);
    }

    /** Returns a replacement with the escapes that the notation of the scalar requires. */
    String escaped(String replacement) {
        return switch (raw.isEmpty() ? ' ' : raw.charAt(0)) {
            case '\'' -> replacement.replace("'", "''");
            case '"' -> replacement.replace("\\", "\\\\").replace("\"", "\\\"");
            default -> replacement;
        };
    }
}
