package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.io.Reader;
import java.util.Objects;

/**
 * Cuts a text at the lines that begin with {@code ---} or {@code ...}, as kubectl does, without holding more of it than a buffer. Each part is read
 * by itself, so that an error in one leaves the others readable.
 */
public final class DocumentSplitter {
    private static final int MARKER_LENGTH = 4; // "---" and what must not be a letter
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

    /** Cuts this text; closing it remains with the caller. */
    public DocumentSplitter(Reader in) {
        this.in = in;
    }

    /** Goes on to the next part, leaving out what is unread of this one. */
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

    /** The line of the file, from 1, at which the part begins. */
    public int line() {
        return partLine;
    }

    /** The text of the part. */
    public Reader text() {
        return new Part();
    }

    private void skipRest() throws IOException {
        char[] rest = new char[1 << 12];
        while (!partEnded) {
            take(rest, 0, rest.length);
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

    private int take(char[] into, int offset, int length) throws IOException {
        if (partEnded || length == 0) {
            return partEnded ? -1 : 0;
        }
        if (!available(MARKER_LENGTH) && end == start) {
            partEnded = true;
            return -1;
        }
        if (atLineStart && !lineBelongsHere()) {
            partEnded = true;
            return -1;
        }
        return copyLine(into, offset, length);
    }

    private boolean lineBelongsHere() {
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

    /** Without the marker a part that holds JSON is seen as JSON; the columns stay as they are. */
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
    private final class Part extends Reader {
        @Override
        public int read(char[] into, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, into.length);
            return take(into, offset, length);
        }

        @Override
        public void close() {
            // the text belongs to whoever opened it
        }
    }
}
