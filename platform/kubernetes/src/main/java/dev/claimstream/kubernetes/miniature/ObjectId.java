package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.util.Comparator;

/**
 * Kind and key of an object.
 *
 * <p>Claims sort before pods, so that the controller knows the claims of a pod before it creates missing ones.
 */
record ObjectId(Kind kind, ObjectKey key) implements Comparable<ObjectId> {
    private static final Comparator<ObjectId> ORDER =
            Comparator.comparing(ObjectId::kind).thenComparing(ObjectId::key);

    static ObjectId of(ClusterObject object) {
        return new ObjectId(object.kind(), object.key());
    }

    static ObjectId claim(ObjectKey key) {
        return new ObjectId(Kind.RESOURCE_CLAIM, key);
    }

    static ObjectId pod(ObjectKey key) {
        return new ObjectId(Kind.POD, key);
    }

    /** Returns the key of the store. Names in Kubernetes contain no slash. */
    String text() {
        return kind.apiName() + "/" + key.namespace() + "/" + key.name();
    }

    @Override
    public int compareTo(ObjectId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return kind.apiName() + " " + key;
    }
}
