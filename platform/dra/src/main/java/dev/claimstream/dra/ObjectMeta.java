package dev.claimstream.dra;

import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;

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

    /** Returns a builder of metadata with name and UID only. */
    public static ObjectMetaBuilder builder(String namespace, String name, String uid) {
        return new ObjectMetaBuilder(namespace, name, uid);
    }

    /** Returns a builder with the components of this record. */
    public ObjectMetaBuilder toBuilder() {
        return builder(namespace, name, uid)
                .created(created)
                .sequence(sequence)
                .labels(labels)
                .annotations(annotations)
                .controller(controller)
                .deleting(deleting);
    }

    /** Creates metadata with name and UID only. */
    public static ObjectMeta of(String namespace, String name, String uid) {
        return ObjectMeta.builder(namespace, name, uid).build();
    }

    /** Returns the namespace and name. */
    public ObjectKey key() {
        return new ObjectKey(namespace, name);
    }

    /** Returns a copy with these labels. */
    public ObjectMeta withLabels(SortedMap<String, String> other) {
        return toBuilder().labels(other).build();
    }

    /** Returns a copy with this sequence. */
    public ObjectMeta withSequence(long other) {
        return toBuilder().sequence(other).build();
    }

    /** Returns a copy with this controller. */
    public ObjectMeta withController(Owner other) {
        return toBuilder().controller(Optional.of(other)).build();
    }

    /** Returns a copy with this creation time. */
    public ObjectMeta withCreated(Instant other) {
        return toBuilder().created(Optional.of(other)).build();
    }
}
