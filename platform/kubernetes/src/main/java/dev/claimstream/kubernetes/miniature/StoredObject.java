package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An object as it is stored.
 *
 * @param unresolvedUids uids of consumers and of the owner in the manifest of a claim that no object of this cluster has
 */
record StoredObject(ClusterObject object, long version, SortedSet<String> unresolvedUids) {
    StoredObject {
        unresolvedUids = Collections.unmodifiableSortedSet(new TreeSet<>(unresolvedUids));
    }

    ObjectId id() {
        return ObjectId.of(object);
    }

    VersionedObject versionedObject() {
        return new VersionedObject(object, version);
    }
}
