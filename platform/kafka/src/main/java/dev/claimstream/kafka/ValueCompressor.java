package dev.claimstream.kafka;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Compresses long values of {@link AvroSerde} that are kept in memory.
 *
 * <p>The devices of a slice are nearly alike, so slices compress well. A compressed value begins with a byte that starts no value of the
 * serde, and its original length in four bytes. Only one thread may compress; any thread may decompress.
 */
public final class ValueCompressor {
    /** Shorter values are not compressed. */
    public static final int BYTES_MIN = 1 << 10;

    private static final byte COMPRESSED = 1;
    private static final int HEADER_BYTES = 1 + Integer.BYTES;

    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    private byte[] buffer = new byte[4 * BYTES_MIN];

    /** Compresses a value if that makes it shorter. The bytes depend on the JDK; the decompressed value does not. */
    public byte[] compress(byte[] value) {
        if (value.length < BYTES_MIN) {
            return value;
        }
        if (buffer.length < value.length) {
            buffer = new byte[value.length];
        }
        deflater.reset();
        deflater.setInput(value);
        deflater.finish();
        int length = deflater.deflate(buffer, HEADER_BYTES, value.length - HEADER_BYTES);
        if (!deflater.finished()) {
            return value;
        }
        ByteBuffer.wrap(buffer).put(COMPRESSED).putInt(value.length);
        return Arrays.copyOf(buffer, HEADER_BYTES + length);
    }

    /**
     * Decompresses a value; returns a value that is not compressed unchanged.
     *
     * @throws IllegalArgumentException if the bytes are damaged
     */
    public byte[] decompress(byte[] bytes) {
        if (bytes.length < HEADER_BYTES || bytes[0] != COMPRESSED) {
            return bytes;
        }
        int length = ByteBuffer.wrap(bytes).getInt(1);
        if (length < BYTES_MIN || length > 2 * AvroSerde.BYTES_MAX) {
            throw new IllegalArgumentException("its header says %d bytes, the limits are %d to %d"
                    .formatted(length, BYTES_MIN, 2 * AvroSerde.BYTES_MAX));
        }
        var value = new byte[length];
        var inflater = new Inflater();
        inflater.setInput(bytes, HEADER_BYTES, bytes.length - HEADER_BYTES);
        try {
            int found = inflater.inflate(value);
            if (found != length || !inflater.finished()) {
                throw new IllegalArgumentException("it ends after %d of %d bytes".formatted(found, length));
            }
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("it cannot be decompressed: " + e.getMessage(), e);
        } finally {
            inflater.end();
        }
        return value;
    }
}
