package dev.claimstream.kafka;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/** Buffers that one thread reuses to encode and decode values. */
final class AvroBuffer {
    private static final int FIRST_BYTES = 512;
    private static final int KEPT_BYTES_MAX = 256 << 10;

    private ByteArrayOutputStream out = new ByteArrayOutputStream(FIRST_BYTES);
    private final BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    private final BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(new byte[0], null);

    <T> byte[] write(int id, DatumWriter<T> writer, T value) {
        // This comes first: it flushes the rest of a value whose encoding failed.
        BinaryEncoder to = EncoderFactory.get().binaryEncoder(out, encoder);
        out.reset();
        writeHeader(id);
        try {
            writer.write(value, to);
            to.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] bytes = out.toByteArray();
        if (bytes.length > KEPT_BYTES_MAX) {
            out = new ByteArrayOutputStream(FIRST_BYTES);
        }
        return bytes;
    }

    private void writeHeader(int id) {
        out.write(AvroSerde.MAGIC);
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.write(id >>> shift);
        }
    }

    /** A decoder for the bytes after the header. */
    BinaryDecoder decoder(byte[] bytes) {
        return DecoderFactory.get()
                .binaryDecoder(bytes, AvroSerde.HEADER_BYTES, bytes.length - AvroSerde.HEADER_BYTES, decoder);
    }
}
