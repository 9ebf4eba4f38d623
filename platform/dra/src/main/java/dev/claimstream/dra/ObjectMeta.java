package dev.claimstream.dra;

import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What every object carries.
 *
 * @param created when the API server took it; absent in manifests that were never applied
 * @param sequence the place in its source's order of first sight, 0 where the source has none; ties of age end here, then in the name
 * @param controller the owner with {@code controller: true}
 * @param deleting whether a deletion was asked for and the object still stands
 */
public record ObjectMeta(
        String namespace,
        String name,
        String uid,
        Optional<Instant> created,
        long sequence,
        SortedMap<String, String> labels,
        SortedMap<String, String> annotations,
        Optional<Owner> controller,
        boolean deleting) {
    public ObjectMeta {
        labels = Copies.sorted(labels);
        annotations = Copies.sorted(annotations);
    }

    /** A plain object with nothing but a place and an identity. */
    public static ObjectMeta of(String namespace, String name, String uid) {
        return new ObjectMeta(
                namespace, name, uid, Optional.empty(), 0, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false);
    }

    /** Where it stands. */
    public ObjectKey key() {
        return new ObjectKey(namespace, name);
    }

    /** The same with other labels. */
    public ObjectMeta withLabels(SortedMap<String, String> other) {
        return new ObjectMeta(namespace, name, uid, created, sequence, other, annotations, controller, deleting);
    }

    /** The same with another place in the order of its source. */
    public ObjectMeta withSequence(long other) {
        return new ObjectMeta(namespace, name, uid, created, other, labels, annotations, controller, deleting);
    }

    /** The same under another controller. */
    public ObjectMeta withController(Owner other) {
        return new ObjectMeta(
                namespace, name, uid, created, sequence, labels, annotations, Optional.of(other), deleting);
    }

    /** The same with another creation time. */
    public ObjectMeta withCreated(Instant other) {
        return new ObjectMeta(
                namespace, name, uid, Optional.of(other), sequence, labels, annotations, controller, deleting);
    }
}
