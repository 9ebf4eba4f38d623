package dev.claimstream.dra;

import java.util.Comparator;

/** Namespace and name of an object. The namespace is empty for cluster-scoped objects. */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    private static final Comparator<ObjectKey> ORDER =
            Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

    /** Returns the key of a cluster-scoped object. */
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
