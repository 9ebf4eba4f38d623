package dev.claimstream.dra;

import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Metadata that all objects have.
 *
 * @param created the creation time; absent in manifests that were never applied
 * @param sequence the position in the order in which the source first observed its objects; 0 if the source has none; breaks ties of age,
 *     before the name
 * @param controller the owner reference with {@code controller: true}
 * @param deleting whether {@code deletionTimestamp} is set
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

    /** Creates metadata with name and UID only. */
    public static ObjectMeta of(String namespace, String name, String uid) {
        return new ObjectMeta(
                namespace, name, uid, Optional.empty(), 0, new TreeMap<>(), new TreeMap<>(), Optional.empty(), false);
    }

    /** Returns the namespace and name. */
    public ObjectKey key() {
        return new ObjectKey(namespace, name);
    }

    /** Returns a copy with these labels. */
    public ObjectMeta withLabels(SortedMap<String, String> other) {
        return new ObjectMeta(namespace, name, uid, created, sequence, other, annotations, controller, deleting);
    }

    /** Returns a copy with this sequence. */
    public ObjectMeta withSequence(long other) {
        return new ObjectMeta(namespace, name, uid, created, other, labels, annotations, controller, deleting);
    }

    /** Returns a copy with this controller. */
    public ObjectMeta withController(Owner other) {
        return new ObjectMeta(
                namespace, name, uid, created, sequence, labels, annotations, Optional.of(other), deleting);
    }

    /** Returns a copy with this creation time. */
    public ObjectMeta withCreated(Instant other) {
        return new ObjectMeta(
                namespace, name, uid, Optional.of(other), sequence, labels, annotations, controller, deleting);
    }
}
