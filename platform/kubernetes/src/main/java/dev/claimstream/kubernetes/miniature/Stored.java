package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.kubernetes.Versioned;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An object as it is kept.
 *
 * @param outside uids that its manifest named and that never stood here: of consumers and of the owner of a claim
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
