package dev.claimstream.manifests.source;

import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.tree.DocumentSplitter;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A YAML or JSON text with its documents and line numbers. Immutable.
 *
 * <p>Unreadable documents are omitted; {@code Manifests} reports the reason.
 */
public final class SourceText {
    private final String name;
    private final String text;
    private final int[] lineStarts;
    private final List<SourceDocument> documents;

    private SourceText(String name, String text) {
        this.name = name;
        this.text = text;
        this.lineStarts = lineStarts(text);
        this.documents = List.copyOf(read());
    }

    /**
     * Reads a text.
     *
     * @param name the file name that findings show
     */
    public static SourceText of(String name, String text) {
        return new SourceText(name, text);
    }

    private static int[] lineStarts(String text) {
        int[] starts = new int[1 + (int) text.chars().filter(c -> c == '\n').count()];
        int line = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
            starts[++line] = end + 1;
        }
        return starts;
    }

    private List<SourceDocument> read() {
        List<SourceDocument> all = new ArrayList<>();
        DocumentSplitter parts = new DocumentSplitter(new StringReader(text));
        try {
            while (parts.next()) {
                int start = lineStarts[parts.line() - 1];
                all.addAll(documents(readAll(parts.text()), skipByteOrderMark(start)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("a string does not fail", e);
        }
        return all;
    }

    private static List<SourceDocument> documents(String part, int start) {
        try {
            return new SourceReader(part, start).documents();
        } catch (SourceReader.UnreadableException e) {
            return List.of(); // parsing continues with the next document
        }
    }

    /** Skips a byte order mark, which the splitter removes. */
    private int skipByteOrderMark(int start) {
        return start == 0 && text.startsWith("\uFEFF") ? 1 : start;
    }

    private static String readAll(Reader reader) throws IOException {
        StringWriter whole = new StringWriter();
        reader.transferTo(whole);
        return whole.toString();
    }

    public String name() {
        return name;
    }

    public String text() {
        return text;
    }

    /** Returns the readable documents that are not empty. */
    public List<SourceDocument> documents() {
        return documents;
    }

    /** Returns the line of an index, from 1. */
    public int line(int index) {
        int found = Arrays.binarySearch(lineStarts, index);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /** Returns the index at which the line of an index begins. */
    public int lineStart(int index) {
        return lineStarts[line(index) - 1];
    }

    /** Returns the index at which a line (from 1) begins; lines after the last begin where the last one does. */
    public int lineStartOf(int line) {
        return lineStarts[Math.clamp(line - 1, 0, lineStarts.length - 1)];
    }

    /** Returns the distance of an index from the beginning of its line, in chars. */
    public int indent(int index) {
        return index - lineStart(index);
    }

    public SourceLocation location(int index) {
        return new SourceLocation(name, line(index), text.codePointCount(lineStart(index), index) + 1);
    }

    public String text(TextSpan span) {
        return text.substring(span.start(), span.end());
    }
}
