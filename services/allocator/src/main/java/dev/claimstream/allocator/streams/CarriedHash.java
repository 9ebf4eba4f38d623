package dev.claimstream.allocator.streams;

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
 * The hash over all rows of a store, carried along as they change. What stood at the beginning is taken in step by step, so that nobody
 * waits for all of it at once; rows that come later are carried from their first change on.
 */
final class CarriedHash {
    /** So many changed rows are remembered as they were before the sum takes them in. */
    private static final int CHANGED_MAX = 4096;

    private final Function<String, Optional<byte[]>> stored;
    private final RowsHash sum = new RowsHash();
    private final Map<String, Optional<byte[]>> before = new LinkedHashMap<>();

    /** Rows that the sum does not have yet: it takes them as they are when it comes to them. */
    private Set<String> ahead;

    /**
     * @param keys of all rows that there are
     * @param stored the bytes of a row as they are hashed; empty where there is no such row
     */
    CarriedHash(Collection<String> keys, Function<String, Optional<byte[]>> stored) {
        this.ahead = new LinkedHashSet<>(keys);
        this.stored = stored;
    }

    /** A row is about to change, to come or to go. */
    void touch(String key) {
        if (ahead.contains(key)) {
            return;
        }
        if (before.size() >= CHANGED_MAX) {
            settle();
        }
        before.computeIfAbsent(key, stored);
    }

    /** Takes in some of the rows that stood at the beginning; whether all of them are in now. */
    boolean goOn(int rows) {
        Iterator<String> keys = ahead.iterator();
        for (int i = 0; i < rows && keys.hasNext(); i++) {
            String key = keys.next();
            keys.remove();
            stored.apply(key).ifPresent(bytes -> sum.add(key, bytes));
        }
        if (ahead.isEmpty()) {
            ahead = Set.of(); // the room of so many keys is no more needed
        }
        return ahead.isEmpty();
    }

    /** The hash over all rows as they are now. */
    ByteBuffer value() {
        goOn(Integer.MAX_VALUE);
        settle();
        return sum.value();
    }

    private void settle() {
        before.forEach((key, was) -> {
            was.ifPresent(bytes -> sum.remove(key, bytes));
            stored.apply(key).ifPresent(bytes -> sum.add(key, bytes));
        });
        before.clear();
    }
}
