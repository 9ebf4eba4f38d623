package dev.claimstream.dra;

import java.util.Comparator;

/** Where an object stands; the namespace is empty for objects of the whole cluster. */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    private static final Comparator<ObjectKey> ORDER =
            Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

    /** An object of the whole cluster. */
    public static ObjectKey cluster(String name) {
        return new ObjectKey("", name);
    }

    @Override
    public int compareTo(ObjectKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
