package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import java.util.Optional;

/** Copies of object metadata with one field changed. */
final class MetadataChanges {
    private MetadataChanges() {}

    static ObjectMeta withDeletion(ObjectMeta meta) {
        return new ObjectMeta(
                meta.namespace(),
                meta.name(),
                meta.uid(),
                meta.created(),
                meta.sequence(),
                meta.labels(),
                meta.annotations(),
                meta.controller(),
                true);
    }

    static ObjectMeta withOwner(ObjectMeta meta, Optional<Owner> owner) {
        return new ObjectMeta(
                meta.namespace(),
                meta.name(),
                meta.uid(),
                meta.created(),
                meta.sequence(),
                meta.labels(),
                meta.annotations(),
                owner,
                meta.deleting());
    }
}
