package dev.claimstream.dra;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.UUID;

/**
 * A digest of all values that an expression reads of a device; devices with equal keys get equal answers.
 *
 * @param high the first 64 bits
 * @param low the other 64 bits
 */
public record ReadKey(long high, long low) implements Comparable<ReadKey> {
    private static final Comparator<ReadKey> ORDER =
            Comparator.comparingLong(ReadKey::high).thenComparingLong(ReadKey::low);

    /** The key of a text that contains everything that is read. */
    public static ReadKey of(String text) {
        UUID digest = UUID.nameUUIDFromBytes(text.getBytes(StandardCharsets.UTF_8));
        return new ReadKey(digest.getMostSignificantBits(), digest.getLeastSignificantBits());
    }

    @Override
    public int compareTo(ReadKey other) {
        return ORDER.compare(this, other);
    }
}
