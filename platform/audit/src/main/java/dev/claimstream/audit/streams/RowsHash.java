package dev.claimstream.audit.streams;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * An incremental hash over a set of rows: the sum modulo 2^256 of the SHA-256 of each row.
 *
 * <p>It detects states that differ by accident. It does not protect against rows that are forged to match.
 */
public final class RowsHash {
    private static final int WORDS = 4;

    /** Length of the header before the Avro body: a zero and the schema id. The schema id is not part of the content. */
    private static final int HEADER_BYTES = 5;

    private final MessageDigest digest = sha256();
    private final long[] sum = new long[WORDS];

    /** Adds a row to the set. */
    public void add(String key, byte[] row) {
        ByteBuffer each = ByteBuffer.wrap(digestOf(key, row));
        long carry = 0;
        for (int i = WORDS - 1; i >= 0; i--) {
            long term = each.getLong(i * Long.BYTES);
            long before = sum[i] + term;
            long after = before + carry;
            boolean overflows = Long.compareUnsigned(before, term) < 0 || Long.compareUnsigned(after, before) < 0;
            carry = overflows ? 1 : 0;
            sum[i] = after;
        }
    }

    /** Removes a row from the set. */
    public void remove(String key, byte[] row) {
        ByteBuffer each = ByteBuffer.wrap(digestOf(key, row));
        long borrow = 0;
        for (int i = WORDS - 1; i >= 0; i--) {
            long term = each.getLong(i * Long.BYTES);
            long before = sum[i];
            sum[i] = before - term - borrow;
            borrow = Long.compareUnsigned(before, term) < 0 || (borrow == 1 && before == term) ? 1 : 0;
        }
    }

    /** The hash over the present rows. */
    public ByteBuffer value() {
        var value = ByteBuffer.allocate(WORDS * Long.BYTES);
        for (long word : sum) {
            value.putLong(word);
        }
        return value.flip();
    }

    private byte[] digestOf(String key, byte[] row) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(name.length).flip());
        digest.update(name);
        digest.update(row, HEADER_BYTES, row.length - HEADER_BYTES);
        return digest.digest();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
