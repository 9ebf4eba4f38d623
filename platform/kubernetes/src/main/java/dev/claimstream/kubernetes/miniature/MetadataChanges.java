package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import java.util.Optional;

/** Copies of object metadata with one field changed. */
final class MetadataChanges {
    private MetadataChanges() {}

    static ObjectMeta withDeletion(ObjectMeta meta) {
        return meta.toBuilder().deleting(true).build();
    }

    static ObjectMeta withOwner(ObjectMeta meta, Optional<Owner> owner) {
        return meta.toBuilder().controller(owner).build();
    }
}
