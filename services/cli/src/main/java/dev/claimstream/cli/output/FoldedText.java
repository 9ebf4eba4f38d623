package dev.claimstream.cli.output;

import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Breaks lines that are wider than the terminal, at blanks and after commas, without cutting text. A suggested command
 * and what follows it stay in one line, so that the command can be copied.
 */
public final class FoldedText {
    /** Narrower terminals get lines of this width. */
    private static final int WIDTH_MIN = 20;

    private static final int HANGING_INDENT = 4;
    private static final Pattern COMMAND = Pattern.compile("(?:\\./)?\\b(?:kubectl|claimstream|helm) [a-z]");

    private FoldedText() {}

    /**
     * Returns the text with broken lines. The rest of a line is indented by four more columns.
     *
     * @param width of the terminal; empty for unlimited width, as in a pipe
     */
    public static String of(String text, OptionalInt width) {
        return of(text, width, HANGING_INDENT);
    }

    /**
     * Returns the text with broken lines.
     *
     * @param width of the terminal; empty for unlimited width, as in a pipe
     * @param hangingIndent additional indent of the rest of a broken line, in columns
     */
    public static String of(String text, OptionalInt width, int hangingIndent) {
        if (width.isEmpty()) {
            return text;
        }
        var folded = new StringBuilder();
        text.lines().forEach(line -> append(folded, line, Math.max(WIDTH_MIN, width.getAsInt()), hangingIndent));
        return text.endsWith("\n") ? folded.toString() : folded.toString().stripTrailing();
    }

    private static void append(StringBuilder folded, String line, int width, int hangingIndent) {
        String rest = line;
        int indent = Math.min(indentOf(line) + hangingIndent, width / 2);
        while (ColumnLayout.width(rest) > width) {
            int end = breakPosition(rest, width);
            if (end == rest.length()) {
                break;
            }
            folded.append(rest.substring(0, end).stripTrailing()).append('\n');
            rest = " ".repeat(indent) + rest.substring(end).stripLeading();
        }
        folded.append(rest).append('\n');
    }

    private static int indentOf(String line) {
        return line.length() - line.stripLeading().length();
    }

    /** Returns the last position for a break within the width, else the first one beyond it, else the length. */
    private static int breakPosition(String line, int width) {
        int last = 0;
        int indent = indentOf(line);
        int end = line.offsetByCodePoints(0, width);
        for (int i = indent + 1; i <= beforeCommand(line, indent); i++) {
            if (line.charAt(i) == ' ' || line.charAt(i - 1) == ',') {
                if (i > end) {
                    return last > 0 ? last : i;
                }
                last = i;
            }
        }
        return last > 0 ? last : line.length();
    }

    /** Returns the position of the last character before a command, or of the last character. */
    private static int beforeCommand(String line, int indent) {
        Matcher matcher = COMMAND.matcher(line);
        return (matcher.find(indent) ? matcher.start() : line.length()) - 1;
    }
}
