package dev.claimstream.manifests;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** An input stream that fails once more bytes were read than allowed. */
final class CappedInputStream extends FilterInputStream {
    private long left;

    CappedInputStream(InputStream in, long bytesMax) {
        super(in);
        this.left = bytesMax;
    }

    @Override
    public int read() throws IOException {
        int b = super.read();
        spend(b < 0 ? 0 : 1);
        return b;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int count = super.read(into, offset, length);
        spend(Math.max(count, 0));
        return count;
    }

    private void spend(int count) throws TooManyBytesException {
        left -= count;
        if (left < 0) {
            throw new TooManyBytesException();
        }
    }

    /** The stream is longer than allowed. */
    static final class TooManyBytesException extends IOException {
        private static final long serialVersionUID = 1;
    }
}
