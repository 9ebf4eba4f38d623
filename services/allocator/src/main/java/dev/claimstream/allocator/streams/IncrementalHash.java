package dev.claimstream.allocator.streams;

import dev.claimstream.audit.streams.RowsHash;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Maintains the hash over all rows of a store incrementally.
 *
 * <p>The initial rows are hashed in steps, so that no input waits for all of them. Rows that are added later are tracked from their first
 * change on. Not safe for several threads.
 */
final class IncrementalHash {
    /** Changed rows whose previous value is kept before their changes are applied to the sum. */
    private static final int CHANGED_MAX = 4096;

    private final Function<String, Optional<byte[]>> stored;
    private final RowsHash sum = new RowsHash();
    private final Map<String, Optional<byte[]>> changedRows = new LinkedHashMap<>();

    /**
     * Keys of initial rows that are not in the sum yet. A change to such a row needs no tracking: the row is hashed later, with its new
     * value.
     */
    private Set<String> unhashedKeys;

    /**
     * @param keys keys of all initial rows
     * @param stored reads the bytes of a row as they are hashed; empty if the row does not exist
     */
    IncrementalHash(Collection<String> keys, Function<String, Optional<byte[]>> stored) {
        this.unhashedKeys = new LinkedHashSet<>(keys);
        this.stored = stored;
    }

    /** Announces that a row is about to be added, changed or deleted. */
    void touch(String key) {
        if (unhashedKeys.contains(key)) {
            return;
        }
        if (changedRows.size() >= CHANGED_MAX) {
            applyChanges();
        }
        changedRows.computeIfAbsent(key, stored);
    }

    /** Adds some of the initial rows to the sum; returns whether all of them are in it. */
    boolean advance(int rows) {
        Iterator<String> keys = unhashedKeys.iterator();
        for (int i = 0; i < rows && keys.hasNext(); i++) {
            String key = keys.next();
            keys.remove();
            stored.apply(key).ifPresent(bytes -> sum.add(key, bytes));
        }
        if (unhashedKeys.isEmpty()) {
            unhashedKeys = Set.of(); // frees the memory of the keys
        }
        return unhashedKeys.isEmpty();
    }

    /** The hash over all rows in their present state. */
    ByteBuffer value() {
        advance(Integer.MAX_VALUE);
        applyChanges();
        return sum.value();
    }

    private void applyChanges() {
        changedRows.forEach((key, was) -> {
            was.ifPresent(bytes -> sum.remove(key, bytes));
            stored.apply(key).ifPresent(bytes -> sum.add(key, bytes));
        });
        changedRows.clear();
    }
}
