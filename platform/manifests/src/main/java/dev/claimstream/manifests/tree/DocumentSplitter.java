package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.io.Reader;
import java.util.Objects;

/**
 * Splits a text at lines that begin with {@code ---} or {@code ...}, as kubectl does.
 *
 * <p>It holds only a buffer of the text. Each part is parsed on its own, so that a syntax error does not affect other parts.
 */
public final class DocumentSplitter {
    private static final int MARKER_LENGTH = 4; // "---" and the character after it, which must not be a letter
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final Reader in;
    private final char[] buffer = new char[1 << 14];
    private int start;
    private int end;
    private boolean ended;
    private boolean atLineStart = true;
    private boolean partEnded = true;
    private boolean opened;
    private boolean hasContent;
    private boolean hasDirectives;
    private int line = 1;
    private int partLine = 1;

    /** Creates a splitter; the caller closes the text. */
    public DocumentSplitter(Reader in) {
        this.in = in;
    }

    /** Moves to the next part and skips the unread rest of the current one. */
    public boolean next() throws IOException {
        skipRest();
        if (line == 1 && available(1) && buffer[start] == BYTE_ORDER_MARK) {
            start++;
        }
        if (!available(1)) {
            return false;
        }
        partEnded = false;
        opened = false;
        hasContent = false;
        hasDirectives = false;
        partLine = line;
        return true;
    }

    /** Returns the line of the file, from 1, at which the part begins. */
    public int line() {
        return partLine;
    }

    /** Returns a reader of the part. */
    public Reader text() {
        return new DocumentPart();
    }

    private void skipRest() throws IOException {
        char[] rest = new char[1 << 12];
        while (!partEnded) {
            readPart(rest, 0, rest.length);
        }
    }

    private boolean available(int count) throws IOException {
        if (end - start < count && !ended) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
            while (end < count && !ended) {
                int got = in.read(buffer, end, buffer.length - end);
                ended = got < 0;
                end += Math.max(got, 0);
            }
        }
        return end - start >= count;
    }

    private int readPart(char[] into, int offset, int length) throws IOException {
        if (partEnded || length == 0) {
            return partEnded ? -1 : 0;
        }
        if (!available(MARKER_LENGTH) && end == start) {
            partEnded = true;
            return -1;
        }
        if (atLineStart && !isLineInPart()) {
            partEnded = true;
            return -1;
        }
        return copyLine(into, offset, length);
    }

    private boolean isLineInPart() {
        boolean opens = isMarker('-');
        if (opens || isMarker('.')) {
            if (opened || hasContent) {
                return false;
            }
            opened = opens;
            if (!hasDirectives) {
                blankMarker();
            }
            return true;
        }
        char first = buffer[start];
        hasDirectives |= first == '%' && !opened;
        hasContent |= "#%\r\n".indexOf(first) < 0;
        return true;
    }

    private boolean isMarker(char c) {
        return end - start >= 3
                && buffer[start] == c
                && buffer[start + 1] == c
                && buffer[start + 2] == c
                && (end - start == 3 || " \t\r\n".indexOf(buffer[start + 3]) >= 0);
    }

    /** Blanks the marker, so that a part with JSON is recognised as JSON; the columns do not change. */
    private void blankMarker() {
        buffer[start] = ' ';
        buffer[start + 1] = ' ';
        buffer[start + 2] = ' ';
    }

    private int copyLine(char[] into, int offset, int length) {
        int count = Math.min(length, end - start);
        atLineStart = false;
        for (int i = 0; i < count; i++) {
            char c = buffer[start++];
            into[offset + i] = c;
            if (c == '\n') {
                line++;
                atLineStart = true;
                return i + 1;
            }
        }
        return count;
    }

    /** Reads up to the end of the part. */
    private final class DocumentPart extends Reader {
        @Override
        public int read(char[] into, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, into.length);
            return readPart(into, offset, length);
        }

        @Override
        public void close() {
            // the caller closes the text
        }
    }
}
