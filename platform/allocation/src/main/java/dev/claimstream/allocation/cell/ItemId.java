package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import java.util.Comparator;

/** What is decided together: a pod with all its claims, or a claim on its own. */
public record ItemId(Sort sort, ObjectKey key) implements Comparable<ItemId> {
    private static final Comparator<ItemId> ORDER =
            Comparator.comparing(ItemId::sort).thenComparing(ItemId::key);

    /** Whose item it is. */
    public enum Sort {
        CLAIM,
        POD
    }

    /** A pod with its claims. */
    public static ItemId pod(ObjectKey key) {
        return new ItemId(Sort.POD, key);
    }

    /** A claim that no pod names. */
    public static ItemId claim(ObjectKey key) {
        return new ItemId(Sort.CLAIM, key);
    }

    @Override
    public int compareTo(ItemId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return (sort == Sort.POD ? "pod " : "claim ") + key;
    }
}
