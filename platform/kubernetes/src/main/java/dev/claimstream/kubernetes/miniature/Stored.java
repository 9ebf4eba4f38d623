package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.kubernetes.Versioned;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An object as it is stored.
 *
 * @param outside uids of consumers and of the owner in the manifest of a claim that no object of this cluster has
 */
record Stored(ClusterObject object, long version, SortedSet<String> outside) {
    Stored {
        outside = Collections.unmodifiableSortedSet(new TreeSet<>(outside));
    }

    ObjectId id() {
        return ObjectId.of(object);
    }

    Versioned versioned() {
        return new Versioned(object, version);
    }
}
