import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/** The events of one partition of ledger.v1. The last field of each is SHA-256 over the previous hash and the event's bytes with an empty hash. */
final class Chain {
    private static final int HASH_BYTES = 32;

    /** Avro writes the length of bytes as a zigzag number. */
    private static final byte LENGTH = 2 * HASH_BYTES;

    private Optional<byte[]> last = Optional.empty();

    /** Returns the violation of the next event; empty if there is none. */
    Optional<String> next(long offset, byte[] bytes, GenericRecord event) {
        byte[] previous = array(event, "previousHash");
        byte[] hash = array(event, "hash");
        Optional<byte[]> before = last.or(() -> offset == 0 ? Optional.of(new byte[0]) : Optional.empty()); // a ledger without its beginning may begin at any hash
        last = Optional.of(hash);
        if (before.isPresent() && !Arrays.equals(before.get(), previous)) {
            return Optional.of("it does not name the hash of the event before");
        }
        int end = bytes.length - HASH_BYTES;
        if (hash.length != HASH_BYTES || end < 1 || bytes[end - 1] != LENGTH) {
            return Optional.of("its hash is not 32 bytes at its end");
        }
        byte[] open = Arrays.copyOf(bytes, end);
        open[end - 1] = 0;
        return Arrays.equals(hash, sha256(previous, open)) ? Optional.empty() : Optional.of("its hash is not that of its content");
    }

    private static byte[] array(GenericRecord event, String field) {
        var buffer = ((ByteBuffer) event.get(field)).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
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
