package dev.claimstream.manifests;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** An input stream that fails once more bytes were read than allowed. */
final class CappedInputStream extends FilterInputStream {
    private long remaining;

    CappedInputStream(InputStream in, long bytesMax) {
        super(in);
        this.remaining = bytesMax;
    }

    @Override
    public int read() throws IOException {
        int b = super.read();
        consume(b < 0 ? 0 : 1);
        return b;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        consume(Math.max(count, 0));
        return count;
    }

    private void consume(int count) throws TooManyBytesException {
        remaining -= count;
        if (remaining < 0) {
            throw new TooManyBytesException();
        }
    }

    /** The stream is longer than allowed. */
    static final class TooManyBytesException extends IOException {
        private static final long serialVersionUID = 1;
    }
}
