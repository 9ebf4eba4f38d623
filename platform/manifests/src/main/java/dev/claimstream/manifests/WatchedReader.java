package dev.claimstream.manifests;

import java.io.IOException;
import java.io.Reader;

/** Passes a text on and shows each of its lines to {@link UnfinishedText}. */
final class WatchedReader extends Reader {
    /** Maximum length of a line that is looked at; the rest of a longer line is passed on only. */
    private static final int LINE_LENGTH_MAX = 1000;

    private final Reader in;
    private final UnfinishedText lines = new UnfinishedText();
    private final StringBuilder line = new StringBuilder();

    WatchedReader(Reader in) {
        this.in = in;
    }

    @Override
    public int read(char[] into, int offset, int length) throws IOException {
        int count = in.read(into, offset, length);
        for (int i = offset; i < offset + count; i++) {
            if (into[i] == '\n') {
                endLine();
            } else if (line.length() < LINE_LENGTH_MAX && into[i] != '\r') {
                line.append(into[i]);
            }
        }
        return count;
    }

    private void endLine() {
        lines.read(line.toString());
        line.setLength(0);
    }

    /** Returns the lines up to the end of the text. */
    UnfinishedText lines() {
        if (!line.isEmpty()) {
            endLine();
        }
        return lines;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
