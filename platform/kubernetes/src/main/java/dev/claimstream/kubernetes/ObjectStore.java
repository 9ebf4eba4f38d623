package dev.claimstream.kubernetes;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.Manifest;
import java.util.List;
import java.util.Optional;

/** Creates, updates and deletes objects of a cluster on behalf of a user. */
public interface ObjectStore {
    /**
     * Creates or updates objects one by one, in the given order.
     *
     * @return one result per manifest, in the same order
     * @throws ClusterFault if the cluster does not respond
     */
    List<ApplyResult> apply(List<Manifest> manifests);

    /**
     * Deletes an object. An object in use, such as a reserved claim, is deleted when it is no longer in use.
     *
     * @return absent if there is no such object
     * @throws ClusterFault if the cluster does not respond
     */
    Optional<DeletionResult> delete(Kind kind, ObjectKey key);

    /** Returns the current object, or nothing if it does not exist. */
    Optional<VersionedObject> find(Kind kind, ObjectKey key);

    enum DeletionResult {
        DELETED,
        /** The object has a deletion timestamp and is deleted when it is no longer in use. */
        TERMINATING
    }

    /**
     * Result of applying one manifest.
     *
     * @param key namespace and name of the object, including a generated name
     * @param message why the manifest was rejected, and what to do; empty otherwise
     */
    record ApplyResult(Kind kind, ObjectKey key, ApplyOutcome outcome, String message) {
        /** Cases of a result, named as {@code kubectl apply} prints them. */
        public enum ApplyOutcome {
            CREATED("created"),
            CONFIGURED("configured"),
            UNCHANGED("unchanged"),
            REJECTED("rejected");

            private final String text;

            ApplyOutcome(String text) {
                this.text = text;
            }

            /** Returns the text for users. */
            public String text() {
                return text;
            }
        }
    }
}
