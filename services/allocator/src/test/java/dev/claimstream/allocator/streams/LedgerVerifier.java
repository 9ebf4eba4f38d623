package dev.claimstream.allocator.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.schemas.LedgerEvent;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/**
 * Verifies the ledger from nothing but its bytes and the doc of its schema.
 *
 * <p>The hash of an event is SHA-256 over the previous hash and the event with an empty hash. The hash is the last
 * field: its length and 32 bytes.
 */
final class LedgerVerifier {
    private static final int HASH_BYTES = 32;
    private static final byte LENGTH_OF_HASH = 2 * HASH_BYTES;

    private LedgerVerifier() {}

    /** The Avro body of an event, without the header that names the schema. */
    static byte[] bytes(LedgerEvent event) {
        try {
            byte[] framed = event.toByteBuffer().array();
            return Arrays.copyOfRange(framed, 10, framed.length);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Verifies a hash chain from its beginning. */
    static void verify(List<byte[]> events) {
        byte[] last = {};
        for (byte[] event : events) {
            int end = event.length - HASH_BYTES;
            assertThat(event[end - 1]).isEqualTo(LENGTH_OF_HASH);
            byte[] open = Arrays.copyOf(event, end);
            open[end - 1] = 0;
            last = sha256(last, open);
            assertThat(Arrays.copyOfRange(event, end, event.length)).isEqualTo(last);
        }
    }

    /** Verifies that every event names the hash of its predecessor. */
    static void verifyLinks(List<LedgerEvent> events) {
        ByteBuffer last = ByteBuffer.allocate(0);
        for (LedgerEvent event : events) {
            assertThat(event.getPreviousHash()).isEqualTo(last);
            last = event.getHash();
        }
    }

    private static byte[] sha256(byte[] previous, byte[] open) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(previous);
            return digest.digest(open);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
