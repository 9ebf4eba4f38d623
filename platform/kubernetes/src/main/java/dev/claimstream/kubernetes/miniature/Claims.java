package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import java.util.Optional;

/** Copies of object metadata with one field changed. */
final class Claims {
    private Claims() {}

    static ObjectMeta deleting(ObjectMeta meta) {
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

    static ObjectMeta owned(ObjectMeta meta, Optional<Owner> owner) {
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
