package dev.claimstream.manifests.tree;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/** A reader that fails once one object has more characters than allowed. */
final class BudgetReader extends FilterReader {
    private final int charactersMax;
    private long remaining;

    BudgetReader(Reader in, int charactersMax) {
        super(in);
        this.charactersMax = charactersMax;
        restart();
    }

    /** Starts the budget of the next object. */
    void restart() {
        remaining = charactersMax;
    }

    @Override
    public int read() throws IOException {
        int c = super.read();
        consume(c < 0 ? 0 : 1);
        return c;
    }

    @Override
    public int read(char[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        consume(Math.max(count, 0));
        return count;
    }

    private void consume(int count) throws DocumentTooLongException {
        remaining -= count;
        if (remaining < 0) {
            throw new DocumentTooLongException(charactersMax);
        }
    }

    /** An object has more characters than allowed. */
    static final class DocumentTooLongException extends IOException {
        private static final long serialVersionUID = 1;

        private final int charactersMax;

        DocumentTooLongException(int charactersMax) {
            this.charactersMax = charactersMax;
        }

        String problem() {
            return "an object has more than %d characters".formatted(charactersMax);
        }
    }
}
