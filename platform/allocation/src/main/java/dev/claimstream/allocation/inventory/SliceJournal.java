package dev.claimstream.allocation.inventory;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The slices that appeared, changed or went last, so that a reader looks at these alone. Keeps a bounded number of changes. */
final class SliceJournal {
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

    /** The place after the last change. */
    long end() {
        return end;
    }

    /** The slices that changed from a place on; absent where the journal begins after that place. */
    Optional<SortedSet<SliceId>> since(long place) {
        if (place < end - changes.size()) {
            return Optional.empty();
        }
        if (place == end) {
            return Optional.of(Collections.emptySortedSet());
        }
        var changed = new TreeSet<SliceId>();
        Iterator<SliceId> latest = changes.descendingIterator();
        for (long each = end; each > place; each--) {
            changed.add(latest.next());
        }
        return Optional.of(changed);
    }
}
