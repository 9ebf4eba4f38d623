import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * The events of one partition of ledger.v1. The last field of an event is SHA-256 over the previous hash and the bytes
 * of the event with an empty hash.
 */
final class Chain {
    private static final int HASH_BYTES = 32;

    /** Avro writes the length of bytes as a zigzag number. */
    private static final byte LENGTH = 2 * HASH_BYTES;

    private Optional<byte[]> last = Optional.empty();

    /** Returns the violation of the next event; empty if there is none. */
    Optional<String> violation(long offset, byte[] bytes, GenericRecord event) {
        byte[] previous = array(event, "previousHash");
        byte[] hash = array(event, "hash");
        // a ledger whose beginning is deleted may begin at any hash
        Optional<byte[]> before = last.or(() -> offset == 0 ? Optional.of(new byte[0]) : Optional.empty());
        last = Optional.of(hash);
        if (before.isPresent() && !Arrays.equals(before.get(), previous)) {
            return Optional.of("previousHash is not the hash of the previous event");
        }
        int end = bytes.length - HASH_BYTES;
        if (hash.length != HASH_BYTES || end < 1 || bytes[end - 1] != LENGTH) {
            return Optional.of("hash is not the last 32 bytes of the event");
        }
        byte[] content = Arrays.copyOf(bytes, end);
        content[end - 1] = 0;
        return Arrays.equals(hash, sha256(previous, content))
                ? Optional.empty()
                : Optional.of("hash does not match the content");
    }

    private static byte[] array(GenericRecord event, String field) {
        var buffer = ((ByteBuffer) event.get(field)).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] sha256(byte[] previous, byte[] content) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(previous);
            return digest.digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
