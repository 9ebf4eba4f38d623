package dev.claimstream.allocation.inventory;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Logs the latest upserted and deleted slices, so that a reader processes only these. The log is bounded. */
final class SliceChangeLog {
    private static final int CHANGES_MAX = 1 << 14;

    private final Deque<SliceId> changes = new ArrayDeque<>();
    private long end;

    void add(SliceId slice) {
        changes.addLast(slice);
        end++;
        if (changes.size() > CHANGES_MAX) {
            changes.removeFirst();
        }
    }

    /** Returns the offset after the last change. */
    long end() {
        return end;
    }

    /** Returns the slices that changed since an offset; absent if the log starts after the offset. */
    Optional<SortedSet<SliceId>> since(long position) {
        if (position < end - changes.size()) {
            return Optional.empty();
        }
        if (position == end) {
            return Optional.of(Collections.emptySortedSet());
        }
        var changed = new TreeSet<SliceId>();
        Iterator<SliceId> latest = changes.descendingIterator();
        for (long each = end; each > position; each--) {
            changed.add(latest.next());
        }
        return Optional.of(changed);
    }
}
