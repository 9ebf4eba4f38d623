package dev.claimstream.dra;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.UUID;

/**
 * A 128-bit digest of all values that an expression reads from a device. Equal keys imply equal results.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record ReadKey(long high, long low) implements Comparable<ReadKey> {
    private static final Comparator<ReadKey> ORDER =
            Comparator.comparingLong(ReadKey::high).thenComparingLong(ReadKey::low);

    /** Returns the digest of a text that contains everything read. */
    public static ReadKey of(String text) {
        UUID digest = UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
        return new ReadKey(digest.getMostSignificantBits(), digest.getLeastSignificantBits());
    }

    @Override
    public int compareTo(ReadKey other) {
        return ORDER.compare(this, other);
    }
}
