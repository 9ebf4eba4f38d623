package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import java.util.Comparator;

/** Identity of a work item: a pod with all its claims, or a standalone claim. */
public record ItemId(ItemKind kind, ObjectKey key) implements Comparable<ItemId> {
    private static final Comparator<ItemId> ORDER =
            Comparator.comparing(ItemId::kind).thenComparing(ItemId::key);

    /** The kind of object that the item is made for. Names are stored. */
    public enum ItemKind {
        CLAIM,
        POD
    }

    /** The item of a pod with its claims. */
    public static ItemId pod(ObjectKey key) {
        return new ItemId(ItemKind.POD, key);
    }

    /** The item of a claim that no pod references. */
    public static ItemId claim(ObjectKey key) {
        return new ItemId(ItemKind.CLAIM, key);
    }

    @Override
    public int compareTo(ItemId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return (kind == ItemKind.POD ? "pod " : "claim ") + key;
    }
}
